/** `cjson.*`; its settings are those of all scripts, as in Redis. */
import { anyAt, argumentError, integerAt, textAt } from '../../../lua/library/arguments.ts'
import { addLibrary } from '../../../lua/library/library.ts'
import type { Native, NativeCode, NativeResult } from '../../../lua/machine/functions.ts'
import type { Machine } from '../../../lua/machine/machine.ts'
import { isTrue, type LuaValue, Opaque } from '../../../lua/values.ts'
import { JsonReader } from './json-reader.ts'
import { type JsonSettings, JsonWriter } from './json-writer.ts'

const MAX_INT = 2 ** 31 - 1

export function addJson(machine: Machine): void {
  const nothing = new Opaque(machine.heap)
  const settings: JsonSettings = {
    convertsSparse: false,
    sparseRatio: 2,
    sparseSafe: 10,
    encodeDepth: 1000,
    decodeDepth: 1000,
    precision: 14,
    keepsBuffer: true,
    encodesInvalid: false,
    decodesInvalid: true,
  }
  const functions = { ...coding(settings, nothing), ...settingFunctions(settings) }
  addLibrary(machine, 'cjson', functions, { null: nothing, _NAME: 'cjson', _VERSION: '2.1.0' })
}

function coding(settings: JsonSettings, nothing: Opaque): Record<string, NativeCode> {
  return {
    encode: (args, native) => {
      if (args.length !== 1) throw argumentError(native, 0, 'expected 1 argument')
      return new JsonWriter(native, settings).write(anyAt(native, args, 0))
    },
    decode: (args, native) => {
      if (args.length !== 1) throw argumentError(native, 0, 'expected 1 argument')
      const text = textAt(native, args, 0)
      if (text.length >= 2 && (text[0] === '\0' || text[1] === '\0')) {
        throw native.fail('JSON parser does not support UTF-16 or UTF-32')
      }
      native.spend(text.length)
      return new JsonReader(native, settings, nothing, text).read()
    },
    new: (_args, native) => {
      const table = native.newTable()
      const own = { ...settings }
      for (const [name, code] of Object.entries({
        ...coding(own, nothing),
        ...settingFunctions(own),
      })) {
        table.set(name, native.native(name, code))
      }
      table.set('null', nothing)
      table.set('_NAME', 'cjson')
      table.set('_VERSION', '2.1.0')
      return table
    },
  }
}

function settingFunctions(settings: JsonSettings): Record<string, NativeCode> {
  return {
    encode_sparse_array: (args, native) => {
      settings.convertsSparse = switched(native, args, 0, settings.convertsSparse)
      settings.sparseRatio = bounded(native, args, 1, settings.sparseRatio, 0)
      settings.sparseSafe = bounded(native, args, 2, settings.sparseSafe, 0)
      return [settings.convertsSparse, settings.sparseRatio, settings.sparseSafe]
    },
    encode_max_depth: (args, native) => {
      settings.encodeDepth = bounded(native, args, 0, settings.encodeDepth, 1)
      return settings.encodeDepth
    },
    decode_max_depth: (args, native) => {
      settings.decodeDepth = bounded(native, args, 0, settings.decodeDepth, 1)
      return settings.decodeDepth
    },
    encode_number_precision: (args, native) => {
      settings.precision = bounded(native, args, 0, settings.precision, 1, 14)
      return settings.precision
    },
    encode_keep_buffer: (args, native) => {
      settings.keepsBuffer = switched(native, args, 0, settings.keepsBuffer)
      return settings.keepsBuffer
    },
    encode_invalid_numbers: (args, native) => invalidNumbers(settings, args, native),
    decode_invalid_numbers: (args, native) => {
      settings.decodesInvalid = switched(native, args, 0, settings.decodesInvalid)
      return settings.decodesInvalid
    },
  }
}

function invalidNumbers(settings: JsonSettings, args: LuaValue[], native: Native): NativeResult {
  if (args[0] === 'null') settings.encodesInvalid = 'null'
  else if (args[0] !== undefined) settings.encodesInvalid = switched(native, args, 0, false)
  return settings.encodesInvalid
}

function switched(native: Native, args: readonly LuaValue[], at: number, now: boolean): boolean {
  const value = args[at]
  if (value === undefined) return now
  if (value === 'on' || value === 'off') return value === 'on'
  if (typeof value === 'string') throw argumentError(native, at, `invalid option '${value}'`)
  return isTrue(value)
}

/** Nesting is bounded in any case, because writing and reading are recursive. */
function bounded(
  native: Native,
  args: readonly LuaValue[],
  at: number,
  now: number,
  least: number,
  most = MAX_INT,
): number {
  if (args[at] === undefined) return now
  const value = integerAt(native, args, at)
  if (value < least || value > most) {
    throw argumentError(native, at, `expected integer between ${least} and ${most}`)
  }
  return Math.min(value, MAX_DEPTH)
}

const MAX_DEPTH = 2000
