/** One connection to a node, from where the application is: commands in order, answers in order. */
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { utf8Bytes } from '../base/utf8.ts'
import { REAL_TIMERS } from '../io/process/timers.ts'
import { encodeCommand } from '../resp/encode.ts'
import type { Reply } from '../resp/reply.ts'
import { ReplyDecoder } from '../resp/reply-decoder.ts'
import type { Member, MemberStatus } from './api.ts'

export interface NodeLogin {
  readonly host: string
  readonly port: number
  /** Empty: none. */
  readonly password?: string
  /** The authority, if the connection is to use TLS. */
  readonly ca?: string
}

interface Waiting {
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: Error) => void
}

export class Wire {
  readonly #socket: Socket
  readonly #decoder = new ReplyDecoder()
  readonly #waiting: Waiting[] = []
  #failure: Error | undefined
  /** Told of what arrives without a request. */
  #told: (reply: Reply) => void = () => undefined

  constructor({ host, port, password = '', ca }: NodeLogin) {
    this.#socket =
      ca === undefined
        ? connect({ host, port })
        : connectTls({ host, port, ca, checkServerIdentity: () => undefined })
    this.#socket.setNoDelay(true)
    this.#socket.on('data', (chunk) => this.#received(chunk.toString('latin1')))
    this.#socket.on('error', (error) => this.#fail(error))
    this.#socket.on('close', () => this.#fail(new Error('the connection was closed')))
    // A wrong password shows in the answer to the first command.
    if (password !== '') this.send('AUTH', password).catch(() => undefined)
  }

  get isOpen(): boolean {
    return this.#failure === undefined
  }

  /** Rejects if the connection ends before the answer. An error reply is an answer. */
  send(...argv: readonly string[]): Promise<Reply> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#socket.write(encodeCommand(argv.map(utf8Bytes)), 'latin1')
    })
  }

  /** Subscribes to every channel. `tell` is called with each message, from now on. */
  async listen(tell: (channel: string, message: string) => void): Promise<void> {
    this.#told = (reply) => {
      const words = wordsOf(reply)
      if (words[0] === 'pmessage') tell(words[2] ?? '', words[3] ?? '')
    }
    await this.send('PSUBSCRIBE', '*')
  }

  close(reason = 'the connection was closed'): void {
    this.#fail(new Error(reason))
  }

  #received(bytes: string): void {
    this.#decoder.push(bytes)
    for (let reply = this.#decoder.next(); reply !== undefined; reply = this.#decoder.next()) {
      if (reply.kind === 'malformed') return this.#fail(new Error(reply.text))
      const first = this.#waiting.shift()
      if (first === undefined) this.#told(reply)
      else first.resolve(reply)
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error
    this.#socket.destroy()
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }
}

/** Long beyond any answer, and an end to waiting for one that does not come. */
const ANSWER_WITHIN_MS = 10_000

/** Why a member does not answer. */
const SILENT: Readonly<Record<MemberStatus, string | undefined>> = {
  running: undefined,
  stopped: 'stopped, until resume()',
  down: 'down, until restart()',
}

/** A member as a client may reach it. */
export interface Reachable {
  readonly member: Member
  readonly login: Omit<NodeLogin, 'host' | 'port'>
  readonly isCut: boolean
}

/** One command over a connection of its own. Throws in words if there can be no answer, or if that is an error. */
export async function ask(
  { member, login, isCut }: Reachable,
  ...argv: readonly string[]
): Promise<Reply> {
  const { name, status, host, port } = member
  const asked = `${argv[0]} at ${name}`
  const hindrance = isCut ? 'cut off from the clients, until heal()' : SILENT[status]
  if (hindrance !== undefined) fail(asked, `it is ${hindrance}`)
  const wire = new Wire({ host, port, ...login })
  const late = `no answer within ${ANSWER_WITHIN_MS} ms`
  const bound = REAL_TIMERS.setTimeout(() => wire.close(late), ANSWER_WITHIN_MS)
  try {
    const reply = await wire.send(...argv).catch(({ message }) => fail(asked, message))
    return reply.kind === 'error' ? fail(asked, reply.text) : reply
  } finally {
    REAL_TIMERS.clearTimeout(bound)
    wire.close()
  }
}

function fail(asked: string, reason: string): never {
  throw new Error(`${asked}: ${reason}`)
}

/** The texts of an array of bulk strings; what is not one is empty. */
export function wordsOf(reply: Reply): string[] {
  if (reply.kind === 'bulks') return reply.texts.map((text) => text ?? '')
  if (reply.kind !== 'array') return []
  return reply.items.map((item) => (item.kind === 'bulk' ? item.bytes : ''))
}
