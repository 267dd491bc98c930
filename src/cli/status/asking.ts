/**
 * A connection for questions of the command line to a server that the user or another server named: so
 * no answer is trusted. Replies are byte strings, bounded in size, shape and time; what is printed of
 * them goes through `printable`.
 */
import { connect as connectPlain, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { utf8Bytes, utf8Text } from '../../base/utf8.ts'
import { encodeCommand } from '../../resp/encode.ts'
import type { Reply } from '../../resp/reply.ts'
import { ReplyDecoder, type ReplyLimits } from '../../resp/reply-decoder.ts'
import { explainFailure } from './port-guess.ts'

/** A reply as JavaScript values; an error inside a list is an `Error`. */
export type ReplyValue = string | number | bigint | null | Error | readonly ReplyValue[]

export function listOf(answer: ReplyValue | undefined): readonly ReplyValue[] {
  return Array.isArray(answer) ? answer : []
}

export interface AskingOptions {
  readonly host: string
  readonly port: number
  readonly user: string | undefined
  readonly password: string | undefined
  /** Undefined for plain text. */
  readonly tls: ConnectionOptions | undefined
  /** How much may still be received; several connections may share it. */
  readonly allowance: Allowance
}

/** How many bytes may still be received. */
export interface Allowance {
  leftBytes: number
}

const CLOSED = 'it closed the connection'
const CONNECT_TIMEOUT_MS = 2_000
const COMMAND_TIMEOUT_MS = 3_000

/** More than all groups of the largest possible Sentinel in one reply. */
const LIMITS: ReplyLimits = {
  maxBulkBytes: 32 * 1024 * 1024,
  maxReplyBytes: 32 * 1024 * 1024,
  maxNesting: 8,
  maxItems: 1_000_000,
}

interface Question {
  readonly resolve: (answer: ReplyValue) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

export class Asking {
  readonly #options: AskingOptions
  readonly #decoder = new ReplyDecoder(LIMITS)
  readonly #open: Question[] = []
  #socket: Socket | undefined
  #failure: Error | undefined
  /** The failure in words that help; set together with it. */
  #explained: Promise<Error> = Promise.resolve(new Error('not connected'))
  #hasAnswered = false

  constructor(options: AskingOptions) {
    this.#options = options
  }

  /** Rejects with the words of the kernel or of the other side. */
  async open(): Promise<void> {
    await new Promise<void>((resolve, reject) => this.#connect(resolve, reject))
    const { user, password } = this.#options
    if (password === undefined) return
    const words = user === undefined ? [password] : [user, password]
    await this.call('AUTH', ...words.map(utf8Bytes))
  }

  /**
   * Sends a question of byte strings. Rejects with the error it is answered with, or with the reason why
   * it is not answered.
   */
  call(...words: readonly string[]): Promise<ReplyValue> {
    return new Promise((resolve, reject) => {
      const socket = this.#socket
      if (this.#failure !== undefined || socket === undefined) {
        return void this.#explained.then(reject)
      }
      const late = () => this.#fail(new Error(`no answer within ${COMMAND_TIMEOUT_MS / 1_000} s`))
      const timer = setTimeout(late, COMMAND_TIMEOUT_MS)
      this.#open.push({ resolve, reject, timer })
      socket.write(encodeCommand(words), 'latin1')
    })
  }

  disconnect(): void {
    this.#hasAnswered = true
    this.#fail(new Error('disconnected'))
  }

  #connect(resolve: () => void, reject: (error: Error) => void): void {
    const { host, port, tls } = this.#options
    const socket =
      tls === undefined ? connectPlain({ host, port }) : connectTls({ ...tls, host, port })
    const fail = (error: Error) => {
      this.#fail(error)
      void this.#explained.then(reject)
    }
    const timer = setTimeout(() => fail(new Error('ETIMEDOUT')), CONNECT_TIMEOUT_MS)
    this.#socket = socket
    socket.once(tls === undefined ? 'connect' : 'secureConnect', resolve)
    socket.once(tls === undefined ? 'connect' : 'secureConnect', () => clearTimeout(timer))
    socket.once('close', () => clearTimeout(timer))
    // Whoever waits for the connection hears of it, too, if we have given it up ourselves.
    socket.once('close', () => fail(new Error(CLOSED)))
    socket.on('error', (error) => fail(isHangUp(error) ? new Error(CLOSED) : error))
    socket.on('end', () => fail(new Error(CLOSED)))
    socket.on('data', (chunk) => this.#received(chunk))
  }

  #received(chunk: Buffer): void {
    const { allowance } = this.#options
    allowance.leftBytes -= chunk.length
    if (allowance.leftBytes < 0) return this.#fail(new Error('it sends too much'))
    this.#decoder.push(chunk.toString('latin1'))
    while (this.#failure === undefined) {
      const reply = this.#decoder.next()
      if (reply === undefined) return
      if (reply.kind === 'malformed') {
        return this.#fail(
          new Error(`it does not speak the Redis protocol: ${printable(reply.text)}`),
        )
      }
      this.#answered(reply)
    }
  }

  #answered(reply: Reply): void {
    const question = this.#open.shift()
    if (question === undefined) return this.#fail(new Error('it sent a reply without a request'))
    clearTimeout(question.timer)
    this.#hasAnswered = true
    const answer = toAnswer(reply)
    if (answer instanceof Error) question.reject(answer)
    else question.resolve(answer)
  }

  /** Ends the connection; open questions are rejected with the reason. */
  #fail(error: Error): void {
    if (this.#failure !== undefined) return
    this.#failure = error
    this.#socket?.destroy()
    const { host, port, tls } = this.#options
    this.#explained = this.#hasAnswered
      ? Promise.resolve(error)
      : explainFailure(error, { host, port, tls })
    for (const { reject, timer } of this.#open.splice(0)) {
      clearTimeout(timer)
      void this.#explained.then(reject)
    }
  }
}

/**
 * The kernel's words for a connection that the other side has closed before it read all of our questions.
 * An error without a system call is one of TLS, which says more than that.
 */
function isHangUp({ code, syscall }: NodeJS.ErrnoException): boolean {
  return syscall !== undefined && (code === 'ECONNRESET' || code === 'EPIPE')
}

function toAnswer(reply: Reply): ReplyValue {
  switch (reply.kind) {
    case 'error':
      return new Error(printable(reply.text))
    case 'attributed':
      return toAnswer(reply.reply)
    case 'simple':
    case 'verbatim':
      return reply.text
    case 'bulk':
      return reply.bytes
    case 'integer':
    case 'double':
      return reply.value
    case 'bigNumber':
      return reply.digits
    case 'boolean':
      return reply.value ? 1 : 0
    case 'array':
    case 'set':
    case 'push':
      return reply.items.map(toAnswer)
    case 'map':
      return reply.entries.flat().map(toAnswer)
    // Our own short forms of replies; no decoder makes them.
    case 'bulks':
      return reply.texts.map((text) => text ?? null)
    case 'list':
      return Array.from({ length: reply.count }, (_, at) => toAnswer(reply.item(at)))
    case 'null':
    case 'nullArray':
      return null
  }
}

const SHOWN_CHARACTERS = 300

/**
 * A byte string from outside as text that cannot affect a terminal: neither with sequences that move the
 * cursor or rename the window, nor with characters that reverse the writing direction.
 */
export function printable(bytes: string): string {
  const text = utf8Text(bytes.slice(0, 4 * SHOWN_CHARACTERS)).slice(0, SHOWN_CHARACTERS)
  const shown = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped)
  return bytes.length > text.length && text.length === SHOWN_CHARACTERS ? `${shown}…` : shown
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
}
