/** Streams with one group. Ids are the client's own, and only rise. */
import { type Change, type CommandRows, type Drawing, onValue, unchanged } from './command-row.ts'
import type { HeldStreamEntry, StreamGroup, ValueOf } from './holdings.ts'
import type { Told } from './told.ts'
import { drawKey } from './vocabulary.ts'

type Stream = ValueOf<'stream'>

const GROUP = 'readers'
const key = ({ rng }: Drawing): string => drawKey(rng, 'stream')
const NO_STREAM: Omit<Stream, 'type'> = { entries: [], lastId: '0-0', groups: new Map() }
const TOO_SMALL: Told = { error: 'ERR The ID specified in XADD is equal or smaller' }
const NO_GROUP: Told = { error: 'NOGROUP' }
const READ_MAX = 3
const LENGTH_MAX = 12

export const STREAMS: CommandRows = {
  XADD: {
    kind: 'write',
    weight: 6,
    draw: (drawing) => [
      ...[key(drawing), 'MAXLEN', `${LENGTH_MAX}`, `${drawing.unique}-1`],
      ...['f', `${drawing.unique}`],
    ],
    apply: onValue('stream', (value, [, most, id = '', ...fields]) => {
      const before = value ?? NO_STREAM
      if (!isBefore(before.lastId, id)) return unchanged(value, TOO_SMALL)
      const entries = [...before.entries, { id, fields }].slice(-Number(most))
      return { value: { ...before, type: 'stream', entries, lastId: id }, told: id }
    }),
  },
  XDEL: {
    kind: 'write',
    weight: 2,
    draw: (drawing) => [key(drawing), `${drawing.unique - 1 - drawing.rng.below(20)}-1`],
    apply: onValue('stream', (value, [id]) => {
      if (value === undefined) return unchanged(value, 0)
      const entries = value.entries.filter((entry) => entry.id !== id)
      const told = value.entries.length - entries.length
      return told === 0 ? unchanged(value, 0) : { value: { ...value, entries }, told }
    }),
  },
  XTRIM: {
    kind: 'write',
    weight: 1,
    draw: (drawing) => [key(drawing), 'MAXLEN', `${3 + drawing.rng.below(5)}`],
    apply: onValue('stream', (value, [, most]) => {
      if (value === undefined) return unchanged(value, 0)
      const entries = value.entries.slice(-Number(most))
      const told = value.entries.length - entries.length
      return told === 0 ? unchanged(value, 0) : { value: { ...value, entries }, told }
    }),
  },
  'XGROUP CREATE': {
    kind: 'write',
    weight: 2,
    draw: (drawing) => [key(drawing), GROUP, drawing.rng.pick(['0', '0', '0-1']), 'MKSTREAM'],
    apply: onValue('stream', (value, [name = '', id = '']) => {
      const before = value ?? NO_STREAM
      if (before.groups.has(name)) return unchanged(value, { error: 'BUSYGROUP' })
      const group = { lastId: id, pending: new Map<string, string>() }
      const groups = new Map(before.groups).set(name, group)
      return { value: { ...before, type: 'stream', groups }, told: 'OK' }
    }),
  },
  XREADGROUP: {
    kind: 'write',
    isBlocking: true,
    keys: (args) => args.slice(-2, -1),
    weight: 4,
    draw: (drawing) => [
      ...['GROUP', GROUP, drawing.rng.pick(['one', 'two']), 'COUNT', `${READ_MAX}`],
      ...[...(drawing.rng.chance(1, 3) ? ['BLOCK', '50'] : []), 'STREAMS', key(drawing), '>'],
    ],
    apply: ({ args, ...rest }) => {
      const name = args.at(-2) ?? ''
      return readGroup({ ...rest, args: [name, args[2] ?? ''] })
    },
  },
  XACK: {
    kind: 'write',
    weight: 3,
    draw: (drawing) => {
      const ids = Array.from({ length: 30 }, (_, at) => `${drawing.unique - 1 - at}-1`)
      return [key(drawing), GROUP, ...ids]
    },
    apply: onValue('stream', (value, [name = '', ...ids]) => {
      const group = value?.groups.get(name)
      if (value === undefined || group === undefined) return unchanged(value, 0)
      const pending = new Map([...group.pending].filter(([id]) => !ids.includes(id)))
      const told = group.pending.size - pending.size
      return told === 0 ? unchanged(value, 0) : withGroup(value, { ...group, pending }, told)
    }),
  },
  XLEN: {
    kind: 'read',
    weight: 1,
    draw: (drawing) => [key(drawing)],
    apply: onValue('stream', (value) => unchanged(value, value?.entries.length ?? 0)),
  },
  XRANGE: {
    kind: 'read',
    weight: 2,
    draw: (drawing) => [key(drawing), '-', '+'],
    apply: onValue('stream', (value) => unchanged(value, toldEntries(value?.entries ?? []))),
  },
  XPENDING: {
    kind: 'read',
    weight: 2,
    draw: (drawing) => [key(drawing), GROUP],
    apply: onValue('stream', (value, [name = '']) => {
      const group = value?.groups.get(name)
      return unchanged(value, group === undefined ? NO_GROUP : toldPending(group))
    }),
  },
}

const readGroup = onValue('stream', (value, [consumer = '']) => {
  const group = value?.groups.get(GROUP)
  if (value === undefined || group === undefined) return unchanged(value, NO_GROUP)
  const fresh = value.entries.filter(({ id }) => isBefore(group.lastId, id)).slice(0, READ_MAX)
  if (fresh.length === 0) return unchanged(value, null)
  const pending = new Map(group.pending)
  for (const { id } of fresh) pending.set(id, consumer)
  const lastId = fresh.at(-1)?.id ?? ''
  const told = toldEntries(fresh)
  // The stream's name stands before its entries.
  return withGroup(value, { lastId, pending }, (all) => {
    const [stream] = Array.isArray(all) ? (all as readonly Told[]) : []
    return Array.isArray(stream) && JSON.stringify(stream[1]) === JSON.stringify(told)
  })
})

function withGroup(value: Stream, group: StreamGroup, told: Change['told']): Change {
  return { value: { ...value, groups: new Map(value.groups).set(GROUP, group) }, told }
}

function toldEntries(entries: readonly HeldStreamEntry[]): Told {
  return entries.map(({ id, fields }) => [id, fields])
}

function toldPending({ pending }: StreamGroup): Told {
  if (pending.size === 0) return [0, null, null, null]
  const ids = [...pending.keys()].sort((a, b) => (isBefore(a, b) ? -1 : 1))
  const consumers = [...new Set(pending.values())].sort()
  const counts = consumers.map((name) => {
    return [name, `${[...pending.values()].filter((one) => one === name).length}`]
  })
  return [pending.size, ids[0] ?? null, ids.at(-1) ?? null, counts]
}

/** Ids are two numbers; the second may be left out. */
function isBefore(a: string, b: string): boolean {
  const [aMs = 0, aNumber = 0] = a.split('-').map(Number)
  const [bMs = 0, bNumber = 0] = b.split('-').map(Number)
  return aMs < bMs || (aMs === bMs && aNumber < bNumber)
}
