/**
 * What a client's two databases hold, as the model of the data sees it. Nothing here is ever
 * changed: a command makes new holdings, which share what it left alone, so that every state of a
 * run can be kept and compared later.
 */

/** True time of the run, from the earliest to the latest moment that is possible. */
export interface Span {
  readonly fromMs: number
  readonly untilMs: number
}

export type HeldValue =
  | { readonly type: 'string'; readonly text: string }
  | { readonly type: 'hash'; readonly fields: ReadonlyMap<string, string> }
  | { readonly type: 'list'; readonly items: readonly string[] }
  | { readonly type: 'set'; readonly members: ReadonlySet<string> }
  | { readonly type: 'zset'; readonly scores: ReadonlyMap<string, number> }
  | ({ readonly type: 'stream' } & HeldStream)

export type ValueType = HeldValue['type']
export type ValueOf<Type extends ValueType> = HeldValue & { readonly type: Type }

export interface HeldStream {
  readonly entries: readonly HeldStreamEntry[]
  readonly lastId: string
  readonly groups: ReadonlyMap<string, StreamGroup>
}

export interface HeldStreamEntry {
  readonly id: string
  readonly fields: readonly string[]
}

export interface StreamGroup {
  readonly lastId: string
  /** The consumer of each entry that was delivered and not acknowledged, in order of ids. */
  readonly pending: ReadonlyMap<string, string>
}

/** When a key dies; undefined: never. */
export interface HeldEntry {
  readonly value: HeldValue
  readonly dies: Span | undefined
}

export type Database = ReadonlyMap<string, HeldEntry>

export interface Holdings {
  /** The home database of the client, and its second one. */
  readonly databases: readonly [Database, Database]
  /** Which of the two the connection has selected. */
  readonly selected: 0 | 1
}

const EMPTY_DATABASE: Database = new Map()
export const NO_HOLDINGS: Holdings = { databases: [EMPTY_DATABASE, EMPTY_DATABASE], selected: 0 }

/** Two nodes of a run disagree about the time by up to 200 ms, and all count in milliseconds. */
export const CLOCK_DOUBT_MS = 250

export function selectedOf({ databases, selected }: Holdings): Database {
  return databases[selected]
}

export function withSelected(holdings: Holdings, database: Database): Holdings {
  const { databases, selected } = holdings
  return {
    ...holdings,
    databases: selected === 0 ? [database, databases[1]] : [databases[0], database],
  }
}

export function withEntry(database: Database, key: string, entry: HeldEntry | undefined): Database {
  const changed = new Map(database)
  if (entry === undefined) changed.delete(key)
  else changed.set(key, entry)
  return changed
}

/** When a request was carried out. */
export interface CarriedOut extends Span {
  /** The clocks of all nodes have always shown the right time. */
  readonly areClocksRight: boolean
  /** The node may have kept keys whose time was over: it held writes back, or followed a master. */
  readonly mayKeepDead: boolean
  /** The node may have had no memory left, and refused a script some of its writes. */
  readonly mayBeFull: boolean
}

/**
 * Every state that the holdings may have come to by this time, as far as these keys show: those
 * whose time is over are gone, and those that may or may not have died are in one state and not in
 * the other. The other keys wait until a command looks at them.
 */
export function passTime(
  holdings: Holdings,
  at: CarriedOut,
  keys: readonly string[],
): readonly Holdings[] {
  let states: readonly Holdings[] = [holdings]
  for (const place of [0, 1] as const) {
    const database = holdings.databases[place]
    for (const key of keys) {
      const life = lifeOf(database.get(key), at)
      if (life === 'alive' || life === 'absent') continue
      states = states.flatMap((state) => {
        const without = withoutKey(state, place, key)
        return life === 'dead' ? [without] : [state, without]
      })
    }
  }
  return states
}

export type Life = 'absent' | 'alive' | 'dead' | 'either'

/** Whether a key lives at this time, as far as anybody can know. */
export function lifeOf(entry: HeldEntry | undefined, at: CarriedOut): Life {
  if (entry === undefined) return 'absent'
  const { dies } = entry
  if (dies === undefined || (at.areClocksRight && at.untilMs < dies.fromMs)) return 'alive'
  return at.areClocksRight && at.fromMs > dies.untilMs ? 'dead' : 'either'
}

function withoutKey(state: Holdings, place: 0 | 1, key: string): Holdings {
  const database = withEntry(state.databases[place], key, undefined)
  const { databases } = state
  return { ...state, databases: place === 0 ? [database, databases[1]] : [databases[0], database] }
}

/** Equal for holdings with the same content, whichever database is selected. */
export function contentOf({ databases }: Holdings): string {
  return databases.map(databaseContent).join('\n')
}

/** Nothing held is ever changed, so what it looks like is worked out once. */
const DATABASE_CONTENTS = new WeakMap<Database, string>()
const ENTRY_CONTENTS = new WeakMap<HeldEntry, string>()

function databaseContent(database: Database): string {
  const known = DATABASE_CONTENTS.get(database)
  if (known !== undefined) return known
  const keys = [...database.keys()].sort()
  const content = keys.map((key) => `${key} ${entryContent(database.get(key))}`).join(' ')
  DATABASE_CONTENTS.set(database, content)
  return content
}

function entryContent(entry: HeldEntry | undefined): string {
  if (entry === undefined) return ''
  const known = ENTRY_CONTENTS.get(entry)
  if (known !== undefined) return known
  const { value, dies } = entry
  const content = JSON.stringify([value.type, plainValue(value), dies ?? null])
  ENTRY_CONTENTS.set(entry, content)
  return content
}

function plainValue(value: HeldValue): unknown {
  switch (value.type) {
    case 'string':
      return value.text
    case 'hash':
      return [...value.fields].sort()
    case 'list':
      return value.items
    case 'set':
      return [...value.members].sort()
    case 'zset':
      return [...value.scores].sort()
    default:
      return [
        value.entries,
        value.lastId,
        [...value.groups].map(([name, group]) => [name, group.lastId, [...group.pending]]),
      ]
  }
}
