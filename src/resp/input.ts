/**
 * Bytes as they come in, read as the two things RESP is made of: lines and counted strings. A token
 * that arrives in pieces is kept as a list and joined once, and only new bytes are searched for the
 * end of a line; so a value of many megabytes, or a header that trickles in, costs linear time.
 */

import { assert } from '../base/assert.ts'

/** A request or reply line longer than this is not one. */
export const MAX_LINE_BYTES = 64 * 1024

/**
 * The longest value. Redis' own limit, 512 MiB, is a little more than a JavaScript string can hold, and
 * a value has to fit into one together with its header and the chunk its last byte arrives in.
 */
export const MAX_BULK_BYTES = 511 * 1024 * 1024

/** What may wait to be read: it has to fit into one string, and so has a request made of it. */
export const MAX_UNREAD_BYTES = MAX_BULK_BYTES + 512 * 1024

export type Line = string | 'waiting' | 'tooLong'

export class Input {
  #buffer = ''
  #at = 0
  /** The beginning of the token that was asked for and is not here yet. The buffer is empty then. */
  #pieces: string[] = []
  #piecesBytes = 0
  /** What completes the pieces: this many bytes, or (when 0) this terminator. */
  #wantedBytes = 0
  #terminator = '\n'
  #receivedBytes = 0

  /** All bytes ever pushed. */
  get receivedBytes(): number {
    return this.#receivedBytes
  }

  /** All bytes ever read. */
  get readBytes(): number {
    return this.#receivedBytes - this.unreadBytes
  }

  get unreadBytes(): number {
    return this.#piecesBytes + this.#buffer.length - this.#at
  }

  /** True while nothing can be read: the input is at its end, or a token has not arrived whole. */
  get isStarved(): boolean {
    return this.#at >= this.#buffer.length
  }

  /** The caller sees to it that no more than `MAX_UNREAD_BYTES` are left unread. */
  push(bytes: string): void {
    assert(this.unreadBytes + bytes.length <= MAX_UNREAD_BYTES, 'the input fits into one string')
    this.#receivedBytes += bytes.length
    if (this.#piecesBytes > 0) this.#complete(bytes)
    else if (this.isStarved) this.#reset(bytes)
    else this.#reset(this.#rest() + bytes)
  }

  /** The code of the next byte; NaN at the end of the input. */
  peek(): number {
    return this.#buffer.charCodeAt(this.#at)
  }

  skip(count: number): void {
    this.#at += count
  }

  /**
   * The common header, a type byte and a small length, without looking for the end of its line first.
   * Undefined (and nothing read) when it looks in any way different: then it is read as a line.
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
   * Reads to `terminator` and drops it together with `dropped` bytes that must follow it and are not
   * looked at. `tooLong` is the same answer whether the rest of the line is here or not.
   */
  readLine(terminator: '\r' | '\n', dropped: 0 | 1): Line {
    const start = this.#at
    const end = this.#buffer.indexOf(terminator, start)
    const length = (end < 0 ? this.#buffer.length : end) - start
    if (length > MAX_LINE_BYTES) return 'tooLong'
    if (end < 0 || end + dropped >= this.#buffer.length) return this.#waitForLine(terminator, end)
    this.#at = end + 1 + dropped
    return this.#buffer.slice(start, end)
  }

  /** Whether `count` bytes and the two after them are here; if not, nothing can be read until they are. */
  hasBulk(count: number): boolean {
    if (this.#at + count + 2 <= this.#buffer.length) return true
    this.#wantedBytes = count + 2
    this.#park()
    return false
  }

  /** Only after `hasBulk`: whether the two bytes after these `count` are the CRLF they ought to be. */
  isBulkTerminated(count: number): boolean {
    return this.#buffer.startsWith('\r\n', this.#at + count)
  }

  /** Only after `hasBulk`: reads `count` bytes and drops the two after them, whatever they are. */
  takeBulk(count: number): string {
    const start = this.#at
    this.#at = start + count + 2
    return detached(this.#buffer, start, start + count)
  }

  /** Everything unread, which counts as read from now on. */
  takeRest(): string {
    const rest = this.#piecesBytes > 0 ? this.#pieces.join('') : this.#rest()
    this.#clearPieces()
    this.#reset('')
    return rest
  }

  #rest(): string {
    return this.#at === 0 ? this.#buffer : this.#buffer.slice(this.#at)
  }

  #reset(bytes: string): void {
    this.#buffer = bytes
    this.#at = 0
  }

  #waitForLine(terminator: '\r' | '\n', foundAt: number): 'waiting' {
    // With the terminator here, only the byte to drop after it is missing.
    this.#wantedBytes = foundAt < 0 ? 0 : this.#buffer.length - this.#at + 1
    this.#terminator = terminator
    this.#park()
    return 'waiting'
  }

  #park(): void {
    if (this.isStarved) return
    this.#pieces.push(this.#rest())
    this.#piecesBytes = this.#buffer.length - this.#at
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
    this.#reset(this.#pieces.join(''))
    this.#clearPieces()
  }

  #clearPieces(): void {
    this.#pieces = []
    this.#piecesBytes = 0
    this.#wantedBytes = 0
  }
}

/** A slice may keep its whole parent alive. Below this share of the parent we pay for a copy. */
const MIN_SHARE = 1 / 4

/**
 * A part of `buffer` that may be stored for long. Engines implement `slice` as a view, so that one
 * small value could hold on to the 64 KiB it arrived in; joining with a byte and cutting that off again
 * makes a copy of its own.
 */
function detached(buffer: string, start: number, end: number): string {
  const view = buffer.slice(start, end)
  if (view.length < 13 || view.length >= buffer.length * MIN_SHARE) return view
  return ` ${view}`.slice(1)
}
