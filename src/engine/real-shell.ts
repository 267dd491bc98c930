/**
 * The shell of `sim/` over real sockets: clients and observers run in it as they run in simulated
 * processes. Its surroundings can be replaced, as for the hosts of `io/`: by itself it uses the
 * kernel's sockets and clocks, and lets every input in at once.
 */
import { Socket } from 'node:net'
import type { Moment } from '../base/clock.ts'
import { kernelSurroundings, type Surroundings } from '../io/host-environment.ts'
import { Alarm } from '../io/process/alarm.ts'
import { REAL_TIMERS } from '../io/process/timers.ts'
import { reasonOf } from '../io/start-error.ts'
import type { SocketHandler } from '../sim/network/socket.ts'
import type { Program } from '../sim/processes/process.ts'
import type { Shell, ShellConnection } from '../sim/processes/shell.ts'

/** A peer that does not close its own end is dropped this long after we wanted to close. */
const LINGER_MS = 2_000

export interface RealShellStart {
  readonly name: string
  readonly life: number
  /** Our own end of every connection; undefined: the kernel picks it. */
  readonly localAddress?: string | undefined
  /** Undefined: the kernel's own, with connections from `localAddress`. */
  readonly surroundings?: Surroundings | undefined
  /** The program wants to end. The caller that runs it then calls `abandon`. */
  readonly onExit: () => void
}

export class RealShell implements Shell {
  readonly name: string
  readonly life: number
  readonly #start: RealShellStart
  readonly #surroundings: Surroundings
  readonly #connections = new Set<RealConnection>()

  constructor(start: RealShellStart) {
    this.name = start.name
    this.life = start.life
    this.#start = start
    this.#surroundings = start.surroundings ?? kernelSurroundings(() => start.localAddress)
  }

  now(): Moment {
    return this.#surroundings.clock.read()
  }

  connect(host: string, port: number, timeoutMs: number, handler: SocketHandler): ShellConnection {
    const target = { host, port, timeoutMs, handler }
    const connection = new RealConnection(target, this.#surroundings, () => {
      this.#connections.delete(connection)
    })
    this.#connections.add(connection)
    return connection
  }

  exit(): void {
    this.#start.onExit()
  }

  /** Drops every connection at once, as the end of a process does. */
  abandon(): void {
    for (const connection of this.#connections) connection.abandon()
  }
}

interface Target {
  readonly host: string
  readonly port: number
  readonly timeoutMs: number
  readonly handler: SocketHandler
}

class RealConnection implements ShellConnection {
  readonly #target: Target
  readonly #socket = new Socket()
  readonly #admit: Surroundings['admit']
  readonly #timeout: NodeJS.Timeout
  #isConnected = false
  /** Our side has closed the connection, or the handler has been told its end. */
  #isOver = false
  #failure: string | undefined

  constructor(target: Target, { dial, admit }: Surroundings, gone: () => void) {
    this.#target = target
    this.#admit = admit
    const socket = this.#socket
    this.#timeout = REAL_TIMERS.setTimeout(() => this.#timedOut(), target.timeoutMs)
    socket.setNoDelay(true)
    socket.once('connect', () => this.#connected())
    socket.on('data', (chunk) => this.#received(chunk.toString('latin1')))
    socket.on('error', (error) => {
      this.#failure ??= reasonOf(error)
    })
    socket.once('end', () => this.#ended())
    socket.once('close', () => {
      this.#ended()
      gone()
    })
    dial(socket, target.host, target.port)
  }

  write(bytes: string): void {
    if (this.#isConnected && !this.#isOver) this.#socket.write(bytes, 'latin1')
  }

  closeSending(): void {
    if (this.#isConnected && !this.#isOver) this.#socket.end()
  }

  close(): void {
    this.#isOver = true
    REAL_TIMERS.clearTimeout(this.#timeout)
    const socket = this.#socket
    if (socket.connecting) socket.destroy()
    if (socket.destroyed) return
    const giveUp = REAL_TIMERS.setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => REAL_TIMERS.clearTimeout(giveUp))
    socket.end()
  }

  abandon(): void {
    this.#isOver = true
    REAL_TIMERS.clearTimeout(this.#timeout)
    this.#socket.destroy()
  }

  #connected(): void {
    REAL_TIMERS.clearTimeout(this.#timeout)
    this.#tell((handler) => {
      this.#isConnected = true
      handler.connected()
    })
  }

  #received(bytes: string): void {
    this.#tell((handler) => handler.received(bytes))
  }

  #timedOut(): void {
    this.#failure ??= 'connection timed out'
    this.#socket.destroy()
  }

  #ended(): void {
    REAL_TIMERS.clearTimeout(this.#timeout)
    this.#tell((handler) => {
      this.close()
      handler.closed(this.#failure ?? 'closed by the other side')
    })
  }

  /** Whether the handler still wants the input is decided at the moment the input is let in. */
  #tell(input: (handler: SocketHandler) => void): void {
    this.#admit(() => {
      if (!this.#isOver) input(this.#target.handler)
    })
  }
}

export interface RunningProgram {
  /** Ends the program at once, with its connections and timer. */
  stop(): void
}

/** Runs a program until it is stopped or ends by itself, and wakes it when it asks to be woken. */
export function runProgram(
  start: Omit<RealShellStart, 'onExit'>,
  boot: (shell: Shell) => Program,
  onExit: () => void = () => undefined,
): RunningProgram {
  const outer = start.surroundings ?? kernelSurroundings(() => start.localAddress)
  let program: Program | undefined
  let isOver = false
  const admit = (input: () => void) =>
    outer.admit(() => {
      if (isOver) return
      input()
      if (!isOver) alarm.set(program?.nextWakeUpMs())
    })
  const alarm = new Alarm(() => admit(() => program?.wake()), outer.clock)
  const stop = () => {
    isOver = true
    alarm.stop()
    shell.abandon()
  }
  const exit = () => {
    stop()
    onExit()
  }
  const shell = new RealShell({ ...start, surroundings: { ...outer, admit }, onExit: exit })
  admit(() => {
    program = boot(shell)
  })
  return { stop }
}
