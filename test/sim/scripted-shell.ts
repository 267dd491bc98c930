import type { Moment } from '../../src/base/clock.ts'
import { RequestDecoder } from '../../src/resp/request-decoder.ts'
import type { SocketHandler } from '../../src/sim/network/socket.ts'
import type { Shell, ShellConnection } from '../../src/sim/processes/shell.ts'

/** A connection as the other side sees it: the test answers by hand. */
export class Line {
  readonly address: string
  readonly handler: SocketHandler
  sent = ''
  isClosed = false
  hasClosedHalf = false

  constructor(address: string, handler: SocketHandler) {
    this.address = address
    this.handler = handler
  }

  /** Commands since the last time, their words joined. */
  take(): string[] {
    const decoder = new RequestDecoder()
    decoder.push(this.sent)
    this.sent = ''
    const commands: string[] = []
    for (let next = decoder.next(); next !== undefined; next = decoder.next()) {
      if (next.kind === 'command') commands.push(next.argv.join(' '))
    }
    return commands
  }

  reply(...replies: readonly string[]): void {
    this.handler.received(replies.join(''))
  }
}

/** A process whose time, connections and answers are the test's. */
export class ScriptedShell implements Shell {
  readonly name = 'app'
  readonly life = 1
  readonly lines: Line[] = []
  monoMs = 1_000
  hasExited = false

  now(): Moment {
    return { monoMs: this.monoMs, wallMs: 0 }
  }

  connect(host: string, port: number, _timeoutMs: number, handler: SocketHandler): ShellConnection {
    const line = new Line(`${host}:${port}`, handler)
    this.lines.push(line)
    return {
      write: (bytes) => {
        line.sent += bytes
      },
      closeSending: () => {
        line.hasClosedHalf = true
      },
      close: () => {
        line.isClosed = true
      },
    }
  }

  exit(): void {
    this.hasExited = true
  }

  /** The newest connection to an address. */
  line(address: string): Line {
    const line = this.lines.findLast((one) => one.address === address)
    if (line === undefined) throw new Error(`nobody has connected to ${address}`)
    return line
  }
}
