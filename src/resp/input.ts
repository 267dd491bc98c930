/**
 * Bytes as they come in, read as the two things RESP is made of: lines and counted strings. A token
 * that arrives in pieces is kept as a list and joined once, and only new bytes are searched for the
 * end of a line; so a value of many megabytes, or a header that trickles in, costs linear time. A value
 * that came in long pieces is not even copied: it stays a sum of them until somebody looks into it.
 */

import { assert } from '../base/assert.ts'

/** A longer line is neither a request nor a reply. */
const MAX_LINE_BYTES = 64 * 1024

/**
 * The longest value. Redis' own limit, 512 MiB, is a little more than a JavaScript string can hold, and
 * a value has to fit into one together with its header and the chunk its last byte arrives in.
 */
export const MAX_BULK_BYTES: number = 511 * 1024 * 1024

/** How much may wait to be read: it has to fit into one string, and so does a request made of it. */
export const MAX_UNREAD_BYTES: number = MAX_BULK_BYTES + 512 * 1024

/** What every client may send in one request, logged in or not, and nearly all requests have. */
export const USUAL_WORDS = 9
export const USUAL_BULK_BYTES = 16_384

const ASTERISK = 42
const DOLLAR = 36
const RETURN = 13
const ZERO = 48
const NINE = 57

/** Words that exist already as texts of their own, so that they need not be copied out of the input. */
export interface KnownWords {
  /** The request that begins at this place of what was pushed last is about to be read. */
  requestBegins(place: number): void
  /** The word that begins at this place; undefined if it is not known. */
  wordAt(place: number): string | undefined
}

export type InputLine = string | 'waiting' | 'tooLong'

export class RespInput {
  #buffer = ''
  #at = 0
  /** The beginning of the requested token, whose rest has not arrived. The buffer is empty then. */
  #pieces: string[] = []
  #piecesBytes = 0
  /** What completes the pieces: this many bytes, or (when 0) this terminator. */
  #wantedBytes = 0
  #terminator = '\n'
  #receivedBytes = 0
  /** The beginning of a counted string that is here; the buffer goes on with the rest of it. */
  #head = ''
  /** Where in the buffer begins what was pushed last. */
  #pushedAt = 0

  /** How many bytes have been pushed in all. */
  get receivedBytes(): number {
    return this.#receivedBytes
  }

  /** How many bytes have been read in all. */
  get readBytes(): number {
    return this.#receivedBytes - this.unreadBytes
  }

  get unreadBytes(): number {
    return this.#piecesBytes + this.#head.length + this.#buffer.length - this.#at
  }

  /** How much is missing of the counted string that was asked for with `hasBulk`; 0 if none is. */
  get awaitedBytes(): number {
    return Math.max(0, this.#wantedBytes - this.#piecesBytes)
  }

  /** What has been pushed and not read, at most as long as what may wait. */
  get unread(): string {
    return this.#piecesBytes > 0 ? this.#pieces.join('') : this.#rest()
  }

  /** True while nothing can be read: the input is at its end, or a token has not arrived completely. */
  get isStarved(): boolean {
    return this.#at >= this.#buffer.length
  }

  /** The caller ensures that no more than `MAX_UNREAD_BYTES` are left unread. */
  push(bytes: string): void {
    assert(this.unreadBytes + bytes.length <= MAX_UNREAD_BYTES, 'the input fits into one string')
    this.#receivedBytes += bytes.length
    if (this.#piecesBytes > 0) this.#complete(bytes)
    else {
      this.#wantedBytes = 0
      this.#reset(this.isStarved ? bytes : this.#rest() + bytes)
    }
    this.#pushedAt = this.#buffer.length - bytes.length
  }

  /** The code of the next byte; NaN at the end of the input. */
  peek(): number {
    return this.#buffer.charCodeAt(this.#at)
  }

  skip(count: number): void {
    this.#at += count
  }

  /**
   * Reads the common header, a type byte and a small length, without searching for the end of its
   * line first. Undefined (and nothing read) if it looks different in any way: then it is read as a
   * line.
   */
  readSmallLength(): number | undefined {
    const buffer = this.#buffer
    let at = this.#at + 1
    let code = buffer.charCodeAt(at)
    if (code < 49 || code > 57) return undefined
    let value = 0
    while (code >= 48 && code <= 57 && value < 100_000_000) {
      value = value * 10 + code - 48
      code = buffer.charCodeAt(++at)
    }
    if (code !== 13 || at + 1 >= buffer.length) return undefined
    this.#at = at + 2
    return value
  }

  /**
   * Reads a whole request in its usual form: up to `most` words (of at most two digits) that are not long, all
   * here. Undefined (and nothing read) if it looks different in any way: then it is read step by step.
   */
  takeRequest(most: number, known?: KnownWords): string[] | undefined {
    const buffer = this.#buffer
    let count = buffer.charCodeAt(this.#at + 1) - ZERO
    if (buffer.charCodeAt(this.#at) !== ASTERISK || !(count >= 1 && count <= 9)) return undefined
    let at = this.#at + 2
    if (buffer.charCodeAt(at) !== RETURN) {
      const digit = buffer.charCodeAt(at++) - ZERO
      if (!(digit >= 0 && digit <= 9) || buffer.charCodeAt(at) !== RETURN) return undefined
      count = 10 * count + digit
    }
    if (count > most) return undefined
    known?.requestBegins(this.#at - this.#pushedAt)
    const words = new Array<string>(count)
    at += 2
    for (let word = 0; word < count; word++) {
      if (buffer.charCodeAt(at) !== DOLLAR) return undefined
      let code = buffer.charCodeAt(++at)
      if (code === ZERO) return undefined
      let length = 0
      for (
        ;
        code >= ZERO && code <= NINE && length <= USUAL_BULK_BYTES;
        code = buffer.charCodeAt(at)
      ) {
        length = length * 10 + code - ZERO
        at++
      }
      const start = at + 2
      at = start + length + 2
      if (code !== RETURN || length === 0 || length > USUAL_BULK_BYTES) return undefined
      if (at > buffer.length) return undefined
      words[word] = this.#word(start, length, known)
    }
    this.#at = at
    return words
  }

  #word(start: number, length: number, known: KnownWords | undefined): string {
    if (length <= SHORT_WORD_BYTES) return shortWord(this.#buffer, start, length)
    const word = known?.wordAt(start - this.#pushedAt)
    return word?.length === length ? word : detached(this.#buffer, start, start + length)
  }

  /**
   * Reads up to `terminator` and drops it, together with `dropped` bytes that must follow it and are
   * not checked. The answer `tooLong` does not depend on whether the rest of the line has arrived.
   */
  readLine(terminator: '\r' | '\n', dropped: 0 | 1): InputLine {
    const start = this.#at
    const end = this.#buffer.indexOf(terminator, start)
    const length = (end < 0 ? this.#buffer.length : end) - start
    if (length > MAX_LINE_BYTES) return 'tooLong'
    if (end < 0 || end + dropped >= this.#buffer.length) return this.#waitForLine(terminator, end)
    this.#at = end + 1 + dropped
    return this.#buffer.slice(start, end)
  }

  /**
   * Whether `count` bytes and the two after them have arrived; if not, nothing can be read until they
   * have.
   */
  hasBulk(count: number): boolean {
    if (this.#head.length + this.#buffer.length - this.#at >= count + 2) return true
    this.#wantedBytes = count + 2
    this.#park()
    return false
  }

  /**
   * Call only after `hasBulk`: whether the two bytes after these `count` are the CRLF they ought to
   * be.
   */
  isBulkTerminated(count: number): boolean {
    return this.#buffer.startsWith('\r\n', this.#at + count - this.#head.length)
  }

  /** Call only after `hasBulk`: reads `count` bytes and drops the two after them, whatever they are. */
  takeBulk(count: number): string {
    const head = this.#head
    const start = this.#at
    const end = start + count - head.length
    this.#at = end + 2
    if (head === '') return detached(this.#buffer, start, end)
    this.#head = ''
    return head + detached(this.#buffer, start, end)
  }

  /** Everything unread; it counts as read from now on. */
  takeRest(): string {
    const rest = this.unread
    this.#clearPieces()
    this.#reset('')
    return rest
  }

  #rest(): string {
    return this.#head + (this.#at === 0 ? this.#buffer : this.#buffer.slice(this.#at))
  }

  #reset(bytes: string): void {
    this.#head = ''
    this.#buffer = bytes
    this.#at = 0
  }

  #waitForLine(terminator: '\r' | '\n', foundAt: number): 'waiting' {
    // The terminator is here; only the byte to drop after it is missing.
    this.#wantedBytes = foundAt < 0 ? 0 : this.#buffer.length - this.#at + 1
    this.#terminator = terminator
    this.#park()
    return 'waiting'
  }

  #park(): void {
    if (this.isStarved) return
    const rest =
      this.#head === '' ? detached(this.#buffer, this.#at, this.#buffer.length) : this.#rest()
    this.#pieces.push(rest)
    this.#piecesBytes = rest.length
    this.#reset('')
  }

  #complete(bytes: string): void {
    this.#pieces.push(bytes)
    this.#piecesBytes += bytes.length
    const isComplete =
      this.#wantedBytes > 0
        ? this.#piecesBytes >= this.#wantedBytes
        : bytes.includes(this.#terminator) || this.#piecesBytes > MAX_LINE_BYTES
    if (!isComplete) return
    const headBytes = this.#piecesBytes - bytes.length
    if (this.#isLong(headBytes)) {
      this.#pieces.pop()
      this.#reset(bytes)
      this.#head = sumOf(this.#pieces)
    } else this.#reset(this.#pieces.join(''))
    this.#clearPieces()
  }

  /** Whether these many bytes are the beginning of a counted string, in pieces so long that their sum is cheap. */
  #isLong(headBytes: number): boolean {
    const isInValue = headBytes <= this.#wantedBytes - 2
    return isInValue && headBytes >= LONG_PIECE_BYTES * (this.#pieces.length - 1)
  }

  #clearPieces(): void {
    this.#pieces = []
    this.#piecesBytes = 0
    this.#wantedBytes = 0
  }
}

/** Joining costs more than a node of a sum only for pieces that are longer than this on the average. */
const LONG_PIECE_BYTES = 16 * 1024

/** One text, for which the engine copies none of the pieces. */
function sumOf(pieces: readonly string[]): string {
  let sum = ''
  for (const piece of pieces) sum += piece
  return sum
}

/** Longer words are rarely the same as one that came a moment ago. */
export const SHORT_WORD_BYTES = 8
/** A power of two. */
const KNOWN_WORDS = 1024

/**
 * Short words that came lately, each at the place that its bytes choose: names of commands, options, and values such as
 * numbers and flags come again and again. The text that is here already need not be made, nor collected if it is
 * stored; the collector never copies it, and its hash is known.
 */
const knownWords: string[] = new Array<string>(KNOWN_WORDS).fill('')

function shortWord(buffer: string, start: number, length: number): string {
  let mixed = length
  for (let at = start; at < start + length; at++) mixed = 31 * mixed + buffer.charCodeAt(at)
  const place = (mixed ^ (mixed >>> 10)) & (KNOWN_WORDS - 1)
  const known = knownWords[place] as string
  if (stands(known, buffer, start, length)) return known
  const word = buffer.slice(start, start + length)
  knownWords[place] = word
  return word
}

/** Whether the word stands there, with this length. */
function stands(word: string, buffer: string, start: number, length: number): boolean {
  if (word.length !== length) return false
  for (let at = 0; at < length; at++) {
    if (word.charCodeAt(at) !== buffer.charCodeAt(start + at)) return false
  }
  return true
}

/**
 * A slice may keep its whole parent alive. If it is a smaller share of the parent than this, we pay
 * for a copy.
 */
const MIN_SHARE = 1 / 4

/**
 * A part of `buffer` that may be stored for long. Engines implement `slice` as a view, so one small
 * value could keep alive the 64 KiB it arrived in; prepending a byte and cutting it off again makes an
 * independent copy.
 */
function detached(buffer: string, start: number, end: number): string {
  const length = end - start
  if (length < MIN_VIEW || length >= buffer.length * MIN_SHARE) return buffer.slice(start, end)
  return laidOut(buffer.charAt(start), buffer.slice(start + 1, end))
}

/** The same text, without keeping alive the longer text it was cut from. */
export function ownCopy(text: string): string {
  return text.length < MIN_VIEW ? text : laidOut(text.charAt(0), text.slice(1))
}

/** Engines never make a view of so short a text. */
const MIN_VIEW = 13

/**
 * The two as one independent text. Adding them would give a pair that points at both, and a view of that:
 * 32 bytes more for each text we keep.
 */
function laidOut(first: string, rest: string): string {
  return [first, rest].join('')
}
