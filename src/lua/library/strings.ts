/** `string.*`, besides patterns and formats. */
import type { Native, NativeCode, NativeResult } from '../machine/functions.ts'
import type { Machine } from '../machine/machine.ts'
import { MAX_STRING_BYTES } from '../machine/operations.ts'
import type { LuaValue } from '../values.ts'
import {
  argumentError,
  checkRoom,
  checkStack,
  intAt,
  integerAt,
  optionalInteger,
  textAt,
} from './arguments.ts'
import { format } from './format.ts'
import { addLibrary } from './library.ts'
import { MATCHING } from './matching.ts'

const FUNCTIONS: Record<string, NativeCode> = {
  ...MATCHING,
  byte,
  char,
  dump: (_args, native) => {
    throw native.fail('unable to dump given function')
  },
  format,
  len: (args, native) => textAt(native, args, 0).length,
  lower: (args, native) => changed(native, textAt(native, args, 0), /[A-Z]+/g, 'toLowerCase'),
  upper: (args, native) => changed(native, textAt(native, args, 0), /[a-z]+/g, 'toUpperCase'),
  rep,
  reverse: (args, native) => {
    const text = textAt(native, args, 0)
    checkRoom(native, text.length * 8)
    native.spend(text.length)
    return [...text].reverse().join('')
  },
  sub,
}

export function addStrings(machine: Machine): void {
  machine.stringMeta.set('__index', addLibrary(machine, 'string', FUNCTIONS))
}

/** Only letters of ASCII have another case. */
function changed(
  native: Native,
  text: string,
  letters: RegExp,
  change: 'toLowerCase' | 'toUpperCase',
): string {
  native.spend(text.length)
  return text.replace(letters, (found) => found[change]())
}

function sub(args: LuaValue[], native: Native): NativeResult {
  const text = textAt(native, args, 0)
  const { length } = text
  const first = positionOf(integerAt(native, args, 1), length)
  const last = positionOf(optionalInteger(native, args, 2, -1), length)
  return text.slice(Math.max(first, 1) - 1, Math.max(Math.min(last, length), 0))
}

/** Negative: from the end. */
function positionOf(at: number, length: number): number {
  return at < 0 ? Math.max(at + length + 1, 0) : at
}

function rep(args: LuaValue[], native: Native): NativeResult {
  const text = textAt(native, args, 0)
  const count = intAt(native, args, 1)
  if (count <= 0 || text === '') return ''
  if (text.length * count > MAX_STRING_BYTES) throw native.fail('not enough memory')
  checkRoom(native, text.length * count)
  native.spend((text.length * count) >> 8)
  return text.repeat(count)
}

function byte(args: LuaValue[], native: Native): NativeResult {
  const text = textAt(native, args, 0)
  const first = positionOf(optionalInteger(native, args, 1, 1), text.length)
  const last = positionOf(optionalInteger(native, args, 2, first), text.length)
  const from = Math.max(first, 1)
  const to = Math.min(last, text.length)
  checkStack(native, args, to - from + 1, 'string slice too long')
  const codes: number[] = []
  for (let at = from; at <= to; at++) codes.push(text.charCodeAt(at - 1))
  native.spend(codes.length)
  return codes
}

function char(args: LuaValue[], native: Native): NativeResult {
  native.spend(args.length)
  let text = ''
  for (let at = 0; at < args.length; at++) {
    const code = intAt(native, args, at)
    if (code < 0 || code > 255) throw argumentError(native, at, 'invalid value')
    text += String.fromCharCode(code)
  }
  return text
}
