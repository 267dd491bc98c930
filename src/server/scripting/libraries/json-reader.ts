/** From JSON to values, with the errors of lua-cjson 2.1. */

import type { Native } from '../../../lua/machine/functions.ts'
import type { LuaError, LuaValue, Opaque } from '../../../lua/values.ts'
import type { JsonSettings } from './json-writer.ts'

const NUMBER = /[-+]?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|inf(?:inity)?|nan)/iy
const PLAIN_NUMBER = /[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y
const PLAIN_TEXT = /[^"\\\0]*/y
const ESCAPES: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}
// No character is as long.
const BAD_ESCAPE = 'invalid escape code'
const BAD_UNICODE = 'invalid unicode escape code'
const SIGNS: Record<string, string> = {
  '{': 'T_OBJ_BEGIN',
  '}': 'T_OBJ_END',
  '[': 'T_ARR_BEGIN',
  ']': 'T_ARR_END',
  ':': 'T_COLON',
  ',': 'T_COMMA',
}

interface JsonToken {
  readonly type: string
  readonly value: LuaValue
  readonly at: number
}

export class JsonReader {
  readonly #native: Native
  readonly #settings: JsonSettings
  readonly #null: Opaque
  readonly #text: string
  #at = 0
  #depth = 0

  constructor(native: Native, settings: JsonSettings, nothing: Opaque, text: string) {
    this.#native = native
    this.#settings = settings
    this.#null = nothing
    this.#text = text
  }

  read(): LuaValue {
    const value = this.#value(this.#next())
    const end = this.#next()
    if (end.type !== 'T_END') throw this.#unexpected('the end', end)
    return value
  }

  #value(token: JsonToken): LuaValue {
    switch (token.type) {
      case 'T_STRING':
      case 'T_NUMBER':
      case 'T_BOOLEAN':
      case 'T_NULL':
        return token.value
      case 'T_OBJ_BEGIN':
        return this.#deeper(() => this.#object())
      case 'T_ARR_BEGIN':
        return this.#deeper(() => this.#array())
      default:
        throw this.#unexpected('value', token)
    }
  }

  #deeper(read: () => LuaValue): LuaValue {
    if (++this.#depth > this.#settings.decodeDepth) {
      throw this.#native.fail(
        `Found too many nested data structures (${this.#depth}) at character ${this.#at}`,
      )
    }
    this.#native.spend(60)
    const value = read()
    this.#depth--
    return value
  }

  #object(): LuaValue {
    const table = this.#native.newTable()
    let token = this.#next()
    if (token.type === 'T_OBJ_END') return table
    for (;;) {
      if (token.type !== 'T_STRING') throw this.#unexpected('object key string', token)
      const key = token.value
      const colon = this.#next()
      if (colon.type !== 'T_COLON') throw this.#unexpected('colon', colon)
      table.set(key, this.#value(this.#next()))
      token = this.#next()
      if (token.type === 'T_OBJ_END') return table
      if (token.type !== 'T_COMMA') throw this.#unexpected('comma or object end', token)
      token = this.#next()
    }
  }

  #array(): LuaValue {
    const table = this.#native.newTable()
    let token = this.#next()
    if (token.type === 'T_ARR_END') return table
    for (let index = 1; ; index++) {
      table.setNumber(index, this.#value(token))
      token = this.#next()
      if (token.type === 'T_ARR_END') return table
      if (token.type !== 'T_COMMA') throw this.#unexpected('comma or array end', token)
      token = this.#next()
    }
  }

  #next(): JsonToken {
    while (/[ \t\n\r]/.test(this.#text[this.#at] ?? '')) this.#at++
    const at = this.#at
    const first = this.#text[at]
    if (first === undefined || (first === '\0' && at === this.#text.length)) {
      return { type: 'T_END', value: undefined, at }
    }
    const sign = SIGNS[first]
    if (sign !== undefined) {
      this.#at++
      return { type: sign, value: undefined, at }
    }
    if (first === '"') return this.#string(at)
    return this.#word(at) ?? this.#number(at) ?? invalid('invalid token', at)
  }

  #word(at: number): JsonToken | undefined {
    const words: readonly (readonly [string, string, LuaValue])[] = [
      ['true', 'T_BOOLEAN', true],
      ['false', 'T_BOOLEAN', false],
      ['null', 'T_NULL', this.#null],
    ]
    for (const [word, type, value] of words) {
      if (!this.#text.startsWith(word, at)) continue
      this.#at += word.length
      return { type, value, at }
    }
    return undefined
  }

  #number(at: number): JsonToken | undefined {
    const pattern = this.#settings.decodesInvalid ? NUMBER : PLAIN_NUMBER
    pattern.lastIndex = at
    const text = pattern.exec(this.#text)?.[0]
    const first = this.#text[at] as string
    if (text === undefined) return /[-\d]/.test(first) ? invalid('invalid number', at) : undefined
    if (first === '.') return undefined
    if (!this.#settings.decodesInvalid && /^-?0\d/.test(text)) return invalid('invalid number', at)
    this.#at += text.length
    return { type: 'T_NUMBER', value: numberOf(text), at }
  }

  #string(at: number): JsonToken {
    let text = ''
    this.#at++
    for (;;) {
      PLAIN_TEXT.lastIndex = this.#at
      const plain = PLAIN_TEXT.exec(this.#text)?.[0] ?? ''
      text += plain
      this.#at += plain.length
      const char = this.#text[this.#at]
      if (char === '"') break
      if (char === undefined) return invalid('unexpected end of string', this.#at)
      if (char === '\\') {
        const piece = this.#escape()
        if (piece === BAD_ESCAPE || piece === BAD_UNICODE) return invalid(piece, this.#at)
        text += piece
      } else {
        text += char
        this.#at++
      }
    }
    this.#at++
    this.#native.heap.charge(text.length + 24)
    return { type: 'T_STRING', value: text, at }
  }

  /** The character, or what is wrong with it. */
  #escape(): string {
    const letter = this.#text[this.#at + 1] ?? ''
    const char = ESCAPES[letter]
    if (char !== undefined) {
      this.#at += 2
      return char
    }
    if (letter !== 'u') return BAD_ESCAPE
    const high = this.#hex(this.#at + 2)
    if (high === undefined) return BAD_UNICODE
    if ((high & 0xf800) !== 0xd800) {
      this.#at += 6
      return utf8Encode(high)
    }
    // The second half must follow the first.
    const low = this.#text.startsWith('\\u', this.#at + 6) ? this.#hex(this.#at + 8) : undefined
    if ((high & 0x400) !== 0 || low === undefined || (low & 0xfc00) !== 0xdc00) return BAD_UNICODE
    this.#at += 12
    return utf8Encode(((high & 0x3ff) << 10) + (low & 0x3ff) + 0x10000)
  }

  #hex(at: number): number | undefined {
    const digits = this.#text.slice(at, at + 4)
    return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : undefined
  }

  #unexpected(wanted: string, token: JsonToken): LuaError {
    const found = token.type === 'T_ERROR' ? token.value : token.type
    return this.#native.fail(`Expected ${wanted} but found ${found} at character ${token.at + 1}`)
  }
}

function invalid(reason: string, at: number): JsonToken {
  return { type: 'T_ERROR', value: reason, at }
}

function numberOf(text: string): number {
  const lower = text.toLowerCase()
  if (lower.includes('nan')) return Number.NaN
  const sign = lower.startsWith('-') ? -1 : 1
  if (lower.includes('inf')) return sign * Number.POSITIVE_INFINITY
  return sign * Number(lower.replace(/^[-+]/, ''))
}

/** The bytes of a code point in UTF-8, as a byte string. */
function utf8Encode(code: number): string {
  if (code < 0x80) return String.fromCharCode(code)
  if (code < 0x800) return String.fromCharCode(0xc0 | (code >> 6), 0x80 | (code & 63))
  const last = [0x80 | ((code >> 6) & 63), 0x80 | (code & 63)]
  if (code < 0x10000) return String.fromCharCode(0xe0 | (code >> 12), ...last)
  return String.fromCharCode(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), ...last)
}
