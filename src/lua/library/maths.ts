/** `math.*`. Random numbers are those of drand48, from a fixed beginning, as Redis has them. */
import type { Native, NativeCode, NativeResult } from '../machine/functions.ts'
import type { Machine } from '../machine/machine.ts'
import { power } from '../machine/operators.ts'
import type { LuaValue } from '../values.ts'
import { argumentError, intAt, numberAt, truncated } from './arguments.ts'
import { addLibrary } from './library.ts'

const MULTIPLIER = 0x5deece66dn
const INCREMENT = 0xbn
const MASK = (1n << 48n) - 1n
const SEED_END = 0x330en
const FIRST_STATE = 0x1234abcd330en
const MAX_RANDOM = 2 ** 31 - 1

const OF_ONE: Record<string, (value: number) => number> = {
  abs: Math.abs,
  acos: Math.acos,
  asin: Math.asin,
  atan: Math.atan,
  ceil: Math.ceil,
  cos: Math.cos,
  cosh: Math.cosh,
  exp: Math.exp,
  floor: Math.floor,
  log: Math.log,
  log10: Math.log10,
  sin: Math.sin,
  sinh: Math.sinh,
  sqrt: Math.sqrt,
  tan: Math.tan,
  tanh: Math.tanh,
  deg: (value) => value / (Math.PI / 180),
  rad: (value) => value * (Math.PI / 180),
}

export function addMaths(machine: Machine): void {
  const functions: Record<string, NativeCode> = { ...random(), ...PLAIN }
  for (const [name, compute] of Object.entries(OF_ONE)) {
    functions[name] = (args, native) => compute(numberAt(native, args, 0))
  }
  addLibrary(machine, 'math', functions, { pi: Math.PI, huge: Number.POSITIVE_INFINITY })
}

/** C looks at the second argument first, and complains of it first. */
function ofTwo(compute: (a: number, b: number) => number): NativeCode {
  return (args, native) => {
    const second = numberAt(native, args, 1)
    return compute(numberAt(native, args, 0), second)
  }
}

const remainder = ofTwo((a, b) => a % b)

const PLAIN: Record<string, NativeCode> = {
  atan2: ofTwo(Math.atan2),
  fmod: remainder,
  mod: remainder,
  pow: ofTwo(power),
  ldexp: ofTwo((a, b) => timesPowerOfTwo(a, truncated(b) | 0)),
  frexp: (args, native) => fractionAndExponent(numberAt(native, args, 0)),
  modf: (args, native) => {
    const value = numberAt(native, args, 0)
    const whole = Math.trunc(value)
    if (Number.isNaN(value)) return [value, value]
    const fraction = Number.isFinite(value) ? Math.abs(value - whole) : 0
    // The fraction has the sign of the number, also where it is 0.
    return [whole, value < 0 || Object.is(value, -0) ? -fraction : fraction]
  },
  // A NaN is neither more nor less, in Lua and here; Math.max and Math.min would answer it.
  // biome-ignore lint/complexity/useMathMinMax: see above.
  max: (args, native) => reduced(args, native, (most, value) => (value > most ? value : most)),
  // biome-ignore lint/complexity/useMathMinMax: see above.
  min: (args, native) => reduced(args, native, (least, value) => (value < least ? value : least)),
}

function reduced(
  args: LuaValue[],
  native: Native,
  choose: (best: number, value: number) => number,
): number {
  let best = numberAt(native, args, 0)
  for (let at = 1; at < args.length; at++) best = choose(best, numberAt(native, args, at))
  return best
}

/** In two steps, because 2^1074 is no double. */
function timesPowerOfTwo(value: number, exponent: number): number {
  const bounded = Math.max(Math.min(exponent, 2200), -2200)
  const half = Math.trunc(bounded / 2)
  return value * 2 ** half * 2 ** (bounded - half)
}

function fractionAndExponent(value: number): NativeResult {
  if (value === 0 || !Number.isFinite(value)) return [value, 0]
  let exponent = Math.max(-1023, Math.floor(Math.log2(Math.abs(value))) + 1)
  let fraction = timesPowerOfTwo(value, -exponent)
  while (Math.abs(fraction) < 0.5) {
    fraction *= 2
    exponent--
  }
  while (Math.abs(fraction) >= 1) {
    fraction /= 2
    exponent++
  }
  return [fraction, exponent]
}

function random(): Record<string, NativeCode> {
  let state = FIRST_STATE
  const draw = () => {
    state = (state * MULTIPLIER + INCREMENT) & MASK
    return (Number(state >> 17n) % MAX_RANDOM) / MAX_RANDOM
  }
  return {
    randomseed: (args, native) => {
      const seed = BigInt(intAt(native, args, 0))
      state = ((seed & 0xffffffffn) << 16n) | SEED_END
      return []
    },
    random: (args, native) => {
      const drawn = draw()
      if (args.length === 0) return drawn
      if (args.length > 2) throw native.fail('wrong number of arguments')
      const low = args.length === 1 ? 1 : intAt(native, args, 0)
      const high = intAt(native, args, args.length - 1)
      if (low > high) throw argumentError(native, args.length - 1, 'interval is empty')
      return Math.floor(drawn * (high - low + 1)) + low
    },
  }
}
