/**
 * What a client sends, cut into requests: multibulk (`*2\r\n$3\r\nGET\r\n…`) or inline (`GET key\r\n`).
 * The limits and texts are Redis'. Nothing is ever allocated from an announced length: memory grows
 * with the bytes that really arrive, and `pendingBytes` says how many those are.
 */

import { parseInt64 } from '../base/decimal.ts'
import { splitArgs } from '../base/split-args.ts'
import {
  type KnownWords,
  MAX_BULK_BYTES,
  MAX_UNREAD_BYTES,
  RespInput,
  USUAL_BULK_BYTES,
  USUAL_WORDS,
} from './input.ts'
import { noByteString } from './reply.ts'

export type Request =
  | { readonly kind: 'command'; readonly argv: string[] }
  /** `text` is an error reply, to be sent before the connection is closed. */
  | { readonly kind: 'protocolError'; readonly text: string }
  /**
   * HTTP (`POST`, `Host:`), which may be a forged request from a browser, or too much input: close without a
   * reply.
   */
  | { readonly kind: 'hangUp' }

export interface RequestLimits {
  /** [proto-max-bulk-len] Never more than `MAX_BULK_BYTES`, whatever is configured. */
  maxBulkBytes: number
  /**
   * [client-query-buffer-limit] Bytes received and not yet returned as requests; more than that
   * gives `hangUp`. Never more than `MAX_UNREAD_BYTES`.
   */
  maxPendingBytes: number
  /** Words in one request. Redis has no such limit, but each word costs us a value of ten times its bytes. */
  maxArguments: number
  /** False on a link to a master, where an inline command means that the stream is damaged. */
  acceptsInline: boolean
}

const MAX_ARGUMENTS = 2 ** 31 - 1

const DEFAULT_LIMITS: RequestLimits = {
  maxBulkBytes: 512 * 1024 * 1024,
  maxPendingBytes: 1024 * 1024 * 1024,
  maxArguments: MAX_ARGUMENTS,
  acceptsInline: true,
}

/** How much a client that has not authenticated yet can make us keep. */
const MAX_UNAUTHENTICATED_ARGUMENTS = 10
const MAX_UNAUTHENTICATED_BULK_BYTES = 16_384

const ASTERISK = 42
const DOLLAR = 36
const NO_BULK = -1

/** Feed it with `push`, then call `next` until it returns undefined. The first fault ends it. */
export class RequestDecoder {
  /** May be changed at any time. */
  readonly limits: RequestLimits
  /** False while a password is required and has not been shown. May be changed at any time. */
  isAuthenticated = true

  readonly #input = new RespInput()
  #argv: string[] = []
  #argumentsLeft = 0
  /** Length of the argument whose header has been read, or NO_BULK. */
  #bulkBytes = NO_BULK
  #consumedBytes = 0
  /** More bytes were pushed than fit before `next` was called, and the last ones were dropped. */
  #hasOverflowed = false
  #hasEnded = false

  constructor(limits: Partial<RequestLimits> = {}) {
    this.limits = { ...DEFAULT_LIMITS, ...limits }
  }

  /** Whether no limit is below what the usual requests have. */
  #takesUsual(): boolean {
    return this.limits.maxBulkBytes >= USUAL_BULK_BYTES && this.limits.maxArguments >= USUAL_WORDS
  }

  /** How many bytes all requests returned so far had, including blank lines before them. */
  get consumed(): number {
    return this.#consumedBytes
  }

  /** Bytes received that do not belong to a returned request. */
  get pendingBytes(): number {
    return this.#input.receivedBytes - this.#consumedBytes
  }

  /** How much of the argument that is being received has not arrived yet; 0 if none is. */
  get awaitedBytes(): number {
    return this.#input.awaitedBytes
  }

  /**
   * What has arrived of the requests not returned yet, as bytes from which another decoder goes on.
   * Undefined once a fault has ended the input.
   */
  get unfinished(): string | undefined {
    if (this.#hasEnded || this.#hasOverflowed) return undefined
    const words = this.#argv.map((word) => `$${word.length}\r\n${word}\r\n`).join('')
    const isInside = this.#argumentsLeft > 0
    const count = isInside ? `*${this.#argv.length + this.#argumentsLeft}\r\n` : ''
    const bulk = this.#bulkBytes === NO_BULK ? '' : `$${this.#bulkBytes}\r\n`
    return `${count}${words}${bulk}${this.#input.unread}`
  }

  /** Throws a TypeError if it gets a Buffer. */
  push(bytes: string): void {
    if (typeof bytes !== 'string') throw noByteString('RequestDecoder')
    if (this.#hasEnded || this.#hasOverflowed) return
    this.#hasOverflowed = this.#input.unreadBytes + bytes.length > this.#maxPendingBytes()
    if (!this.#hasOverflowed) this.#input.push(bytes)
  }

  /** `known`: words of what was pushed last. */
  next(known?: KnownWords): Request | undefined {
    if (this.#hasEnded) return undefined
    while (!this.#input.isStarved) {
      const request = this.#argumentsLeft > 0 ? this.#readArguments() : this.#readStart(known)
      if (request !== undefined) return this.#deliver(request)
    }
    const isTooMuch = this.#hasOverflowed || this.pendingBytes > this.#maxPendingBytes()
    return isTooMuch ? this.#deliver(HANG_UP) : undefined
  }

  #deliver(request: Request): Request {
    this.#consumedBytes = this.#input.readBytes
    if (request.kind !== 'command') this.#hasEnded = true
    return request
  }

  /** Undefined if no request is complete yet; look at the input again. */
  #readStart(known: KnownWords | undefined): Request | undefined {
    const most = this.isAuthenticated ? this.limits.maxArguments : USUAL_WORDS
    const words = this.#takesUsual() ? this.#input.takeRequest(most, known) : undefined
    if (words !== undefined) return command(words)
    return this.#input.peek() === ASTERISK ? this.#readCount() : this.#readInline()
  }

  #readCount(): Request | undefined {
    const count = this.#readLength()
    if (count === 'waiting') return undefined
    if (count === 'tooLong') return protocolError('too big mbulk count string')
    if (count === undefined || count > this.limits.maxArguments) {
      return protocolError('invalid multibulk length')
    }
    if (count > MAX_UNAUTHENTICATED_ARGUMENTS && !this.isAuthenticated) {
      return protocolError('unauthenticated multibulk length')
    }
    if (count > 0) this.#argumentsLeft = count
    return undefined
  }

  #readArguments(): Request | undefined {
    while (this.#argumentsLeft > 0) {
      if (this.#bulkBytes === NO_BULK) {
        const fault = this.#readBulkHeader()
        if (fault !== undefined || this.#bulkBytes === NO_BULK) return fault
      }
      if (!this.#input.hasBulk(this.#bulkBytes)) return undefined
      this.#argv.push(this.#input.takeBulk(this.#bulkBytes))
      this.#bulkBytes = NO_BULK
      this.#argumentsLeft--
    }
    const argv = this.#argv
    this.#argv = []
    return command(argv)
  }

  /** Sets `#bulkBytes` if the header has arrived and is valid. */
  #readBulkHeader(): Request | undefined {
    const type = this.#input.peek()
    const length = this.#readLength()
    if (length === 'waiting') return undefined
    if (length === 'tooLong') return protocolError('too big bulk count string')
    if (type !== DOLLAR) {
      return protocolError(`expected '$', got '${String.fromCharCode(type)}'`)
    }
    if (length === undefined || length < 0 || length > this.#maxBulkBytes()) {
      return protocolError('invalid bulk length')
    }
    if (length > MAX_UNAUTHENTICATED_BULK_BYTES && !this.isAuthenticated) {
      return protocolError('unauthenticated bulk length')
    }
    this.#bulkBytes = length
    return undefined
  }

  #maxPendingBytes(): number {
    return Math.min(this.limits.maxPendingBytes, MAX_UNREAD_BYTES)
  }

  #maxBulkBytes(): number {
    return Math.min(this.limits.maxBulkBytes, MAX_BULK_BYTES)
  }

  /** The number after the type byte; undefined if there is none. */
  #readLength(): number | 'waiting' | 'tooLong' | undefined {
    const small = this.#input.readSmallLength()
    if (small !== undefined) return small
    const line = this.#input.readLine('\r', 1)
    if (line === 'waiting' || line === 'tooLong') return line
    const value = parseInt64(line.slice(1))
    return value === undefined ? undefined : Number(value)
  }

  #readInline(): Request | undefined {
    const line = this.#input.readLine('\n', 0)
    if (line === 'waiting') return undefined
    if (line === 'tooLong') return protocolError('too big inline request')
    const argv = splitArgs(line)
    if (argv === undefined) return protocolError('unbalanced quotes in request')
    if (argv.length === 0) return undefined
    if (!this.limits.acceptsInline) return protocolError('inline command where none can be')
    return command(argv)
  }
}

const HANG_UP: Request = { kind: 'hangUp' }

function command(argv: string[]): Request {
  return isHttp(argv[0] ?? '') ? HANG_UP : { kind: 'command', argv }
}

/** With what a request over HTTP begins that a web page made a browser send. In lower case. */
export const HTTP_NAMES: readonly string[] = ['post', 'host:']

/** Most names of commands are told from these two by their second letter, before they are compared. */
function isHttp(name: string): boolean {
  const mayBe = (name.charCodeAt(1) | UPPER_TO_LOWER) === LETTER_O
  return mayBe && HTTP_NAMES.includes(name.toLowerCase())
}

const LETTER_O = 0x6f
const UPPER_TO_LOWER = 0x20

function protocolError(reason: string): Request {
  return { kind: 'protocolError', text: `ERR Protocol error: ${reason}` }
}
