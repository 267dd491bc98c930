/**
 * A block of a record: some seconds of what a Sentinel was told, as JSON in columns. Most of what a
 * Sentinel hears it has heard a second ago (PONG, the same hello), so each different event stands
 * once in a segment and the others refer to it, and moments are steps from one to the next. The block carries
 * the digest of everything the machine did meanwhile, and one for each step that did more than
 * talk.
 */
import type { Moment } from '../base/clock.ts'
import type { EntryEvent, EntryExtra, RecordEntry } from './entry.ts'
import { jsonOf, parsedValue } from './json.ts'

interface Columns {
  /** Both clocks at the first step. */
  readonly from: readonly [monoMs: number, wallMs: number]
  /** Milliseconds from each step to the next on the monotonic clock. */
  readonly mono: readonly number[]
  /** Where the wall clock went another way: at which step, and by how much. */
  readonly wall: readonly (readonly [number, number])[]
  /** Those that no block of the segment had before; they are numbered through all of them. */
  readonly events: readonly unknown[]
  /** Which event of the segment each step was given. */
  readonly which: readonly number[]
  readonly digests: readonly (readonly [number, string])[]
  readonly extras: readonly (readonly [number, EntryExtra])[]
  readonly digest: string
}

export interface RecordBlock {
  readonly entries: readonly RecordEntry[]
  readonly digest: string
}

/** Numbers the different events of a segment. */
export class EventTable {
  readonly #numbers = new Map<string, number>()
  #next = 0

  /** The number of an event; `say` is called with its JSON if it is a new one. */
  numberOf(event: EntryEvent, say: (json: string) => void): number {
    const key = briefKey(event)
    const json = key === undefined ? jsonOf(event) : undefined
    const known = this.#numbers.get(key ?? json ?? '')
    if (known !== undefined) return known
    // A peer that sends something new each time must not fill the memory: what is forgotten is written again.
    if (this.#numbers.size >= MAX_KNOWN) this.#numbers.clear()
    this.#numbers.set(key ?? json ?? '', this.#next)
    say(json ?? jsonOf(event))
    return this.#next++
  }
}

const MAX_KNOWN = 10_000

/** What tells the most frequent events from all others, for less than their JSON. Undefined: only that does. */
function briefKey(event: EntryEvent): string | undefined {
  switch (event.kind) {
    case 'wake':
      return 'wake'
    case 'message':
      return `message ${event.link} ${event.channel} ${event.payload}`
    case 'received':
      return `received ${event.client} ${event.bytes}`
    case 'reply': {
      const { link, purpose, reply } = event
      if (purpose.kind !== 'ping' || reply.kind !== 'simple') return undefined
      return `ping ${link} ${reply.text}`
    }
    default:
      return undefined
  }
}

/** Collects the steps of one block. */
export class BlockWriter {
  readonly #from: Moment
  readonly #table: EventTable
  #last: Moment
  readonly #mono: number[] = []
  readonly #wall: [number, number][] = []
  readonly #events: string[] = []
  readonly #which: number[] = []
  readonly #digests: [number, string][] = []
  readonly #extras: [number, EntryExtra][] = []
  #bytes = 0

  constructor(from: Moment, table: EventTable) {
    this.#from = from
    this.#last = from
    this.#table = table
  }

  get length(): number {
    return this.#which.length
  }

  /** Roughly: the new events. */
  get bytes(): number {
    return this.#bytes
  }

  add({ now, event, digest, extra }: RecordEntry): void {
    const at = this.#which.length
    const monoMs = now.monoMs - this.#last.monoMs
    const strayMs = now.wallMs - this.#last.wallMs - monoMs
    this.#mono.push(monoMs)
    if (strayMs !== 0) this.#wall.push([at, strayMs])
    if (digest !== undefined) this.#digests.push([at, digest])
    if (extra !== undefined) this.#extras.push([at, extra])
    this.#which.push(this.#table.numberOf(event, this.#say))
    this.#last = now
  }

  /** `digest`: of all effects. */
  text(digest: string): string {
    const head = JSON.stringify({
      from: [this.#from.monoMs, this.#from.wallMs],
      ...{ mono: this.#mono, wall: this.#wall, which: this.#which },
      ...{ digests: this.#digests, extras: this.#extras, digest },
    })
    return `${head.slice(0, -1)},"events":[${this.#events.join(',')}]}`
  }

  readonly #say = (json: string): void => {
    this.#events.push(json)
    this.#bytes += json.length
  }
}

/** What is wrong with a block or an image; the reader adds the file and the offset. */
export class RecordFault extends Error {}

/**
 * `events`: those of the blocks of the segment so far; the new ones are added. Throws a RecordFault.
 */
export function readBlock(text: string, events: unknown[]): RecordBlock {
  const columns = parseColumns(text)
  const { from, mono, which, digest } = columns
  for (const event of columns.events) events.push(event)
  const digests = byStep(columns.digests, 'digests')
  const extras = byStep(columns.extras, 'extras')
  const strays = byStep(columns.wall, 'wall')
  if (mono.length !== which.length) throw new RecordFault('its columns differ in length')
  let [monoMs, wallMs] = from
  const entries = which.map((number, at): RecordEntry => {
    const aheadMs = wholeNumber(mono[at], 'mono')
    monoMs += aheadMs
    wallMs += aheadMs + wholeNumber(strays.get(at) ?? 0, 'wall')
    const event = events[number]
    const fault = eventFault(event)
    if (fault !== undefined) throw new RecordFault(`step ${at + 1}: ${fault}`)
    const [stepDigest, extra] = [digests.get(at), extras.get(at)]
    return { now: { monoMs, wallMs }, event: event as EntryEvent, digest: stepDigest, extra }
  })
  return { entries, digest }
}

function parseColumns(text: string): Columns {
  const columns = parsedValue(text) as Partial<Columns> | undefined
  if (typeof columns !== 'object' || columns === null) throw new RecordFault('it is no JSON object')
  for (const key of ['from', 'mono', 'wall', 'events', 'which', 'digests', 'extras'] as const)
    if (!Array.isArray(columns[key])) throw new RecordFault(`its column ${key} is missing`)
  if (typeof columns.digest !== 'string') throw new RecordFault('its digest is missing')
  const whole = columns as Columns
  wholeNumber(whole.from[0], 'from')
  wholeNumber(whole.from[1], 'from')
  return whole
}

function byStep<Value>(
  pairs: readonly (readonly [number, Value])[],
  column: string,
): ReadonlyMap<number, Value> {
  if (!pairs.every((pair) => Array.isArray(pair) && pair.length === 2))
    throw new RecordFault(`its column ${column} holds no pairs`)
  return new Map(pairs)
}

function wholeNumber(value: unknown, column: string): number {
  if (Number.isSafeInteger(value)) return value as number
  throw new RecordFault(`its column ${column} holds ${JSON.stringify(value)}, which is no number`)
}

type Check = 'number' | 'string' | 'object'

/** By kind: the properties that every such event has, as far as the machine relies on them. */
const SHAPES: Readonly<Record<EntryEvent['kind'], Readonly<Record<string, Check>>>> = {
  wake: {},
  linkUp: { link: 'number', localHost: 'string' },
  linkLost: { link: 'number', reason: 'string' },
  reply: { link: 'number', purpose: 'object', reply: 'object' },
  infoAgain: { link: 'number', lines: 'object' },
  message: { link: 'number', channel: 'string', payload: 'string' },
  clientOpened: { client: 'number', address: 'string', localAddress: 'string' },
  received: { client: 'number', bytes: 'string' },
  drained: { client: 'number' },
  clientClosed: { client: 'number' },
  saved: {},
  saveFailed: { reason: 'string' },
  inquired: { inquiry: 'number', answer: 'object' },
  recordTold: { inquiry: 'number', bytes: 'number' },
  scriptStarted: { job: 'number', pid: 'number' },
  scriptEnded: { job: 'number', status: 'number', signal: 'number' },
  scriptNotStarted: { job: 'number', failed: 'string', reason: 'string' },
  reloaded: { config: 'object', before: 'object' },
  stopRequested: {},
}

/** What is wrong with something that a record has as an event, in words; undefined: nothing. */
function eventFault(event: unknown): string | undefined {
  if (typeof event !== 'object' || event === null) return 'there is no such event'
  const { kind } = event as { readonly kind?: unknown }
  if (typeof kind !== 'string' || !Object.hasOwn(SHAPES, kind))
    return `no event is of the kind ${JSON.stringify(kind)}`
  const shape = SHAPES[kind as EntryEvent['kind']]
  const missing = Object.entries(shape).find(([key, type]) => {
    const value = (event as Readonly<Record<string, unknown>>)[key]
    return typeof value !== type || value === null
  })
  return missing && `an event of the kind ${kind} needs ${missing[0]}, a ${missing[1]}`
}
