/** Strings and counters. */
import {
  type Change,
  type CommandRows,
  type Drawing,
  isWrongType,
  only,
  onValue,
  placeOf,
  put,
  unchanged,
  valueAt,
} from './command-row.ts'
import { CLOCK_DOUBT_MS, type Holdings, type Span, selectedOf, type ValueOf } from './holdings.ts'
import type { Told } from './told.ts'
import { drawKey, drawPeriodMs, drawText } from './vocabulary.ts'

const NOT_A_NUMBER: Told = { error: 'ERR value is not an integer or out of range' }
const INTEGER = /^(0|-?[1-9]\d*)$/

type Text = ValueOf<'string'>

function textValue(text: string): Text {
  return { type: 'string', text }
}

/** When a key dies that was given this long. */
export function deathAfter(ms: number, at: Span): Span {
  return { fromMs: at.fromMs + ms - CLOCK_DOUBT_MS, untilMs: at.untilMs + ms + CLOCK_DOUBT_MS }
}

const text = ({ rng }: Drawing): string => drawKey(rng, 'string')
const number = ({ rng }: Drawing): string => drawKey(rng, 'number')

export const STRINGS: CommandRows = {
  SET: {
    kind: 'write',
    weight: 10,
    draw: (drawing) => [text(drawing), drawText(drawing), ...drawSetOptions(drawing)],
    apply: ({ holdings, args, at }) => {
      const [key = '', value = '', ...options] = args
      const before = selectedOf(holdings).get(key)
      if (options.includes('GET') && before !== undefined && before.value.type !== 'string') {
        return only(holdings, { error: 'WRONGTYPE' })
      }
      const old = before?.value.type === 'string' ? before.value.text : null
      const isRefused =
        (options.includes('NX') && before !== undefined) ||
        (options.includes('XX') && before === undefined)
      const told = options.includes('GET') ? old : isRefused ? null : 'OK'
      if (isRefused) return only(holdings, told)
      const period = options.indexOf('PX')
      const dies = options.includes('KEEPTTL')
        ? before?.dies
        : period < 0
          ? undefined
          : deathAfter(Number(options[period + 1]), at)
      return only(put(holdings, key, { value: textValue(value), dies }), told)
    },
  },
  GET: {
    kind: 'read',
    weight: 6,
    draw: (drawing) => [drawing.rng.chance(1, 2) ? text(drawing) : number(drawing)],
    apply: onValue('string', (value) => unchanged(value, value?.text ?? null)),
  },
  GETDEL: {
    kind: 'write',
    weight: 2,
    draw: (drawing) => [text(drawing)],
    apply: onValue('string', (value) => ({ value: null, told: value?.text ?? null })),
  },
  GETEX: {
    kind: 'write',
    weight: 2,
    draw: (drawing) => {
      const period = ['PX', `${drawPeriodMs(drawing)}`]
      return [text(drawing), ...(drawing.rng.chance(1, 2) ? period : ['PERSIST'])]
    },
    apply: onValue('string', (value, [option, ms], at) => {
      if (value === undefined) return unchanged(value, null)
      const dies = option === 'PX' ? deathAfter(Number(ms), at) : 'never'
      return { value, told: value.text, dies }
    }),
  },
  GETSET: {
    kind: 'write',
    weight: 2,
    draw: (drawing) => [text(drawing), drawText(drawing)],
    apply: onValue('string', (value, [after = '']) => ({
      value: textValue(after),
      told: value?.text ?? null,
      dies: 'never',
    })),
  },
  STRLEN: {
    kind: 'read',
    weight: 2,
    draw: (drawing) => [text(drawing)],
    apply: onValue('string', (value) => unchanged(value, value?.text.length ?? 0)),
  },
  APPEND: {
    kind: 'write',
    weight: 5,
    draw: (drawing) => [text(drawing), `+${drawing.unique}`],
    apply: onValue('string', (value, [more = '']) => {
      const after = `${value?.text ?? ''}${more}`
      return { value: textValue(after), told: after.length }
    }),
  },
  SETRANGE: {
    kind: 'write',
    weight: 2,
    draw: (drawing) => [text(drawing), `${drawing.rng.below(12)}`, `~${drawing.unique}`],
    apply: onValue('string', (value, [offset, more = '']) => {
      const at = Number(offset)
      const before = (value?.text ?? '').padEnd(at, '\0')
      const after = before.slice(0, at) + more + before.slice(at + more.length)
      return { value: textValue(after), told: after.length }
    }),
  },
  GETRANGE: {
    kind: 'read',
    weight: 1,
    draw: (drawing) => [text(drawing), `${drawing.rng.below(4)}`, '-2'],
    apply: onValue('string', (value, [from, to]) => {
      const { length } = value?.text ?? ''
      // An end before the first character is the first character, as in Redis.
      const [first, last] = [placeOf(from, length), Math.max(0, placeOf(to, length))]
      return unchanged(value, last < first ? '' : (value?.text ?? '').slice(first, last + 1))
    }),
  },
  INCR: {
    kind: 'write',
    weight: 8,
    draw: (drawing) => [number(drawing)],
    apply: onValue('string', (value) => added(value, '1', 1)),
  },
  INCRBY: {
    kind: 'write',
    weight: 4,
    draw: (drawing) => [number(drawing), `${drawing.rng.below(1_000) - 400}`],
    apply: onValue('string', (value, [by]) => added(value, by, 1)),
  },
  DECRBY: {
    kind: 'write',
    weight: 2,
    draw: (drawing) => [number(drawing), `${drawing.rng.below(1_000)}`],
    apply: onValue('string', (value, [by]) => added(value, by, -1)),
  },
  MSET: {
    kind: 'write',
    keys: (pairs) => pairs.filter((_, at) => at % 2 === 0),
    weight: 4,
    draw: (drawing) => ['s1', drawText(drawing), 's2', `${drawing.unique}`],
    apply: ({ holdings, args }) => only(setAll(holdings, args), 'OK'),
  },
  MSETNX: {
    kind: 'write',
    keys: (pairs) => pairs.filter((_, at) => at % 2 === 0),
    weight: 1,
    draw: (drawing) => ['s2', drawText(drawing), 'u1', `${drawing.unique}`],
    apply: ({ holdings, args }) => {
      const isFree = args.every((key, at) => at % 2 === 1 || !selectedOf(holdings).has(key))
      return isFree ? only(setAll(holdings, args), 1) : only(holdings, 0)
    },
  },
  MGET: {
    kind: 'read',
    keys: (keys) => keys,
    weight: 2,
    draw: () => ['s1', 's2', 'n1', 'u1'],
    apply: ({ holdings, args }) => {
      const values = args.map((key) => valueAt(holdings, key, 'string'))
      return only(
        holdings,
        values.map((value) => (value === undefined || isWrongType(value) ? null : value.text)),
      )
    },
  },
}

function drawSetOptions({ rng, ...rest }: Drawing): readonly string[] {
  const how = rng.below(12)
  if (how < 4) return []
  if (how < 8) return ['PX', `${drawPeriodMs({ rng, ...rest })}`]
  return [['KEEPTTL'], ['NX'], ['XX'], ['GET']][how - 8] ?? []
}

function added(value: Text | undefined, by: string | undefined, sign: 1 | -1): Change {
  const before = value?.text ?? '0'
  if (!INTEGER.test(before)) return unchanged(value, NOT_A_NUMBER)
  const after = Number(before) + sign * Number(by)
  return { value: textValue(`${after}`), told: after }
}

function setAll(holdings: Holdings, pairs: readonly string[]): Holdings {
  let after = holdings
  for (let at = 0; at < pairs.length; at += 2) {
    const value = textValue(pairs[at + 1] ?? '')
    after = put(after, pairs[at] ?? '', { value, dies: undefined })
  }
  return after
}
