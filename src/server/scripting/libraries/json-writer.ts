/** From values to JSON, as lua-cjson 2.1 writes it. */
import { OutOfMemory } from '../../../lua/heap.ts'
import type { Native } from '../../../lua/machine/functions.ts'
import { generalText, NUMBER_DIGITS, numberText } from '../../../lua/number-text.ts'
import { LuaTable } from '../../../lua/table.ts'
import { type LuaError, type LuaValue, Opaque, typeName } from '../../../lua/values.ts'

export interface JsonSettings {
  /** Lists with too many holes become objects instead of errors. */
  convertsSparse: boolean
  sparseRatio: number
  sparseSafe: number
  encodeDepth: number
  decodeDepth: number
  precision: number
  keepsBuffer: boolean
  /** Whether nan and infinity are written; `null`: as null. */
  encodesInvalid: boolean | 'null'
  decodesInvalid: boolean
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON escapes
const SPECIAL = /[\0-\x1f"\\/\x7f]/g
const ESCAPES: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
}

export class JsonWriter {
  readonly #native: Native
  readonly #settings: JsonSettings
  #bytes = 0

  constructor(native: Native, settings: JsonSettings) {
    this.#native = native
    this.#settings = settings
  }

  write(value: LuaValue, depth = 0): string {
    const text = this.#text(value, depth)
    this.#bytes += text.length
    if (this.#bytes > 4 * this.#native.heap.limitBytes) throw new OutOfMemory()
    return text
  }

  #text(value: LuaValue, depth: number): string {
    switch (typeof value) {
      case 'undefined':
        return 'null'
      case 'boolean':
        return String(value)
      case 'number':
        return this.#number(value)
      case 'string':
        return quoted(value)
      default:
        if (value instanceof LuaTable) return this.#table(value, depth + 1)
        if (value instanceof Opaque) return 'null'
        throw this.#fail(value, 'type not supported')
    }
  }

  #number(value: number): string {
    const { encodesInvalid, precision } = this.#settings
    if (!Number.isFinite(value)) {
      if (encodesInvalid === 'null') return 'null'
      if (!encodesInvalid) throw this.#fail(value, 'must not be NaN or Inf')
      if (Number.isNaN(value)) return 'nan'
    }
    return precision === NUMBER_DIGITS ? numberText(value) : generalText(value, precision)
  }

  #table(table: LuaTable, depth: number): string {
    if (depth > this.#settings.encodeDepth) {
      throw this.#native.fail(`Cannot serialise, excessive nesting (${depth})`)
    }
    this.#native.spend(100)
    const length = this.#lengthOf(table)
    if (length > 0) {
      const items: string[] = []
      for (let at = 1; at <= length; at++) items.push(this.write(table.getNumber(at), depth))
      return `[${items.join(',')}]`
    }
    const fields: string[] = []
    for (const [key, value] of table.entries()) {
      fields.push(`${this.#key(table, key)}:${this.write(value, depth)}`)
    }
    return `{${fields.join(',')}}`
  }

  #key(_table: LuaTable, key: LuaValue): string {
    if (typeof key === 'string') return quoted(key)
    if (typeof key === 'number') return `"${this.#number(key)}"`
    throw this.#fail(key, 'table key must be a number or string')
  }

  /** The length of a list; 0: the table is an object. */
  #lengthOf(table: LuaTable): number {
    let most = 0
    let count = 0
    for (const [key] of table.entries()) {
      if (typeof key !== 'number' || key < 1 || !Number.isInteger(key)) return 0
      most = Math.max(most, key)
      count++
    }
    const { sparseRatio, sparseSafe, convertsSparse } = this.#settings
    if (sparseRatio > 0 && most > count * sparseRatio && most > sparseSafe) {
      if (!convertsSparse) throw this.#fail(table, 'excessively sparse array')
      return 0
    }
    return most
  }

  #fail(value: LuaValue, reason: string): LuaError {
    return this.#native.fail(`Cannot serialise ${typeName(value)}: ${reason}`)
  }
}

function quoted(text: string): string {
  return `"${text.replace(SPECIAL, escaped)}"`
}

function escaped(char: string): string {
  return ESCAPES[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}
