/**
 * What a server answers, cut at the borders of its top-level replies, RESP2 and RESP3. Nothing is decoded: of a
 * reply we only look at the beginning. Nesting needs no stack, because only the number of values still missing
 * matters.
 */
import { parseInt64 } from '../base/decimal.ts'

export type AnswerPiece =
  /** A whole reply. */
  | { readonly kind: 'reply'; readonly bytes: string }
  /** The beginning of a long one, then its rest as it comes. */
  | { readonly kind: 'begin'; readonly bytes: string }
  | { readonly kind: 'more'; readonly bytes: string; readonly isLast: boolean }
  /** The server speaks no RESP. */
  | { readonly kind: 'fault' }

/** A reply up to this length is handed over whole, so that its head can be looked at. */
const WHOLE_BYTES = 512
const MAX_LINE_BYTES = 64 * 1024
const MAX_COUNT = 2 ** 32
const LF = 10
const SHORT_LINE_BYTES = 16
const MINUS = 45
const GREATER = 62
const FAULT: AnswerPiece = { kind: 'fault' }

export class Answers {
  #buffer = ''
  #start = 0
  #at = 0
  /** Values of the present reply still to come; 0 between replies. */
  #missing = 0
  /** Bytes of a counted string still to come, with its line end. */
  #bodyLeft = 0
  #isStreaming = false
  #hasEnded = false
  /** How many replies `wholeReplies` has found. */
  count = 0

  get pendingBytes(): number {
    return this.#buffer.length - this.#start
  }

  push(bytes: string): void {
    if (this.#hasEnded) return
    const isEmpty = this.#start === this.#buffer.length
    this.#buffer = isEmpty ? bytes : this.#buffer.slice(this.#start) + bytes
    this.#at -= this.#start
    this.#start = 0
  }

  /**
   * Whole replies that are neither errors nor pushes, at most `max` of them, in one piece; empty if the next one is no
   * such reply. `count` then says how many.
   */
  wholeReplies(max: number): string {
    this.count = 0
    if (this.#isInReply) return ''
    let end = this.#at
    while (this.count < max && this.#skipPlainReply()) {
      end = this.#at
      this.count++
    }
    this.#at = end
    this.#missing = 0
    this.#bodyLeft = 0
    return this.count === 0 ? '' : this.#take()
  }

  get #isInReply(): boolean {
    return this.#missing > 0 || this.#bodyLeft > 0 || this.#isStreaming || this.#hasEnded
  }

  /** False if it is not whole, or needs a look of its own. */
  #skipPlainReply(): boolean {
    const type = this.#buffer.charCodeAt(this.#at)
    if (Number.isNaN(type) || type === MINUS || type === GREATER) return false
    this.#missing = 1
    while (this.#missing > 0 || this.#bodyLeft > 0) {
      if (!this.#skipBody()) return false
      if (this.#missing > 0 && this.#value() !== 'read') return false
    }
    return true
  }

  next(): AnswerPiece | undefined {
    if (this.#hasEnded) return undefined
    if (this.#missing === 0 && this.#bodyLeft === 0) {
      if (this.#at >= this.#buffer.length) return undefined
      this.#missing = 1
    }
    while (this.#missing > 0 || this.#bodyLeft > 0) {
      if (!this.#skipBody()) return this.#starved()
      if (this.#missing === 0) break
      const found = this.#value()
      if (found === 'waiting') return this.#starved()
      if (found === 'fault') {
        this.#hasEnded = true
        return FAULT
      }
    }
    return this.#complete()
  }

  /** False if not all of it has arrived. */
  #skipBody(): boolean {
    if (this.#bodyLeft === 0) return true
    const taken = Math.min(this.#buffer.length - this.#at, this.#bodyLeft)
    this.#at += taken
    this.#bodyLeft -= taken
    return this.#bodyLeft === 0
  }

  #complete(): AnswerPiece {
    const bytes = this.#take()
    if (!this.#isStreaming) return { kind: 'reply', bytes }
    this.#isStreaming = false
    return { kind: 'more', bytes, isLast: true }
  }

  #starved(): AnswerPiece | undefined {
    if (this.#isStreaming) {
      const bytes = this.#take()
      return bytes === '' ? undefined : { kind: 'more', bytes, isLast: false }
    }
    const isError = this.#buffer.charAt(this.#start) === '-'
    if (isError || this.#at - this.#start < WHOLE_BYTES) return undefined
    this.#isStreaming = true
    return { kind: 'begin', bytes: this.#take() }
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

  /** Reads one line, which begins a value. */
  #value(): 'read' | 'waiting' | 'fault' {
    const end = this.#lineEnd()
    if (end < 0) return this.#buffer.length - this.#at > MAX_LINE_BYTES ? 'fault' : 'waiting'
    if (this.#buffer.charCodeAt(end - 1) !== 13) return 'fault'
    const from = this.#at
    this.#at = end + 1
    switch (this.#buffer[from]) {
      case '+':
      case '-':
      case ':':
      case '_':
      case ',':
      case '#':
      case '(':
        this.#missing--
        return 'read'
      case '$':
      case '!':
      case '=':
        return this.#string(from, end)
      case '*':
      case '~':
      case '>':
        return this.#aggregate(from, end, 1, 1)
      case '%':
        return this.#aggregate(from, end, 2, 1)
      // An attribute stands before a value and is none itself.
      case '|':
        return this.#aggregate(from, end, 2, 0)
      default:
        return 'fault'
    }
  }

  /** Most lines are short, and then looking at each character is quicker than a search. */
  #lineEnd(): number {
    const buffer = this.#buffer
    const near = Math.min(this.#at + SHORT_LINE_BYTES, buffer.length)
    for (let at = this.#at; at < near; at++) if (buffer.charCodeAt(at) === LF) return at
    return buffer.indexOf('\n', near)
  }

  #string(from: number, end: number): 'read' | 'fault' {
    const length = this.#number(from, end)
    if (length === undefined) return 'fault'
    this.#missing--
    if (length >= 0) this.#bodyLeft = length + 2
    return 'read'
  }

  #aggregate(from: number, end: number, factor: number, own: number): 'read' | 'fault' {
    const count = this.#number(from, end)
    if (count === undefined) return 'fault'
    this.#missing += Math.max(count, 0) * factor - own
    return 'read'
  }

  #number(from: number, end: number): number | undefined {
    // The usual number is small.
    const first = this.#buffer.charCodeAt(from + 1) - 48
    if (end === from + 3 && first >= 0 && first <= 9) return first
    const value = parseInt64(this.#buffer.slice(from + 1, end - 1))
    if (value === undefined || value < -1n || value > BigInt(MAX_COUNT)) return undefined
    return Number(value)
  }
}

const MESSAGES = new Set(['message', 'pmessage', 'smessage'])
const CONFIRMATIONS = new Set(
  ['subscribe', 'psubscribe', 'ssubscribe'].flatMap((word) => [
    word,
    word.replace(/subscribe$/, 'unsubscribe'),
  ]),
)

/** What a subscriber is sent, whatever it asked. */
export function isMessage(reply: string): boolean {
  return MESSAGES.has(firstWord(reply) ?? '')
}

/** One of the answers to a command that subscribes or unsubscribes. */
export function isConfirmation(reply: string): boolean {
  return CONFIRMATIONS.has(firstWord(reply) ?? '')
}

/** The first word of an array or a push: `message`, `subscribe`; undefined if it begins differently. */
function firstWord(reply: string): string | undefined {
  return /^[*>]\d+\r\n\$\d+\r\n([a-z]+)\r\n/.exec(reply)?.[1]
}
