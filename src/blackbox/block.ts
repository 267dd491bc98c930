/**
 * A block of a record: some seconds of what a Sentinel was told. Most of what a Sentinel hears it has heard a second
 * ago (PONG, the same hello), so each different event stands once in a segment and the others refer to it by when it came
 * last, and moments are steps from one to the next. The block carries the digest of everything the machine did
 * meanwhile, and one for each step that did more than talk.
 *
 * As text, which is a byte string, it is a line of JSON and then columns of numbers: which stream of events (event-table.ts)
 * each step belongs to, and for each stream which of its events came (`StreamTurns`), and when. What comes alike stands together so, and
 * packs smaller. Wake-ups come in a beat and count their milliseconds from the last one; all others come on the heels of
 * something, and count from the step before. A number is written in groups of seven bits, the lowest first; all but its
 * last byte have the highest bit.
 */
import { PLAIN_BYTES } from '../base/byte-codec.ts'
import type { Moment } from '../base/clock.ts'
import { byteJson } from '../base/json.ts'
import type { EntryEvent, EntryExtra, RecordEntry } from './entry.ts'
import { type EventTable, STREAMS, StreamTurns, streamOf } from './event-table.ts'
import { parsedValue } from './json.ts'

/** The line of JSON. */
interface BlockHead {
  /** Both clocks at the first step. */
  readonly from: readonly [monoMs: number, wallMs: number]
  readonly steps: number
  /** The length of each column: the streams of the steps, then the turns of each stream, then its times. */
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
  #bytes = new Uint8Array(1_024)
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

const BEAT = STREAMS.indexOf('wake')

const columnOfEach = () => STREAMS.map(() => new NumberColumn())

/** Collects the steps of one block. */
export class BlockWriter {
  readonly #from: Moment
  readonly #table: EventTable
  #monoMs: number
  /** Of the last wake-up, or of the first step. */
  #wokeMs: number
  /** How far the wall clock is ahead of the monotonic one. */
  #aheadMs: number
  readonly #streams = new NumberColumn()
  readonly #turns = columnOfEach()
  readonly #times = columnOfEach()
  readonly #wall: [number, number][] = []
  readonly #events: string[] = []
  readonly #digests: [number, string][] = []
  readonly #extras: [number, EntryExtra][] = []
  #steps = 0
  #bytes = 0

  constructor(from: Moment, table: EventTable) {
    this.#from = from
    this.#monoMs = from.monoMs
    this.#wokeMs = from.monoMs
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
    if (strayMs !== 0) this.#wall.push([at, strayMs])
    if (digest !== undefined) this.#digests.push([at, digest])
    if (extra !== undefined) this.#extras.push([at, extra])
    const stream = streamOf(event)
    const isBeat = stream === BEAT
    this.#streams.push(stream)
    this.#turns[stream]?.push(this.#table.written(stream, event, this.#say))
    this.#times[stream]?.push(now.monoMs - (isBeat ? this.#wokeMs : this.#monoMs))
    this.#monoMs = now.monoMs
    if (isBeat) this.#wokeMs = now.monoMs
    this.#aheadMs += strayMs
  }

  /** `digest`: of all effects. Returns a byte string. */
  text(digest: number): string {
    const all = [this.#streams, ...this.#turns, ...this.#times]
    const columns = all.map((column) => column.text)
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

/** The events of the blocks of a segment so far, as its reader has them. */
export class SegmentEvents {
  readonly #streams = STREAMS.map(() => ({ events: [] as EntryEvent[], turns: new StreamTurns() }))

  /** Throws a RecordFault if it is no event. */
  add(event: unknown): void {
    const known = checkedEvent(event)
    this.#streams[streamOf(known)]?.events.push(known)
  }

  /** The event of which this was written; called in the order of the steps. Throws a RecordFault. */
  next(stream: number, written: number): EntryEvent {
    const { events, turns } = this.#streams[stream] ?? {}
    const event = turns && events?.[turns.read(written)]
    if (event === undefined) throw new RecordFault('there is no such event')
    return event
  }
}

/** The new events of the block are added to `events`. Throws a RecordFault. */
export function readBlock(text: string, events: SegmentEvents): RecordBlock {
  const lineEnd = text.indexOf('\n')
  const head = parseHead(lineEnd < 0 ? text : text.slice(0, lineEnd))
  for (const event of head.events) events.add(event)
  const columns = new BlockColumns(text.slice(lineEnd + 1), head)
  const digests = byStep(head.digests, 'digests')
  const extras = byStep(head.extras, 'extras')
  const strays = byStep(head.wall, 'wall')
  let aheadMs = head.from[1] - head.from[0]
  const entries = Array.from({ length: head.steps }, (_, at): RecordEntry => {
    const { event, monoMs } = atStep(at, () => columns.next(events))
    aheadMs += wholeNumber(strays.get(at) ?? 0, 'wall')
    const now = { monoMs, wallMs: monoMs + aheadMs }
    return { now, event, digest: digests.get(at), extra: extras.get(at) }
  })
  columns.end()
  return { entries, digest: head.digest }
}

/** A fault is said with the number of the step. */
function atStep<Value>(at: number, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    if (error instanceof RecordFault) throw new RecordFault(`step ${at + 1}: ${error.message}`)
    throw error
  }
}

/** Reads the columns of a block, step by step. */
class BlockColumns {
  readonly #streams: ColumnReader
  readonly #turns: readonly ColumnReader[]
  readonly #times: readonly ColumnReader[]
  #monoMs: number
  #wokeMs: number

  constructor(text: string, { columns, from }: BlockHead) {
    let at = 0
    let which = 0
    const next = (name: string) => {
      const column = text.slice(at, at + (columns[which++] ?? 0))
      at += column.length
      return new ColumnReader(column, name)
    }
    this.#streams = next('streams')
    this.#turns = STREAMS.map((stream) => next(`turns of ${stream}`))
    this.#times = STREAMS.map((stream) => next(`times of ${stream}`))
    this.#monoMs = from[0]
    this.#wokeMs = from[0]
  }

  /** The next step. Throws a RecordFault. */
  next(events: SegmentEvents): { readonly event: EntryEvent; readonly monoMs: number } {
    const stream = this.#streams.next()
    const event = events.next(stream, this.#turns[stream]?.next() ?? 0)
    const passedMs = this.#times[stream]?.next() ?? 0
    const monoMs = (stream === BEAT ? this.#wokeMs : this.#monoMs) + passedMs
    if (!(monoMs >= this.#monoMs)) throw new RecordFault('it comes before the step before')
    this.#monoMs = monoMs
    if (stream === BEAT) this.#wokeMs = monoMs
    return { event, monoMs }
  }

  /** Throws a RecordFault if something is left. */
  end(): void {
    const all = [this.#streams, ...this.#turns, ...this.#times]
    if (!all.every((column) => column.isRead))
      throw new RecordFault('its columns are longer than its steps')
  }
}

/** What a block is about, for less than reading it. Throws a RecordFault. */
export function blockSummary(text: string): {
  readonly wallMs: number
  readonly decides: boolean
} {
  // Its events are most of the line, and stand at its end.
  const line = text.slice(0, text.indexOf(',"events":['))
  const { from, digests } = parseHead(`${line},"events":[]}`)
  return { wallMs: from[1], decides: digests.length > 0 }
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

/** Something that a record has as an event. Throws a RecordFault if it is none. */
function checkedEvent(event: unknown): EntryEvent {
  if (typeof event !== 'object' || event === null)
    throw new RecordFault(`${JSON.stringify(event)} is no event`)
  const { kind } = event as { readonly kind?: unknown }
  if (typeof kind !== 'string' || !Object.hasOwn(SHAPES, kind))
    throw new RecordFault(`no event is of the kind ${JSON.stringify(kind)}`)
  const shape = SHAPES[kind as EntryEvent['kind']]
  const missing = Object.entries(shape).find(([key, type]) => {
    const value = (event as Readonly<Record<string, unknown>>)[key]
    return typeof value !== type || value === null
  })
  if (missing === undefined) return event as EntryEvent
  throw new RecordFault(`an event of the kind ${kind} needs ${missing[0]}, a ${missing[1]}`)
}
