/** `string.find`, `match`, `gmatch` and `gsub`. */
import {
  CallRequest,
  Closure,
  inSteps,
  type Native,
  type NativeCode,
  NativeFunction,
  type NativeResult,
  type StepGenerator,
} from '../machine/functions.ts'
import { toText } from '../machine/operators.ts'
import { LuaTable } from '../table.ts'
import { isTrue, type LuaValue, typeName } from '../values.ts'
import { argumentError, checkRoom, intAt, optionalInteger, textAt } from './arguments.ts'
import { BadPattern, Matcher } from './pattern.ts'

/** Steps of a match between two moments at which it may be interrupted. */
const SLICE = 20_000
/** What an attempt costs besides, in instructions of the machine. */
const ATTEMPT_STEPS = 4
/** One instruction of the machine takes about as long as this many. */
const STEPS_PER_INSTRUCTION = 1
const SPECIALS = /[\^$*+?.([%-]/

export const MATCHING: Record<string, NativeCode> = {
  find: (args, native) => search(args, native, true),
  match: (args, native) => search(args, native, false),
  gmatch,
  gfind: gmatch,
  gsub: (args, native) => inSteps(guarded(native, substitute(args, native))),
}

/** Where a search begins: counted from 1, or from the end if negative. */
function startOf(native: Native, args: readonly LuaValue[], length: number): number {
  const start = optionalInteger(native, args, 2, 1)
  const from = start < 0 ? Math.max(start + length, 0) : Math.max(start - 1, 0)
  return Math.min(from, length)
}

function search(args: LuaValue[], native: Native, isFind: boolean): NativeResult {
  const text = textAt(native, args, 0)
  const pattern = textAt(native, args, 1)
  const from = startOf(native, args, text.length)
  if (isFind && (isTrue(args[3]) || !SPECIALS.test(pattern))) {
    native.spend((text.length - from) >> 6)
    const at = text.indexOf(pattern, from)
    return at < 0 ? undefined : [at + 1, at + pattern.length]
  }
  return inSteps(guarded(native, searchSteps(native, text, pattern, from, isFind)))
}

function* searchSteps(
  native: Native,
  text: string,
  pattern: string,
  from: number,
  isFind: boolean,
): StepGenerator {
  const matcher = new Matcher(text, pattern)
  const isAnchored = pattern.startsWith('^')
  for (let at = from; at <= text.length; at++) {
    const end = yield* matchAt(native, matcher, at, isAnchored ? 1 : 0)
    if (end >= 0) {
      if (!isFind) return matcher.allCaptures(at, end)
      const captures = matcher.captures === 0 ? [] : matcher.allCaptures(at, end)
      return [at + 1, end, ...captures]
    }
    if (isAnchored) break
  }
  return undefined
}

/** Where the match that begins at `s` ends; -1: there is none. */
function* matchAt(
  native: Native,
  matcher: Matcher,
  s: number,
  p: number,
): Generator<'pause', number, LuaValue[]> {
  matcher.start(s, p)
  for (;;) {
    const before = matcher.spent
    const end = matcher.run(SLICE)
    native.spend(ATTEMPT_STEPS + (matcher.spent - before) / STEPS_PER_INSTRUCTION)
    if (end !== undefined) {
      if (matcher.spent < SLICE) return end
      matcher.spent = 0
      yield 'pause'
      return end
    }
    yield 'pause'
  }
}

/** Faults of the pattern become errors of the script. */
function* guarded(native: Native, steps: StepGenerator): StepGenerator {
  try {
    return yield* steps
  } catch (fault) {
    if (fault instanceof BadPattern) throw native.fail(fault.message)
    throw fault
  }
}

function gmatch(args: LuaValue[], native: Native): NativeResult {
  const text = textAt(native, args, 0)
  const pattern = textAt(native, args, 1)
  const matcher = new Matcher(text, pattern)
  const state = { from: 0 }
  return native.native('gmatch step', () =>
    inSteps(guarded(native, nextMatch(native, matcher, state))),
  )
}

function* nextMatch(native: Native, matcher: Matcher, state: { from: number }): StepGenerator {
  for (let at = state.from; at <= matcher.text.length; at++) {
    const end = yield* matchAt(native, matcher, at, 0)
    if (end < 0) continue
    state.from = end === at ? end + 1 : end
    return matcher.allCaptures(at, end)
  }
  state.from = matcher.text.length + 1
  return undefined
}

function* substitute(args: LuaValue[], native: Native): StepGenerator {
  const text = textAt(native, args, 0)
  const pattern = textAt(native, args, 1)
  const [, , replacement] = args
  const isText = typeof replacement === 'string' || typeof replacement === 'number'
  const isFunction = replacement instanceof Closure || replacement instanceof NativeFunction
  if (!isText && !isFunction && !(replacement instanceof LuaTable)) {
    throw argumentError(native, 2, 'string/function/table expected')
  }
  const most = args[3] === undefined ? text.length + 1 : intAt(native, args, 3)
  const isAnchored = pattern.startsWith('^')
  const matcher = new Matcher(text, pattern)
  const pieces: string[] = []
  let [at, count, bytes] = [0, 0, 0]
  while (count < most) {
    const end = yield* matchAt(native, matcher, at, isAnchored ? 1 : 0)
    if (end >= 0) {
      count++
      const piece = yield* replaced(native, matcher, replacement, at, end)
      pieces.push(piece)
      bytes += piece.length
      checkRoom(native, bytes)
    }
    if (end > at) at = end
    else if (at < text.length) pieces.push(text[at++] as string)
    else break
    if (isAnchored) break
  }
  pieces.push(text.slice(at))
  return [pieces.join(''), count]
}

function* replaced(
  native: Native,
  matcher: Matcher,
  replacement: LuaValue,
  at: number,
  end: number,
): Generator<CallRequest | 'pause', string, LuaValue[]> {
  if (replacement instanceof LuaTable) {
    const value = yield* looked(native, replacement, matcher.capture(0, at, end))
    return resultText(native, value, matcher.text.slice(at, end))
  }
  const text = toText(replacement)
  if (text !== undefined) return filled(text, matcher, at, end)
  const [value] = yield new CallRequest(replacement, matcher.allCaptures(at, end))
  return resultText(native, value, matcher.text.slice(at, end))
}

/** A field of a table, with `__index`. */
function* looked(
  native: Native,
  table: LuaTable,
  key: string | number,
): Generator<CallRequest, LuaValue, LuaValue[]> {
  let holder: LuaValue = table
  for (let loop = 0; loop < 100; loop++) {
    if (!(holder instanceof LuaTable)) break
    const value: LuaValue = holder.get(key)
    const handler: LuaValue = holder.metatable?.getString('__index', 0)
    if (value !== undefined || handler === undefined) return value
    if (handler instanceof Closure || handler instanceof NativeFunction) {
      const results: LuaValue[] = yield new CallRequest(handler, [holder, key])
      return results[0]
    }
    holder = handler
  }
  throw native.fail('loop in gettable')
}

/** Nothing and false keep the match. */
function resultText(native: Native, value: LuaValue, match: string): string {
  if (!isTrue(value)) return match
  const text = toText(value)
  if (text === undefined) throw native.fail(`invalid replacement value (a ${typeName(value)})`)
  return text
}

/**
 * `%1` is a capture, `%0` the match, and `%` before anything else that itself. C takes the NUL that ends
 * its string for the character after a last `%`.
 */
function filled(text: string, matcher: Matcher, at: number, end: number): string {
  if (!text.includes('%')) return text
  let result = ''
  for (let index = 0; index < text.length; index++) {
    const char = text[index] as string
    if (char !== '%') {
      result += char
      continue
    }
    const next = text[++index] ?? '\0'
    if (next < '0' || next > '9') result += next
    else if (next === '0') result += matcher.text.slice(at, end)
    else result += matcher.capture(Number(next) - 1, at, end)
  }
  return result
}
