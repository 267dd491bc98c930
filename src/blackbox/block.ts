/**
 * A block of a record: some seconds of what a Sentinel was told. Most of what a Sentinel hears it has heard a second
 * ago (PONG, the same hello), so each different event stands once in a segment and the others refer to it by its
 * number, and moments are steps from one to the next. The block carries the digest of everything the machine did
 * meanwhile, and one for each step that did more than talk.
 *
 * As text, which is a byte string, it is a line of JSON and then columns of numbers: which event each step was told, and
 * how many milliseconds after the step before. A wake-up usually comes after a while, a message on the heels of another, so
 * each such kind of event has its times in a column of its own: it packs smaller by a third. A number is written in groups
 * of seven bits, the lowest first; all but its last byte have the highest bit.
 */
import { PLAIN_BYTES } from '../base/byte-codec.ts'
import type { Moment } from '../base/clock.ts'
import type { EntryEvent, EntryExtra, RecordEntry } from './entry.ts'
import type { EventTable } from './event-table.ts'
import { byteJson, parsedValue } from './json.ts'

/** The line of JSON. */
interface BlockHead {
  /** Both clocks at the first step. */
  readonly from: readonly [monoMs: number, wallMs: number]
  readonly steps: number
  /** The length of each column: `which`, then the times of each kind. */
  readonly columns: readonly number[]
  /** Where the wall clock went another way: at which step, and by how much. */
  readonly wall: readonly (readonly [number, number])[]
  /** Those that no block of the segment had before; they are numbered through all of them. */
  readonly events: readonly unknown[]
  readonly digests: readonly (readonly [number, string])[]
  readonly extras: readonly (readonly [number, EntryExtra])[]
  /** Of all effects, see effect-text.ts. */
  readonly digest: number
}

export interface RecordBlock {
  readonly entries: readonly RecordEntry[]
  readonly digest: number
}

/** Whole numbers, one behind the other, in as few bytes as they need. */
class NumberColumn {
  #bytes = new Uint8Array(4_096)
  #length = 0

  push(number: number): void {
    if (this.#length + MAX_NUMBER_BYTES > this.#bytes.length) this.#grow()
    let rest = number
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80))
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80
    this.#bytes[this.#length++] = rest
  }

  /** A byte string. */
  get text(): string {
    return PLAIN_BYTES.text(this.#bytes.subarray(0, this.#length))
  }

  #grow(): void {
    const larger = new Uint8Array(2 * this.#bytes.length)
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}

/** Of a safe integer. */
const MAX_NUMBER_BYTES = 8

/** Reads a column from its beginning to its end; `next` throws a RecordFault where there is no number. */
class ColumnReader {
  readonly #text: string
  readonly #name: string
  #at = 0

  constructor(text: string, name: string) {
    this.#text = text
    this.#name = name
  }

  next(): number {
    let number = 0
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.#text.charCodeAt(this.#at++)
      number += (byte & 0x7f) * factor
      if (Number.isNaN(byte) || !Number.isSafeInteger(number))
        throw new RecordFault(`its column ${this.#name} ends within a number, or before`)
      if (byte < 0x80) return number
    }
  }

  get isRead(): boolean {
    return this.#at === this.#text.length
  }
}

/** The kinds of events with a column of times; all others share the last one. */
const TIMED: readonly EntryEvent['kind'][] = ['wake', 'received', 'message']

function timesOf({ kind }: EntryEvent): number {
  const at = TIMED.indexOf(kind)
  return at < 0 ? TIMED.length : at
}

/** Collects the steps of one block. */
export class BlockWriter {
  readonly #from: Moment
  readonly #table: EventTable
  #monoMs: number
  /** How far the wall clock is ahead of the monotonic one. */
  #aheadMs: number
  readonly #which = new NumberColumn()
  readonly #times = Array.from({ length: TIMED.length + 1 }, () => new NumberColumn())
  readonly #wall: [number, number][] = []
  readonly #events: string[] = []
  readonly #digests: [number, string][] = []
  readonly #extras: [number, EntryExtra][] = []
  #steps = 0
  #bytes = 0

  constructor(from: Moment, table: EventTable) {
    this.#from = from
    this.#monoMs = from.monoMs
    this.#aheadMs = from.wallMs - from.monoMs
    this.#table = table
  }

  get length(): number {
    return this.#steps
  }

  /** Roughly: the new events. */
  get bytes(): number {
    return this.#bytes
  }

  add({ now, event, digest, extra }: RecordEntry): void {
    const at = this.#steps++
    const strayMs = now.wallMs - now.monoMs - this.#aheadMs
    this.#times[timesOf(event)]?.push(now.monoMs - this.#monoMs)
    if (strayMs !== 0) this.#wall.push([at, strayMs])
    if (digest !== undefined) this.#digests.push([at, digest])
    if (extra !== undefined) this.#extras.push([at, extra])
    this.#which.push(this.#table.numberOf(event, this.#say))
    this.#monoMs = now.monoMs
    this.#aheadMs += strayMs
  }

  /** `digest`: of all effects. Returns a byte string. */
  text(digest: number): string {
    const columns = [this.#which, ...this.#times].map((column) => column.text)
    const head = JSON.stringify({
      ...{ from: [this.#from.monoMs, this.#from.wallMs], steps: this.#steps },
      ...{ columns: columns.map(({ length }) => length), wall: this.#wall },
      ...{ digests: this.#digests, extras: this.#extras, digest },
    })
    const line = byteJson(`${head.slice(0, -1)},"events":[${this.#events.join(',')}]}`)
    return [line, '\n', ...columns].join('')
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
  const lineEnd = text.indexOf('\n')
  const head = parseHead(lineEnd < 0 ? text : text.slice(0, lineEnd))
  for (const event of head.events) events.push(event)
  const [which, ...times] = readersOf(text.slice(lineEnd + 1), head.columns)
  const digests = byStep(head.digests, 'digests')
  const extras = byStep(head.extras, 'extras')
  const strays = byStep(head.wall, 'wall')
  let [monoMs, wallMs] = head.from
  const entries = Array.from({ length: head.steps }, (_, at): RecordEntry => {
    const event = events[which?.next() ?? 0]
    const fault = eventFault(event)
    if (fault !== undefined) throw new RecordFault(`step ${at + 1}: ${fault}`)
    const aheadMs = times[timesOf(event as EntryEvent)]?.next() ?? 0
    monoMs += aheadMs
    wallMs += aheadMs + wholeNumber(strays.get(at) ?? 0, 'wall')
    const [stepDigest, extra] = [digests.get(at), extras.get(at)]
    return { now: { monoMs, wallMs }, event: event as EntryEvent, digest: stepDigest, extra }
  })
  if (![which, ...times].every((column) => column?.isRead))
    throw new RecordFault('its columns are longer than its steps')
  return { entries, digest: head.digest }
}

/** What a block is about, for less than reading it. Throws a RecordFault. */
export function blockSummary(text: string): {
  readonly untilMs: number
  readonly decides: boolean
} {
  // Its events are most of the line, and stand at its end.
  const line = text.slice(0, text.indexOf(',"events":['))
  const { from, digests } = parseHead(`${line},"events":[]}`)
  return { untilMs: from[1], decides: digests.length > 0 }
}

function readersOf(text: string, lengths: readonly number[]): readonly ColumnReader[] {
  let from = 0
  return ['which', ...TIMED, 'others'].map((name, at) => {
    const column = text.slice(from, from + (lengths[at] ?? 0))
    from += column.length
    return new ColumnReader(column, name)
  })
}

function parseHead(line: string): BlockHead {
  const head = parsedValue(line) as Partial<BlockHead> | undefined
  if (typeof head !== 'object' || head === null)
    throw new RecordFault('it does not begin with a JSON object')
  for (const key of ['from', 'columns', 'wall', 'events', 'digests', 'extras'] as const)
    if (!Array.isArray(head[key])) throw new RecordFault(`its ${key} are missing`)
  if (typeof head.digest !== 'number') throw new RecordFault('its digest is missing')
  const whole = head as BlockHead
  wholeNumber(whole.from[0], 'from')
  wholeNumber(whole.from[1], 'from')
  if (!(wholeNumber(whole.steps, 'steps') <= MAX_STEPS))
    throw new RecordFault(`no block has ${whole.steps} steps`)
  for (const length of whole.columns) wholeNumber(length, 'columns')
  return whole
}

/** More than any block of ours: a made-up one must not fill the memory. */
const MAX_STEPS = 1_000_000

function byStep<Value>(
  pairs: readonly (readonly [number, Value])[],
  column: string,
): ReadonlyMap<number, Value> {
  if (!pairs.every((pair) => Array.isArray(pair) && pair.length === 2))
    throw new RecordFault(`its ${column} holds no pairs`)
  return new Map(pairs)
}

function wholeNumber(value: unknown, column: string): number {
  if (Number.isSafeInteger(value)) return value as number
  throw new RecordFault(`its ${column} holds ${JSON.stringify(value)}, which is no number`)
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
