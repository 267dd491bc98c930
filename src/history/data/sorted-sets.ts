/** Sorted sets. Scores are whole numbers and halves, whose texts are the same everywhere. */
import { type CommandRows, type Drawing, onValue, slice, unchanged } from './command-row.ts'
import type { HeldValue, ValueOf } from './holdings.ts'
import { drawKey, drawMember } from './vocabulary.ts'

type SortedSet = ValueOf<'zset'>

const key = ({ rng }: Drawing): string => drawKey(rng, 'zset')
const score = ({ rng }: Drawing): string => `${rng.below(40) / 2 - 4}`
const WAIT = '0.05'

export const SORTED_SETS: CommandRows = {
  ZADD: {
    kind: 'write',
    weight: 6,
    draw: (drawing) => {
      const option = drawing.rng.chance(1, 4) ? [drawing.rng.pick(['NX', 'XX', 'GT'])] : []
      return [key(drawing), ...option, score(drawing), drawMember(drawing.rng)]
    },
    apply: onValue('zset', (value, args) => {
      const [option, ...rest] = args
      const pairs = option === undefined || args.length % 2 === 0 ? args : rest
      const scores = new Map(value?.scores)
      let isChanged = false
      for (let at = 0; at < pairs.length; at += 2) {
        const member = pairs[at + 1] ?? ''
        const after = Number(pairs[at])
        if (isRefused(option, scores.get(member), after)) continue
        scores.set(member, after)
        isChanged = true
      }
      if (!isChanged) return unchanged(value, 0)
      // Whatever its score was: a member that is there already does not count.
      const told = scores.size - (value?.scores.size ?? 0)
      return { value: { type: 'zset', scores }, told }
    }),
  },
  ZINCRBY: {
    kind: 'write',
    weight: 4,
    draw: (drawing) => [key(drawing), score(drawing), drawMember(drawing.rng)],
    apply: onValue('zset', (value, [by, member = '']) => {
      const after = (value?.scores.get(member) ?? 0) + Number(by)
      const scores = new Map(value?.scores).set(member, after)
      return { value: { type: 'zset', scores }, told: `${after}` }
    }),
  },
  ZREM: {
    kind: 'write',
    weight: 2,
    draw: (drawing) => [key(drawing), drawMember(drawing.rng)],
    apply: onValue('zset', (value, members) => {
      const gone = members.filter((member) => value?.scores.has(member))
      if (value === undefined || gone.length === 0) return unchanged(value, 0)
      return { value: without(value, gone), told: gone.length }
    }),
  },
  ZPOPMIN: {
    kind: 'write',
    weight: 2,
    draw: (drawing) => [key(drawing)],
    apply: onValue('zset', (value) => {
      const first = ranked(value)[0]
      if (value === undefined || first === undefined) return unchanged(value, [])
      return { value: without(value, [first[0]]), told: [first[0], `${first[1]}`] }
    }),
  },
  BZPOPMAX: {
    kind: 'write',
    isBlocking: true,
    weight: 2,
    draw: (drawing) => [key(drawing), WAIT],
    apply: onValue('zset', (value) => {
      const last = ranked(value).at(-1)
      if (value === undefined || last === undefined) return unchanged(value, null)
      const [member, at] = last
      return {
        value: without(value, [member]),
        told: (told) => Array.isArray(told) && told[1] === member && told[2] === `${at}`,
      }
    }),
  },
  ZREMRANGEBYRANK: {
    kind: 'write',
    weight: 1,
    draw: (drawing) => [key(drawing), '0', '1'],
    apply: onValue('zset', (value, [from, to]) => {
      const gone = slice(ranked(value), from, to)
      if (value === undefined || gone.length === 0) return unchanged(value, 0)
      return {
        value: without(
          value,
          gone.map(([member]) => member),
        ),
        told: gone.length,
      }
    }),
  },
  ZCARD: {
    kind: 'read',
    weight: 1,
    draw: (drawing) => [key(drawing)],
    apply: onValue('zset', (value) => unchanged(value, value?.scores.size ?? 0)),
  },
  ZSCORE: {
    kind: 'read',
    weight: 1,
    draw: (drawing) => [key(drawing), drawMember(drawing.rng)],
    apply: onValue('zset', (value, [member = '']) => {
      const at = value?.scores.get(member)
      return unchanged(value, at === undefined ? null : `${at}`)
    }),
  },
  ZRANGE: {
    kind: 'read',
    weight: 3,
    draw: (drawing) => [key(drawing), '0', '-1', 'WITHSCORES'],
    apply: onValue('zset', (value, [from, to]) =>
      unchanged(
        value,
        slice(ranked(value), from, to).flatMap(([member, at]) => [member, `${at}`]),
      ),
    ),
  },
}

function isRefused(option: string | undefined, before: number | undefined, after: number): boolean {
  if (option === 'NX') return before !== undefined
  if (option === 'XX') return before === undefined
  return option === 'GT' && before !== undefined && after <= before
}

/** By score, then by member, byte for byte. */
function ranked(value: SortedSet | undefined): readonly (readonly [string, number])[] {
  const byMember = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
  return [...(value?.scores ?? [])].sort((a, b) => a[1] - b[1] || byMember(a[0], b[0]))
}

function without({ scores }: SortedSet, gone: readonly string[]): HeldValue | null {
  const left = new Map(scores)
  for (const member of gone) left.delete(member)
  return left.size === 0 ? null : { type: 'zset', scores: left }
}
