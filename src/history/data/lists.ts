/** Lists, the blocking commands among them: a client that is alone with its keys is served or waits in vain. */
import {
  type Application,
  type CommandRows,
  type Drawing,
  isWrongType,
  type Outcome,
  only,
  onValue,
  placeOf,
  put,
  slice,
  unchanged,
  valueAt,
} from './command-row.ts'
import { type HeldValue, selectedOf } from './holdings.ts'
import { drawKey, drawText } from './vocabulary.ts'

const key = ({ rng }: Drawing): string => drawKey(rng, 'list')
/** Short: a client gives up after a second. */
const WAIT = '0.05'

export const LISTS: CommandRows = {
  RPUSH: {
    kind: 'write',
    weight: 7,
    draw: (drawing) => [key(drawing), ...drawElements(drawing)],
    apply: onValue('list', (value, more) => grown([...(value?.items ?? []), ...more])),
  },
  LPUSH: {
    kind: 'write',
    weight: 5,
    draw: (drawing) => [key(drawing), `${drawing.unique}a`, `${drawing.unique}b`],
    apply: onValue('list', (value, more) => grown([...more.toReversed(), ...(value?.items ?? [])])),
  },
  RPUSHX: {
    kind: 'write',
    weight: 1,
    draw: (drawing) => [key(drawing), `${drawing.unique}`],
    apply: onValue('list', (value, more) =>
      value === undefined ? unchanged(value, 0) : grown([...value.items, ...more]),
    ),
  },
  LPOP: {
    kind: 'write',
    weight: 4,
    draw: (drawing) => [key(drawing)],
    apply: onValue('list', (value) =>
      value === undefined
        ? unchanged(value, null)
        : { value: listOrNone(value.items.slice(1)), told: value.items[0] ?? null },
    ),
  },
  RPOP: {
    kind: 'write',
    weight: 3,
    draw: (drawing) => [key(drawing), '2'],
    apply: onValue('list', (value, [count]) => {
      if (value === undefined) return unchanged(value, null)
      const taken = value.items.slice(-Number(count)).toReversed()
      return { value: listOrNone(value.items.slice(0, -Number(count))), told: taken }
    }),
  },
  BLPOP: {
    kind: 'write',
    isBlocking: true,
    weight: 3,
    draw: (drawing) => [key(drawing), WAIT],
    apply: onValue('list', (value) =>
      value === undefined
        ? unchanged(value, null)
        : {
            value: listOrNone(value.items.slice(1)),
            told: (told) => Array.isArray(told) && told[1] === value.items[0],
          },
    ),
  },
  LMOVE: {
    kind: 'write',
    keys: (args) => args.slice(0, 2),
    weight: 4,
    draw: ({ rng }) => ['l1', 'l2', rng.pick(['LEFT', 'RIGHT']), rng.pick(['LEFT', 'RIGHT'])],
    apply: moved,
  },
  BLMOVE: {
    kind: 'write',
    isBlocking: true,
    keys: (args) => args.slice(0, 2),
    weight: 2,
    draw: ({ rng }) => ['l2', 'l1', rng.pick(['LEFT', 'RIGHT']), rng.pick(['LEFT', 'RIGHT']), WAIT],
    apply: moved,
  },
  LTRIM: {
    kind: 'write',
    weight: 4,
    draw: (drawing) => [key(drawing), `${drawing.rng.below(3)}`, `${4 + drawing.rng.below(20)}`],
    apply: onValue('list', (value, [from, to]) =>
      value === undefined
        ? unchanged(value, 'OK')
        : { value: listOrNone(slice(value.items, from, to)), told: 'OK' },
    ),
  },
  LSET: {
    kind: 'write',
    weight: 2,
    draw: (drawing) => [key(drawing), `${drawing.rng.below(3)}`, drawText(drawing)],
    apply: onValue('list', (value, [index, text = '']) => {
      if (value === undefined) return unchanged(value, { error: 'ERR no such key' })
      const at = placeOf(index, value.items.length)
      if (at < 0 || at >= value.items.length) {
        return unchanged(value, { error: 'ERR index out of range' })
      }
      return { value: { type: 'list', items: value.items.with(at, text) }, told: 'OK' }
    }),
  },
  LREM: {
    kind: 'write',
    weight: 1,
    draw: (drawing) => [key(drawing), '0', `${drawing.unique - 2}a`],
    apply: onValue('list', (value, [, text]) => {
      if (value === undefined) return unchanged(value, 0)
      const items = value.items.filter((item) => item !== text)
      return { value: listOrNone(items), told: value.items.length - items.length }
    }),
  },
  LINSERT: {
    kind: 'write',
    weight: 2,
    draw: (drawing) => [key(drawing), 'BEFORE', `${drawing.unique - 1}a`, `i${drawing.unique}`],
    apply: onValue('list', (value, [, pivot = '', text = '']) => {
      if (value === undefined) return unchanged(value, 0)
      const at = value.items.indexOf(pivot)
      if (at < 0) return unchanged(value, -1)
      return grown(value.items.toSpliced(at, 0, text))
    }),
  },
  LLEN: {
    kind: 'read',
    weight: 1,
    draw: (drawing) => [key(drawing)],
    apply: onValue('list', (value) => unchanged(value, value?.items.length ?? 0)),
  },
  LRANGE: {
    kind: 'read',
    weight: 3,
    draw: (drawing) => [key(drawing), '0', '-1'],
    apply: onValue('list', (value, [from, to]) =>
      unchanged(value, slice(value?.items ?? [], from, to)),
    ),
  },
}

function drawElements({ rng, unique }: Drawing): readonly string[] {
  if (rng.chance(1, 80)) return Array.from({ length: 250 }, (_, at) => `${unique}:${at}`)
  return Array.from({ length: 1 + rng.below(3) }, (_, at) => `${unique}${'abc'[at]}`)
}

function grown(items: readonly string[]) {
  return { value: { type: 'list', items } as const, told: items.length }
}

function listOrNone(items: readonly string[]): HeldValue | null {
  return items.length === 0 ? null : { type: 'list', items }
}

function moved({ holdings, args }: Application): readonly Outcome[] {
  const [from = '', to = '', takeAt, putAt] = args
  const source = valueAt(holdings, from, 'list')
  if (source === undefined) return only(holdings, null)
  const target = valueAt(holdings, to, 'list')
  if (isWrongType(source) || isWrongType(target)) return only(holdings, { error: 'WRONGTYPE' })
  const taken = (takeAt === 'LEFT' ? source.items[0] : source.items.at(-1)) ?? ''
  const left = takeAt === 'LEFT' ? source.items.slice(1) : source.items.slice(0, -1)
  const before = from === to ? left : (target?.items ?? [])
  const after = putAt === 'LEFT' ? [taken, ...before] : [...before, taken]
  const dies = selectedOf(holdings).get(to)?.dies
  const rest = listOrNone(left)
  const sourceDies = selectedOf(holdings).get(from)?.dies
  const without = put(holdings, from, rest === null ? undefined : { value: rest, dies: sourceDies })
  return only(put(without, to, { value: { type: 'list', items: after }, dies }), taken)
}
