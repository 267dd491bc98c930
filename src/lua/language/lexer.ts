/** Cuts a chunk into tokens, with the errors of Lua 5.1. */
import { parseNumber } from '../number-text.ts'

export type TokenKind = 'name' | 'string' | 'number' | 'end' | 'symbol'

export interface Token {
  readonly kind: TokenKind
  /** For a symbol or keyword its text, for a name its letters, for a string its contents. */
  readonly text: string
  readonly value: number
  /** As errors quote it. */
  readonly shown: string
}

const KEYWORDS = new Set(
  (
    'and break do else elseif end false for function if in local nil not or repeat return then true ' +
    'until while'
  ).split(' '),
)
const SYMBOLS = /\.\.\.|\.\.|==|~=|<=|>=|[+\-*/%^#<>=(){}[\];:,.]/y
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y
const NUMBER = /(?:\d|\.\d)[\d.]*(?:[Ee][+-]?)?[A-Za-z0-9_]*/y
const BLANK = /[ \t\v\f]+/y
const ESCAPES: Record<string, string> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

export class SyntaxFault extends Error {}

/** Lines are counted in an `int`; a chunk of that many is refused long before. */
const NUL = 'char(0)'
const MAX_SHOWN = 80

export class Lexer {
  /** The line of the token that `next` returned last. */
  line = 1
  readonly #text: string
  readonly #name: string
  #at = 0

  /** `name`: of the chunk, as errors begin. */
  constructor(text: string, name: string) {
    this.#text = text
    this.#name = name
  }

  next(): Token {
    this.#skipBlanks()
    const first = this.#text[this.#at]
    if (first === undefined) return token('end', '<eof>')
    if (first === '"' || first === "'") return this.#string(first)
    const bracket = first === '[' ? this.#longBracket() : undefined
    if (bracket !== undefined) {
      const contents = this.#longText(bracket, 'unfinished long string')
      return { kind: 'string', text: contents, value: 0, shown: contents }
    }
    const name = this.#match(NAME)
    if (name !== undefined) return token(KEYWORDS.has(name) ? 'symbol' : 'name', name)
    const number = this.#match(NUMBER)
    if (number !== undefined) return this.#number(number)
    return this.#symbol(first)
  }

  /** `near`: the text at which it was noticed, if one is to be quoted. */
  fail(message: string, near?: string): never {
    // The number of a NUL is also that of no token, so Lua 5.1 names no place there.
    const isKnown = near !== undefined && near !== NUL
    const place = isKnown ? ` near '${near.slice(0, MAX_SHOWN)}'` : ''
    throw new SyntaxFault(`${this.#name}:${this.line}: ${message}${place}`)
  }

  #symbol(first: string): Token {
    const symbol = this.#match(SYMBOLS)
    if (symbol !== undefined) return token('symbol', symbol)
    this.#at++
    const code = first.charCodeAt(0)
    return token('symbol', code < 32 || code === 127 ? `char(${code})` : first)
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const text = pattern.exec(this.#text)?.[0]
    if (text !== undefined) this.#at += text.length
    return text
  }

  #number(text: string): Token {
    const value = parseNumber(text)
    if (value === undefined) this.fail('malformed number', text)
    return { kind: 'number', text, value, shown: text }
  }

  #skipBlanks(): void {
    for (;;) {
      this.#match(BLANK)
      const char = this.#text[this.#at]
      if (char === '\n' || char === '\r') this.#lineBreak()
      else if (char === '-' && this.#text[this.#at + 1] === '-') this.#comment()
      else return
    }
  }

  /** Two different characters in a row are one break. */
  #lineBreak(): void {
    const first = this.#text[this.#at++]
    const second = this.#text[this.#at]
    if ((second === '\n' || second === '\r') && second !== first) this.#at++
    this.line++
  }

  #comment(): void {
    this.#at += 2
    const level = this.#text[this.#at] === '[' ? this.#longBracket(true) : undefined
    if (level !== undefined) {
      this.#longText(level, 'unfinished long comment')
      return
    }
    while (this.#at < this.#text.length && !/[\n\r]/.test(this.#text[this.#at] as string))
      this.#at++
  }

  /** Steps over `[[` or `[==[` and returns how many signs are in between. */
  #longBracket(isComment = false): number | undefined {
    let at = this.#at + 1
    while (this.#text[at] === '=') at++
    const level = at - this.#at - 1
    if (this.#text[at] === '[') {
      this.#at = at + 1
      return level
    }
    if (level > 0 && !isComment) {
      this.fail('invalid long string delimiter', this.#text.slice(this.#at, at))
    }
    return undefined
  }

  #longText(level: number, unfinished: string): string {
    if (/[\n\r]/.test(this.#text[this.#at] ?? '')) this.#lineBreak()
    const close = `]${'='.repeat(level)}]`
    const end = this.#text.indexOf(close, this.#at)
    let text = ''
    for (let from = this.#at; ; from = this.#at) {
      while (this.#at < this.#text.length && this.#at !== end && !this.#isBreak()) this.#at++
      text += this.#text.slice(from, this.#at)
      if (this.#at >= this.#text.length) this.fail(unfinished, '<eof>')
      if (this.#at === end) break
      this.#lineBreak()
      text += '\n'
    }
    this.#at += close.length
    return text
  }

  #isBreak(): boolean {
    const code = this.#text.charCodeAt(this.#at)
    return code === 10 || code === 13
  }

  #string(quote: string): Token {
    const start = this.#at++
    let text = ''
    for (;;) {
      const char = this.#text[this.#at]
      if (char === undefined) this.fail('unfinished string', '<eof>')
      if (char === '\n' || char === '\r') this.fail('unfinished string', quote + text)
      if (char === quote) break
      if (char === '\\') {
        text += this.#escape(quote + text)
      } else {
        text += char
        this.#at++
      }
    }
    this.#at++
    return { kind: 'string', text, value: 0, shown: this.#text.slice(start, this.#at) }
  }

  #escape(before: string): string {
    this.#at++
    const char = this.#text[this.#at]
    if (char === undefined) return ''
    if (char === '\n' || char === '\r') {
      this.#lineBreak()
      return '\n'
    }
    const digits = /^\d{1,3}/.exec(this.#text.slice(this.#at, this.#at + 3))?.[0]
    if (digits === undefined) {
      this.#at++
      return ESCAPES[char] ?? char
    }
    this.#at += digits.length
    if (Number(digits) > 255) this.fail('escape sequence too large', before)
    return String.fromCharCode(Number(digits))
  }
}

function token(kind: TokenKind, text: string): Token {
  return { kind, text, value: 0, shown: text }
}
