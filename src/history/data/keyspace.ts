/** Commands about keys of any type, and about whole databases. */
import { type CommandRows, type Drawing, only, put } from './command-row.ts'
import {
  type CarriedOut,
  CLOCK_DOUBT_MS,
  type HeldEntry,
  type HeldValue,
  type Holdings,
  type Life,
  lifeOf,
  type Span,
  selectedOf,
  withEntry,
  withSelected,
} from './holdings.ts'
import { deathAfter } from './strings.ts'
import { isToldError, type Told } from './told.ts'
import { ALL_KEYS, drawAnyKey, drawPeriodMs } from './vocabulary.ts'

/** Keys whose time is over are looked for ten times a second. */
const SWEEP_MS = 100

const any = ({ rng }: Drawing): string => drawAnyKey(rng)
/** A client's second database has an even number. */
const placeOf = (database: string | undefined): 0 | 1 => (Number(database) % 2 === 0 ? 1 : 0)

/** Long enough for a round trip, and no pause that would be noticed. */
const WAIT_MS = 40

export const KEYSPACE: CommandRows = {
  DEL: {
    kind: 'write',
    keys: (keys) => keys,
    weight: 4,
    draw: (drawing) => [any(drawing), any(drawing)],
    apply: remove,
  },
  UNLINK: {
    kind: 'write',
    keys: (keys) => keys,
    weight: 2,
    draw: (drawing) => [any(drawing)],
    apply: remove,
  },
  EXISTS: {
    kind: 'read',
    keys: (keys) => keys,
    weight: 2,
    draw: (drawing) => [any(drawing), any(drawing)],
    apply: ({ holdings, args }) =>
      only(holdings, args.filter((key) => selectedOf(holdings).has(key)).length),
  },
  TYPE: {
    kind: 'read',
    weight: 1,
    draw: (drawing) => [any(drawing)],
    apply: ({ holdings, args: [key = ''] }) =>
      only(holdings, selectedOf(holdings).get(key)?.value.type ?? 'none'),
  },
  RENAME: {
    kind: 'write',
    keys: (args) => args.slice(0, 2),
    weight: 2,
    draw: (drawing) => ['u1', drawing.rng.pick(['u2', 'u2', any(drawing)])],
    apply: ({ holdings, args: [from = '', to = ''] }) => {
      const entry = selectedOf(holdings).get(from)
      if (entry === undefined) return only(holdings, { error: 'ERR no such key' })
      if (from === to) return only(holdings, 'OK')
      return only(put(put(holdings, from, undefined), to, entry), 'OK')
    },
  },
  COPY: {
    kind: 'write',
    keys: (args) => args.slice(0, 2),
    weight: 3,
    draw: (drawing) => {
      const { rng, second } = drawing
      if (rng.chance(1, 2)) return [any(drawing), rng.pick(['u1', 'u2']), 'REPLACE']
      const key = any(drawing)
      return [key, key, 'DB', `${second}`, 'REPLACE']
    },
    apply: ({ holdings, args: [from = '', to = '', option, database] }) => {
      const entry = selectedOf(holdings).get(from)
      const place = option === 'DB' ? placeOf(database) : holdings.selected
      if (place === holdings.selected && from === to) {
        return only(holdings, { error: 'ERR source and destination objects are the same' })
      }
      if (entry === undefined) return only(holdings, 0)
      return only(putIn(holdings, place, to, entry), 1)
    },
  },
  MOVE: {
    kind: 'write',
    weight: 2,
    draw: (drawing) => [any(drawing), `${drawing.second}`],
    apply: ({ holdings, args: [key = '', database] }) => {
      const entry = selectedOf(holdings).get(key)
      const place = placeOf(database)
      if (place === holdings.selected) {
        return only(holdings, { error: 'ERR source and destination objects are the same' })
      }
      if (entry === undefined || holdings.databases[place].has(key)) return only(holdings, 0)
      return only(put(putIn(holdings, place, key, entry), key, undefined), 1)
    },
  },
  SWAPDB: {
    kind: 'write',
    keys: () => [],
    weight: 1,
    draw: ({ home, second }) => [`${home}`, `${second}`],
    apply: ({ holdings }) => {
      const [home, second] = holdings.databases
      return only({ ...holdings, databases: [second, home] }, 'OK')
    },
  },
  FLUSHDB: {
    kind: 'write',
    keys: () => [],
    weight: 1,
    draw: ({ rng }) => (rng.chance(1, 2) ? ['ASYNC'] : []),
    apply: ({ holdings }) => only(withSelected(holdings, new Map()), 'OK'),
  },
  SELECT: {
    kind: 'read',
    keys: () => [],
    weight: 0,
    draw: ({ home }) => [`${home}`],
    apply: ({ holdings, args: [database] }) =>
      only({ ...holdings, selected: placeOf(database) }, 'OK'),
  },
  DBSIZE: {
    kind: 'read',
    keys: () => [],
    weight: 2,
    draw: () => [],
    apply: ({ holdings, at }) => {
      const { alive, either } = livesIn(holdings, at)
      // A node that may not take keys away goes on counting them, and so does one that has just gone on after a stall.
      const isLate = at.untilMs - at.fromMs > SWEEP_MS
      const most = at.mayKeepDead || isLate ? ALL_KEYS.length : alive.length + either.length
      return only(holdings, (told) => isNumber(told) && told >= alive.length && told <= most)
    },
  },
  KEYS: {
    kind: 'read',
    keys: () => [],
    weight: 1,
    draw: () => ['*'],
    apply: ({ holdings, at }) => {
      const { alive, either } = livesIn(holdings, at)
      return only(holdings, (told) => isMadeOf(told, alive, either))
    },
  },
  PEXPIRE: {
    kind: 'write',
    weight: 4,
    draw: (drawing) => [any(drawing), `${drawPeriodMs(drawing)}`],
    apply: ({ holdings, args: [key = '', ms], at }) =>
      mortal(holdings, key, deathAfter(Number(ms), at)),
  },
  EXPIRE: {
    kind: 'write',
    weight: 2,
    draw: (drawing) => [any(drawing), `${drawing.rng.pick([-1, 1, 5, 60])}`],
    apply: ({ holdings, args: [key = '', seconds], at }) => {
      const entry = selectedOf(holdings).get(key)
      if (Number(seconds) > 0) return mortal(holdings, key, deathAfter(Number(seconds) * 1_000, at))
      return entry === undefined ? only(holdings, 0) : only(put(holdings, key, undefined), 1)
    },
  },
  PERSIST: {
    kind: 'write',
    weight: 2,
    draw: (drawing) => [any(drawing)],
    apply: ({ holdings, args: [key = ''] }) => {
      const entry = selectedOf(holdings).get(key)
      if (entry?.dies === undefined) return only(holdings, 0)
      return only(put(holdings, key, { value: entry.value, dies: undefined }), 1)
    },
  },
  PTTL: {
    kind: 'read',
    weight: 3,
    draw: (drawing) => [any(drawing)],
    apply: ({ holdings, args: [key = ''], at }) => {
      const entry = selectedOf(holdings).get(key)
      if (entry === undefined) return only(holdings, -2)
      const { dies } = entry
      return only(holdings, (told) =>
        typeof told === 'number' && dies !== undefined ? mayBeLeft(told, dies, at) : told === -1,
      )
    },
  },
  WAIT: {
    kind: 'read',
    isBlocking: true,
    keys: () => [],
    weight: 4,
    draw: ({ rng }) => [`${1 + rng.below(3)}`, `${WAIT_MS}`],
    // How many replicas there are is for waited-writes.ts to say.
    apply: ({ holdings }) => only(holdings, (told) => isCount(told) || isRefusedWait(told)),
  },
  WAITAOF: {
    kind: 'read',
    isBlocking: true,
    keys: () => [],
    weight: 2,
    draw: ({ rng }) => [`${rng.below(2)}`, `${rng.below(3)}`, `${WAIT_MS}`],
    apply: ({ holdings }) =>
      only(holdings, (told) =>
        Array.isArray(told) ? told.length === 2 && told.every(isCount) : isRefusedWait(told),
      ),
  },
  RESTORE: {
    kind: 'write',
    weight: 3,
    draw: (drawing) => {
      const payload = drawing.rng.pick([...PAYLOADS.keys()])
      const ms = drawing.rng.chance(1, 3) ? drawPeriodMs(drawing) : 0
      const option = drawing.rng.chance(3, 4) ? ['REPLACE'] : []
      return [drawing.rng.pick(['u1', 'u2']), `${ms}`, payload, ...option]
    },
    apply: ({ holdings, args: [key = '', ms, payload = '', option], at }) => {
      const value = PAYLOADS.get(payload)
      if (value === undefined) return only(holdings, { error: 'ERR' })
      if (option !== 'REPLACE' && selectedOf(holdings).has(key)) {
        return only(holdings, { error: 'BUSYKEY' })
      }
      const dies = Number(ms) > 0 ? deathAfter(Number(ms), at) : undefined
      return only(put(holdings, key, { value, dies }), 'OK')
    },
  },
}

function remove({ holdings, args }: { holdings: Holdings; args: readonly string[] }) {
  let after = holdings
  let count = 0
  for (const key of args) {
    if (!selectedOf(after).has(key)) continue
    after = put(after, key, undefined)
    count++
  }
  return only(after, count)
}

function putIn(holdings: Holdings, place: 0 | 1, key: string, entry: HeldEntry): Holdings {
  const [home, second] = holdings.databases
  const databases = [home, second] as [typeof home, typeof second]
  databases[place] = withEntry(databases[place], key, entry)
  return { ...holdings, databases }
}

function mortal(holdings: Holdings, key: string, dies: Span) {
  const entry = selectedOf(holdings).get(key)
  if (entry === undefined) return only(holdings, 0)
  return only(put(holdings, key, { value: entry.value, dies }), 1)
}

/** The keys of the selected database that are alive, and those for which that cannot be known. */
export function livesIn(holdings: Holdings, at: CarriedOut) {
  const database = selectedOf(holdings)
  const keys = [...database.keys()]
  const those = (life: Life) => keys.filter((key) => lifeOf(database.get(key), at) === life)
  return { alive: those('alive'), either: those('either') }
}

function isNumber(told: Told): told is number {
  return typeof told === 'number'
}

/** All of these, some of those, and each once. */
function isMadeOf(told: Told, all: readonly string[], some: readonly string[]): boolean {
  if (!Array.isArray(told)) return false
  const names = new Set<Told>(told as readonly Told[])
  if (names.size !== told.length || !all.every((key) => names.has(key))) return false
  return names.size === all.length + some.filter((key) => names.has(key)).length
}

function mayBeLeft(leftMs: number, dies: Span, at: CarriedOut): boolean {
  if (!at.areClocksRight) return leftMs >= 0
  const least = dies.fromMs - at.untilMs - CLOCK_DOUBT_MS
  const most = dies.untilMs - at.fromMs + CLOCK_DOUBT_MS
  return leftMs >= Math.max(0, least) && leftMs <= most
}

function isCount(told: Told): boolean {
  return typeof told === 'number' && told >= 0
}

/** A replica knows nothing of it, and without an append-only file no disk is asked. */
function isRefusedWait(told: Told): boolean {
  return isToldError(told) && told.error.startsWith('ERR WAIT')
}

/** Values as DUMP of Redis 7.0 wrote them, for RESTORE. */
const WRITTEN: readonly (readonly [hex: string, value: HeldValue])[] = [
  ['0008726573746f7265640a00b565b8d8d26f0af4', { type: 'string', text: 'restored' }],
  [
    '12010211110000000200836f6e65048374776f04ff0a00b27ccbb8c0014a06',
    { type: 'list', items: ['one', 'two'] },
  ],
  [
    '101414000000040081660201018167028374776f04ff0a00e318742b61db6fdf',
    {
      type: 'hash',
      fields: new Map([
        ['f', '1'],
        ['g', 'two'],
      ]),
    },
  ],
  [
    '111414000000040081610283312e35048162020201ff0a00fa02b425af188763',
    {
      type: 'zset',
      scores: new Map([
        ['a', 1.5],
        ['b', 2],
      ]),
    },
  ],
  [
    '0b0e02000000030000000100020003000a00a5025ce26d6e4d1b',
    { type: 'set', members: new Set(['1', '2', '3']) },
  ],
  ['0202017801790a00ac3a8d681184aa31', { type: 'set', members: new Set(['x', 'y']) }],
]

const PAYLOADS: ReadonlyMap<string, HeldValue> = new Map(
  WRITTEN.map(([hex, value]) => [bytesOf(hex), value]),
)

/** One character is one byte. */
function bytesOf(hex: string): string {
  return hex.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)))
}
