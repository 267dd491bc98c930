/**
 * What a client sends, cut at the borders of its commands and otherwise left as it is: the bytes go on to the
 * master as they came. A command that is longer than we are ready to keep is handed on in pieces as it arrives, so
 * that no client can make us hold a value of many megabytes. Limits and texts of protocol errors are Redis'.
 */
import { parseInt64 } from '../base/decimal.ts'
import { splitArgs } from '../base/split-args.ts'
import { encodeCommand } from '../resp/encode.ts'

export type RequestPiece =
  /** A whole command, as it goes to a server. `name` as the client wrote it. */
  | { readonly kind: 'command'; readonly name: string; readonly bytes: string }
  /** As many plain commands as the given `PlainScan` has counted. */
  | { readonly kind: 'plain'; readonly bytes: string }
  /** The beginning of a long command. */
  | { readonly kind: 'begin'; readonly name: string; readonly bytes: string }
  | { readonly kind: 'more'; readonly bytes: string; readonly isLast: boolean }
  /** An error reply, after which the connection is closed. */
  | { readonly kind: 'fault'; readonly text: string }

/** Finds plain commands that can go on together (plain-commands.ts). */
export interface PlainScan {
  /** Where those that begin at `from` end; `from` itself if there are none. At most `max` of them. */
  scan(text: string, from: number, max: number): number
}

/** Knows which commands are never handed out in pieces. */
export interface WholeCommands {
  isReadWhole(name: string): boolean
}

/** A command that is longer is passed on in pieces, and is never repeated. */
const KEPT_BYTES = 64 * 1024
/** One whose words the proxy has to know may be as long as this. */
const MAX_WHOLE_BYTES = 1024 * 1024
const MAX_INLINE_BYTES = 64 * 1024
const MAX_HEADER_BYTES = 32
const MAX_ARGUMENTS = 2 ** 31 - 1
const MAX_BULK_BYTES = 512 * 1024 * 1024
const TOO_LONG_TO_BE_WHOLE = 'more than 1 MiB in a command that the proxy has to know as a whole'
const ASTERISK = 42
const DOLLAR = 36

export class Requests {
  readonly #whole: WholeCommands | undefined
  #buffer = ''
  /** Where the command that is being read begins, and up to where it has been read. */
  #start = 0
  #at = 0
  #argumentsLeft = 0
  #hasName = false
  #name = ''
  /** Bytes of the present argument still to come, with its line end. */
  #bodyLeft = 0
  /** The command is passed on in pieces. */
  #isStreaming = false
  #hasEnded = false

  constructor(whole?: WholeCommands) {
    this.#whole = whole
  }

  /** Bytes that belong to no piece that was returned. */
  get pendingBytes(): number {
    return this.#buffer.length - this.#start
  }

  /** Whether the next command begins so. The pattern is a sticky one. */
  begins(pattern: RegExp): boolean {
    if (this.#isStreaming || this.#at !== this.#start) return false
    pattern.lastIndex = this.#at
    return pattern.test(this.#buffer)
  }

  push(bytes: string): void {
    if (this.#hasEnded) return
    this.#buffer = this.#start === this.#buffer.length ? bytes : this.#rest() + bytes
    this.#at -= this.#start
    this.#start = 0
  }

  /**
   * The next piece; undefined if it has not arrived yet. With `plain`, plain commands are handed out together, up to
   * `max` of them.
   */
  next(plain?: PlainScan, max = 0): RequestPiece | undefined {
    if (plain !== undefined && this.#at === this.#start && !this.#isStreaming) {
      const end = plain.scan(this.#buffer, this.#at, max)
      if (end > this.#at) return this.#plain(end)
    }
    while (!this.#hasEnded) {
      const isBetween = this.#argumentsLeft === 0 && this.#bodyLeft === 0
      if (isBetween && this.#at >= this.#buffer.length) return undefined
      if (isBetween && this.#buffer.charCodeAt(this.#at) !== ASTERISK) {
        const piece = this.#inline()
        if (piece !== 'skip') return piece
      } else {
        const piece = this.#multibulk(isBetween)
        if (piece !== 'skip') return piece
      }
    }
    return undefined
  }

  #plain(end: number): RequestPiece {
    this.#at = end
    return { kind: 'plain', bytes: this.#take() }
  }

  #rest(): string {
    return this.#buffer.slice(this.#start)
  }

  #multibulk(isFirst: boolean): RequestPiece | undefined | 'skip' {
    if (isFirst) {
      const count = this.#header('invalid multibulk length', 'too big mbulk count string')
      if (typeof count !== 'number') return count
      if (count > MAX_ARGUMENTS) return this.#fault('invalid multibulk length')
      if (count <= 0) return this.#skip()
      this.#argumentsLeft = count
      this.#hasName = false
    }
    while (this.#argumentsLeft > 0) {
      const piece = this.#argument()
      if (piece !== 'next') return piece
    }
    return this.#complete()
  }

  /** Reads up to the end of one argument. */
  #argument(): RequestPiece | undefined | 'next' {
    if (this.#bodyLeft === 0) {
      if (this.#at >= this.#buffer.length) return this.#starved()
      if (this.#buffer.charCodeAt(this.#at) !== DOLLAR) {
        return this.#fault(`expected '$', got '${this.#buffer.charAt(this.#at)}'`)
      }
      const length = this.#header('invalid bulk length', 'too big bulk count string')
      if (typeof length !== 'number') return length
      if (length < 0 || length > MAX_BULK_BYTES) return this.#fault('invalid bulk length')
      this.#bodyLeft = length + 2
    }
    const available = this.#buffer.length - this.#at
    // The name is looked at as a whole, unless it is far too long for one.
    const isCut = available < this.#bodyLeft && this.#bodyLeft <= KEPT_BYTES
    if (!this.#hasName && isCut) return undefined
    if (!this.#hasName) this.#readName()
    const taken = Math.min(available, this.#bodyLeft)
    this.#at += taken
    this.#bodyLeft -= taken
    if (this.#bodyLeft > 0) return this.#starved()
    this.#argumentsLeft--
    return 'next'
  }

  #readName(): void {
    this.#hasName = true
    const length = Math.min(this.#bodyLeft - 2, MAX_HEADER_BYTES)
    this.#name = this.#buffer.slice(this.#at, this.#at + length)
  }

  /**
   * The number after the type byte, read past its line end. Undefined if it has not arrived; a fault if it is none.
   */
  #header(wrong: string, tooLong: string): number | RequestPiece | undefined {
    const buffer = this.#buffer
    let at = this.#at + 1
    let code = buffer.charCodeAt(at)
    let value = 0
    // The usual header: a small number without a sign, and without zeros before it.
    const isPadded = code === 48 && buffer.charCodeAt(at + 1) !== 13
    while (code >= 48 && code <= 57 && value < 100_000_000) {
      value = value * 10 + code - 48
      code = buffer.charCodeAt(++at)
    }
    if (!isPadded && code === 13 && at > this.#at + 1 && at + 1 < buffer.length) {
      this.#at = at + 2
      return value
    }
    const end = buffer.indexOf('\r', this.#at)
    const length = (end < 0 ? buffer.length : end) - this.#at
    if (length > MAX_INLINE_BYTES) return this.#fault(tooLong)
    if (end < 0 || end + 1 >= buffer.length) {
      return length > MAX_HEADER_BYTES ? this.#fault(wrong) : this.#starved()
    }
    const number = parseInt64(buffer.slice(this.#at + 1, end))
    if (number === undefined) return this.#fault(wrong)
    this.#at = end + 2
    return Number(number)
  }

  #complete(): RequestPiece {
    const bytes = this.#take()
    if (!this.#isStreaming) return { kind: 'command', name: this.#name, bytes }
    this.#isStreaming = false
    return { kind: 'more', bytes, isLast: true }
  }

  /** Nothing more is here: a command that has become long leaves as far as it has come. */
  #starved(): RequestPiece | undefined {
    if (!this.#hasName || this.#argumentsLeft === 0) return undefined
    if (this.#isStreaming) {
      const bytes = this.#take()
      return bytes === '' ? undefined : { kind: 'more', bytes, isLast: false }
    }
    const length = this.#at - this.#start
    if (length <= KEPT_BYTES) return undefined
    if (this.#whole?.isReadWhole(this.#name) === true) {
      return length > MAX_WHOLE_BYTES ? this.#fault(TOO_LONG_TO_BE_WHOLE) : undefined
    }
    this.#isStreaming = true
    return { kind: 'begin', name: this.#name, bytes: this.#take() }
  }

  #take(): string {
    const isLast = this.#at === this.#buffer.length
    const isAll = this.#start === 0 && isLast
    const bytes = isAll ? this.#buffer : this.#buffer.slice(this.#start, this.#at)
    // Whoever says nothing more keeps nothing of what was said.
    if (isLast) this.#buffer = ''
    this.#at = isLast ? 0 : this.#at
    this.#start = this.#at
    return bytes
  }

  #skip(): 'skip' {
    this.#start = this.#at
    return 'skip'
  }

  #inline(): RequestPiece | undefined | 'skip' {
    const end = this.#buffer.indexOf('\n', this.#at)
    const length = (end < 0 ? this.#buffer.length : end) - this.#at
    if (length > MAX_INLINE_BYTES) return this.#fault('too big inline request')
    if (end < 0) return undefined
    const line = this.#buffer.slice(this.#at, end)
    this.#at = end + 1
    this.#start = this.#at
    const argv = splitArgs(line)
    if (argv === undefined) return this.#fault('unbalanced quotes in request')
    const [name] = argv
    if (name === undefined) return 'skip'
    return { kind: 'command', name, bytes: encodeCommand(argv) }
  }

  #fault(reason: string): RequestPiece {
    this.#hasEnded = true
    this.#start = 0
    this.#at = 0
    this.#buffer = ''
    return { kind: 'fault', text: `ERR Protocol error: ${reason}` }
  }
}

/** One word of a command that may be cut off somewhere behind it. Undefined: it is not there, or not whole. */
export function wordAt(bytes: string, place: number): string | undefined {
  let at = bytes.indexOf('\r\n') + 2
  for (let word = 0; ; word++) {
    const line = bytes.indexOf('\r\n', at)
    if (line < 0) return undefined
    const end = line + 2 + Number(bytes.slice(at + 1, line))
    if (end > bytes.length) return undefined
    if (word === place) return bytes.slice(line + 2, end)
    at = end + 2
  }
}

/** The words of a command that `Requests` has cut out whole. */
export function wordsOf(bytes: string): string[] {
  const words: string[] = []
  let at = bytes.indexOf('\r\n') + 2
  while (at < bytes.length) {
    const line = bytes.indexOf('\r\n', at)
    const length = Number(bytes.slice(at + 1, line))
    words.push(bytes.slice(line + 2, line + 2 + length))
    at = line + 2 + length + 2
  }
  return words
}
