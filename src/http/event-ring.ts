/**
 * The last events of a Sentinel, numbered, so that a reader that lost its connection can go on where it
 * was. The ring is bounded in number and in bytes. An id carries the moment at which this process began to
 * count: a number of an earlier life means nothing here, and its reader is told that it may have missed
 * something.
 */
import type { EventTopic } from '../core/event-spec.ts'
import { EVENTS, type EventName } from '../core/event-table.ts'

export interface RecordedEvent {
  readonly id: string
  /** The wall clock, in ms since 1970. */
  readonly atMs: number
  readonly name: string
  readonly payload: string
  /** The group it is about; null: none, or the payload does not say. */
  readonly group: string | null
  readonly topic: EventTopic
}

export interface EventReplay {
  /** Events are missing between the last one that the reader has seen and the first one here. */
  readonly isGap: boolean
  readonly events: readonly RecordedEvent[]
}

const EVENTS_MAX = 1_000
const BYTES_MAX = 1024 * 1024

export class EventRing {
  readonly #life: string
  #events: RecordedEvent[] = []
  #bytes = 0
  #lastNumber = 0

  /** `startedMs`: the wall clock at the start of the process. */
  constructor(startedMs: number) {
    this.#life = startedMs.toString(36)
  }

  add(name: string, payload: string, atMs: number): RecordedEvent {
    const id = `${this.#life}-${++this.#lastNumber}`
    const about = { group: groupIn(name, payload), topic: topicOf(name) }
    const event = { id, atMs, name, payload, ...about }
    this.#events.push(event)
    this.#bytes += sizeOf(event)
    while (this.#events.length > EVENTS_MAX || this.#bytes > BYTES_MAX) this.#drop()
    return event
  }

  /** The events after this one, or all that are kept; `undefined`: the reader is new. */
  after(id: string | undefined): EventReplay {
    if (id === undefined) return { isGap: false, events: [] }
    const [life, text = ''] = id.split('-')
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    const isOurs = life === this.#life && number <= this.#lastNumber
    if (!isOurs) return { isGap: true, events: [...this.#events] }
    const missed = this.#lastNumber - number
    const kept = this.#events.length
    return {
      isGap: missed > kept,
      events: this.#events.slice(Math.max(0, kept - missed)),
    }
  }

  #drop(): void {
    const dropped = this.#events.shift()
    if (dropped !== undefined) this.#bytes -= sizeOf(dropped)
  }
}

function sizeOf({ name, payload }: RecordedEvent): number {
  return name.length + payload.length
}

function topicOf(name: string): EventTopic {
  return isEventName(name) ? EVENTS[name].topic : 'other'
}

function isEventName(name: string): name is EventName {
  return Object.hasOwn(EVENTS, name)
}

/** `master <group> …`, `… @ <group> …`, or for a switch the group in front. */
function groupIn(name: string, payload: string): string | null {
  const words = payload.split(' ')
  if (words[0] === 'master') return words[1] ?? null
  const at = words.indexOf('@')
  if (at >= 0) return words[at + 1] ?? null
  return name.startsWith('+switch-master') ? (words[0] ?? null) : null
}
