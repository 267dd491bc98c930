/**
 * Patterns of Lua 5.1. What can still be tried is kept in a list, not in calls, so a match that
 * takes very long can stop and go on later, and a long pattern needs no deep stack.
 */

const MAX_CAPTURES = 32
const OPEN = -1
const POSITION = -2
const PERCENT = 37

/** Entries of the list: what to do when everything after it has failed. */
const TRY_FEWER = 0
const TRY_MORE = 1
const TRY_WITHOUT = 2
const UNDO_START = 3
const UNDO_END = 4
const ENTRY = 4

export class BadPattern extends Error {}

export class Matcher {
  readonly text: string
  /** The steps of all runs; the caller may set them back. */
  spent = 0
  readonly #pattern: string
  /** Where captures begin, and how long they are. */
  #starts: number[] = []
  #lengths: number[] = []
  #level = 0
  #choices: number[] = []
  #s = 0
  #p = 0
  #left = 0

  constructor(text: string, pattern: string) {
    this.text = text
    this.#pattern = pattern
  }

  /** Begins at these places of text and pattern. */
  start(s: number, p: number): void {
    this.#level = 0
    this.#choices = []
    this.#s = s
    this.#p = p
  }

  /** Where the match ends; -1: there is none; undefined: not known after so many steps. */
  run(steps: number): number | undefined {
    this.#left = steps
    const end = this.#go()
    this.spent += steps - this.#left
    return end
  }

  #go(): number | undefined {
    for (; this.#left > 0; this.#left--) {
      if (this.#p >= this.#pattern.length) return this.#s
      const outcome = this.#item()
      if (outcome === 'matched') return this.#s
      if (outcome === 'failed' && !this.#back()) return -1
    }
    return undefined
  }

  get captures(): number {
    return this.#level
  }

  /** A capture as it is given to scripts; the whole match if there are none and `at` is 0. */
  capture(at: number, from: number, to: number): string | number {
    if (at >= this.#level) {
      if (at === 0) return this.text.slice(from, to)
      throw new BadPattern('invalid capture index')
    }
    const start = this.#starts[at] as number
    const length = this.#lengths[at] as number
    if (length === OPEN) throw new BadPattern('unfinished capture')
    return length === POSITION ? start + 1 : this.text.slice(start, start + length)
  }

  /** All captures, or the whole match. */
  allCaptures(from: number, to: number): (string | number)[] {
    const values: (string | number)[] = []
    for (let at = 0; at < Math.max(this.#level, 1); at++) values.push(this.capture(at, from, to))
    return values
  }

  /** One item of the pattern. */
  #item(): 'next' | 'failed' | 'matched' {
    const pattern = this.#pattern
    const p = this.#p
    switch (pattern[p]) {
      case '(':
        return this.#startCapture()
      case ')':
        return this.#endCapture()
      case '$':
        if (p + 1 !== pattern.length) break
        return this.#s === this.text.length ? 'matched' : 'failed'
      case '%': {
        const next = pattern[p + 1]
        if (next === 'b') return this.#balance()
        if (next === 'f') return this.#frontier()
        if (next !== undefined && next >= '0' && next <= '9') return this.#backReference(next)
      }
    }
    return this.#single(p)
  }

  #single(p: number): 'next' | 'failed' {
    const end = this.#classEnd(p)
    const s = this.#s
    switch (this.#pattern[end]) {
      case '?':
        if (this.#matches(s, p, end)) {
          this.#choices.push(TRY_WITHOUT, s, end + 1, 0)
          this.#s++
        }
        this.#p = end + 1
        return 'next'
      case '*':
        return this.#most(s, p, end, 0)
      case '+':
        return this.#most(s, p, end, 1)
      case '-':
        this.#choices.push(TRY_MORE, s, p, end)
        this.#p = end + 1
        return 'next'
      default:
        if (!this.#matches(s, p, end)) return 'failed'
        this.#s++
        this.#p = end
        return 'next'
    }
  }

  #most(s: number, p: number, end: number, least: number): 'next' | 'failed' {
    let count = 0
    while (this.#matches(s + count, p, end)) count++
    this.#left -= count >> 2
    if (count < least) return 'failed'
    if (count > least) this.#choices.push(TRY_FEWER, s + least, s + count, end + 1)
    this.#s = s + count
    this.#p = end + 1
    return 'next'
  }

  /** Goes back to what can still be tried; false: there is nothing. */
  #back(): boolean {
    const choices = this.#choices
    while (choices.length > 0) {
      const at = choices.length - ENTRY
      const [kind, a = 0, b = 0, c = 0] = [
        choices[at],
        choices[at + 1],
        choices[at + 2],
        choices[at + 3],
      ]
      choices.length = at
      if (kind === UNDO_START) {
        this.#level--
      } else if (kind === UNDO_END) {
        this.#lengths[a] = OPEN
      } else if (kind === TRY_WITHOUT) {
        this.#s = a
        this.#p = b
        return true
      } else if (kind === TRY_FEWER) {
        if (b - 1 > a) choices.push(TRY_FEWER, a, b - 1, c)
        this.#s = b - 1
        this.#p = c
        return true
      } else if (this.#matches(a, b, c)) {
        choices.push(TRY_MORE, a + 1, b, c)
        this.#s = a + 1
        this.#p = c + 1
        return true
      }
    }
    return false
  }

  #startCapture(): 'next' {
    if (this.#level >= MAX_CAPTURES) throw new BadPattern('too many captures')
    const isPosition = this.#pattern[this.#p + 1] === ')'
    this.#starts[this.#level] = this.#s
    this.#lengths[this.#level] = isPosition ? POSITION : OPEN
    this.#level++
    this.#choices.push(UNDO_START, 0, 0, 0)
    this.#p += isPosition ? 2 : 1
    return 'next'
  }

  #endCapture(): 'next' {
    let at = this.#level - 1
    while (at >= 0 && this.#lengths[at] !== OPEN) at--
    if (at < 0) throw new BadPattern('invalid pattern capture')
    this.#lengths[at] = this.#s - (this.#starts[at] as number)
    this.#choices.push(UNDO_END, at, 0, 0)
    this.#p++
    return 'next'
  }

  #balance(): 'next' | 'failed' {
    const [open, close] = [this.#pattern[this.#p + 2], this.#pattern[this.#p + 3]]
    if (open === undefined || close === undefined) throw new BadPattern('unbalanced pattern')
    if (this.text[this.#s] !== open) return 'failed'
    let depth = 1
    this.#left -= (this.text.length - this.#s) >> 2
    for (let at = this.#s + 1; at < this.text.length; at++) {
      const char = this.text[at]
      if (char === close) {
        if (--depth === 0) {
          this.#s = at + 1
          this.#p += 4
          return 'next'
        }
      } else if (char === open) {
        depth++
      }
    }
    return 'failed'
  }

  #frontier(): 'next' | 'failed' {
    const p = this.#p + 2
    if (this.#pattern[p] !== '[') throw new BadPattern("missing '[' after '%f' in pattern")
    const end = this.#classEnd(p)
    const before = this.#s === 0 ? 0 : this.text.charCodeAt(this.#s - 1)
    const here = this.#s < this.text.length ? this.text.charCodeAt(this.#s) : 0
    if (this.#inSet(before, p, end - 1) || !this.#inSet(here, p, end - 1)) return 'failed'
    this.#p = end
    return 'next'
  }

  #backReference(digit: string): 'next' | 'failed' {
    const at = Number(digit) - 1
    if (at < 0 || at >= this.#level || this.#lengths[at] === OPEN) {
      throw new BadPattern('invalid capture index')
    }
    const start = this.#starts[at] as number
    const length = this.#lengths[at] as number
    // A position captures no text: C reads its mark as a length that no text has.
    if (length < 0) return 'failed'
    if (!this.text.startsWith(this.text.slice(start, start + length), this.#s)) return 'failed'
    this.#s += length
    this.#p += 2
    return 'next'
  }

  /** Behind the class that begins at `p`. */
  #classEnd(p: number): number {
    const pattern = this.#pattern
    let at = p + 1
    if (pattern[p] === '%') {
      if (at >= pattern.length) throw new BadPattern("malformed pattern (ends with '%')")
      return at + 1
    }
    if (pattern[p] !== '[') return at
    if (pattern[at] === '^') at++
    do {
      if (at >= pattern.length) throw new BadPattern("malformed pattern (missing ']')")
      if (pattern[at++] === '%' && at < pattern.length) at++
    } while (pattern[at] !== ']')
    return at + 1
  }

  #matches(s: number, p: number, end: number): boolean {
    if (s >= this.text.length) return false
    const code = this.text.charCodeAt(s)
    const first = this.#pattern.charCodeAt(p)
    if (first === 46) return true
    if (first === PERCENT) return isInClass(code, this.#pattern.charCodeAt(p + 1))
    if (first === 91) return this.#inSet(code, p, end - 1)
    return first === code
  }

  /** Whether the set from `[` at `p` to `]` at `end` holds the byte. */
  #inSet(code: number, p: number, end: number): boolean {
    const pattern = this.#pattern
    const isNegated = pattern[p + 1] === '^'
    let at = isNegated ? p + 2 : p + 1
    for (; at < end; at++) {
      const first = pattern.charCodeAt(at)
      if (first === PERCENT) {
        at++
        if (isInClass(code, pattern.charCodeAt(at))) return !isNegated
      } else if (pattern[at + 1] === '-' && at + 2 < end) {
        if (first <= code && code <= pattern.charCodeAt(at + 2)) return !isNegated
        at += 2
      } else if (first === code) {
        return !isNegated
      }
    }
    return isNegated
  }
}

/** A letter after a percent sign: a class, negated if it is a capital, or itself. */
function isInClass(code: number, letter: number): boolean {
  const lower = letter | 32
  const inClass = CLASSES[lower]
  if (inClass === undefined || letter < 65 || (letter > 90 && letter < 97)) return letter === code
  return inClass(code) === letter >= 97
}

const isLower = (code: number) => code >= 97 && code <= 122
const isUpper = (code: number) => code >= 65 && code <= 90
const isDigit = (code: number) => code >= 48 && code <= 57
const isAlpha = (code: number) => isLower(code | 32) && code < 128
const isAlnum = (code: number) => isAlpha(code) || isDigit(code)

/** By the code of their letter. */
const CLASSES: Record<number, (code: number) => boolean> = {
  97: isAlpha,
  99: (code) => code < 32 || code === 127,
  100: isDigit,
  108: isLower,
  112: (code) => code > 32 && code < 127 && !isAlnum(code),
  115: (code) => code === 32 || (code >= 9 && code <= 13),
  117: isUpper,
  119: isAlnum,
  120: (code) => isDigit(code) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102),
  122: (code) => code === 0,
}
