/** `bit.*`: operations on 32 bits, as Lua BitOp does them. */
import { argumentError, numberAt } from '../../../lua/library/arguments.ts'
import { addLibrary } from '../../../lua/library/library.ts'
import type { Native, NativeCode } from '../../../lua/machine/functions.ts'
import type { Machine } from '../../../lua/machine/machine.ts'
import type { LuaValue } from '../../../lua/values.ts'

const MAX_DIGITS = 8

export function addBit(machine: Machine): void {
  addLibrary(machine, 'bit', {
    tobit: (args, native) => bitsAt(native, args, 0),
    bnot: (args, native) => ~bitsAt(native, args, 0),
    band: folded((a, b) => a & b),
    bor: folded((a, b) => a | b),
    bxor: folded((a, b) => a ^ b),
    lshift: shifted((a, by) => a << by),
    rshift: shifted((a, by) => (a >>> by) | 0),
    arshift: shifted((a, by) => a >> by),
    rol: shifted((a, by) => (a << by) | (a >>> (32 - by))),
    ror: shifted((a, by) => (a << (32 - by)) | (a >>> by)),
    bswap: (args, native) => swapped(bitsAt(native, args, 0)),
    tohex,
  })
}

/** The nearest whole number, a tie to the even one, and of it the lowest 32 bits. */
function bitsAt(native: Native, args: readonly LuaValue[], at: number): number {
  const value = numberAt(native, args, at)
  if (!Number.isFinite(value)) return 0
  const floor = Math.floor(value)
  const rest = value - floor
  const isUp = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0)
  return (isUp ? floor + 1 : floor) | 0
}

function folded(operate: (a: number, b: number) => number): NativeCode {
  return (args, native) => {
    let result = bitsAt(native, args, 0)
    for (let at = 1; at < args.length; at++) result = operate(result, bitsAt(native, args, at))
    return result | 0
  }
}

function shifted(operate: (a: number, by: number) => number): NativeCode {
  return (args, native) => {
    const value = bitsAt(native, args, 0)
    return operate(value, bitsAt(native, args, 1) & 31) | 0
  }
}

function swapped(value: number): number {
  const bytes = [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
  return bytes.reduceRight((result, byte) => (result << 8) | byte, 0)
}

function tohex(args: LuaValue[], native: Native): string {
  if (args.length === 0) throw argumentError(native, 0, 'number expected, got no value')
  const text = (bitsAt(native, args, 0) >>> 0).toString(16).padStart(MAX_DIGITS, '0')
  const wanted = args.length < 2 ? MAX_DIGITS : bitsAt(native, args, 1)
  const shown = text.slice(MAX_DIGITS - Math.min(Math.abs(wanted), MAX_DIGITS))
  return wanted < 0 ? shown.toUpperCase() : shown
}
