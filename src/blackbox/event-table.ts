/**
 * The different events of a segment, and what is written where one comes again. The frequent ones are looked for among
 * those of the same link or client and compared as they are: to make their JSON would cost more than all the rest of a
 * record.
 */
import { HELLO_CHANNEL } from '../core/discovery/hello-format.ts'
import type { ClientId, LinkId } from '../core/ids.ts'
import type { EntryEvent } from './entry.ts'
import { jsonOf } from './json.ts'

/** Events that come alike. What is told of them is one below the other in the record, and packs smaller. */
export const STREAMS = ['wake', 'received', 'message', 'ping', 'hello', 'info', 'other'] as const
type Stream = (typeof STREAMS)[number]
const AT = Object.fromEntries(STREAMS.map((stream, at) => [stream, at])) as Record<Stream, number>

/** Its place in STREAMS. */
export function streamOf(event: EntryEvent): number {
  switch (event.kind) {
    case 'wake':
      return AT.wake
    case 'received':
      return AT.received
    case 'message':
      return AT.message
    case 'infoAgain':
      return AT.info
    case 'reply':
      if (event.purpose.kind === 'ping') return AT.ping
      return event.purpose.kind === 'hello' ? AT.hello : AT.other
    default:
      return AT.other
  }
}

/** Is written of an event that did not come before. */
const NEW = 0
/** Of so many events of a stream it is known in which order they came last. */
const MAX_TURNS = 1_024

/**
 * The events of one stream, which have numbers from 0 as they are new. Nodes and peers speak in turns, so an event that comes again is
 * called by how many others came meanwhile: that is nearly the same for all, and packs smaller than the numbers.
 */
export class StreamTurns {
  /** Numbers; that of the event that came last is the last. */
  readonly #order: number[] = []
  #count = 0

  /** How many events there were. */
  get count(): number {
    return this.#count
  }

  /** A new one. Returns its number. */
  add(): number {
    const number = this.#count++
    this.#makeLast(number)
    return number
  }

  /** What is written of an event that comes again. */
  again(number: number): number {
    const at = this.#order.lastIndexOf(number)
    const ago = this.#order.length - at
    if (at >= 0) this.#order.splice(at, 1)
    this.#makeLast(number)
    return at < 0 ? MAX_TURNS + 1 + number : ago
  }

  /** The number of the event of which this was written; there may be no such event. */
  read(written: number): number {
    if (written === NEW) return this.add()
    const at = this.#order.length - written
    const [number = -1] = at < 0 ? [written - MAX_TURNS - 1] : this.#order.splice(at, 1)
    this.#makeLast(number)
    return number
  }

  #makeLast(number: number): void {
    if (this.#order.length >= MAX_TURNS) this.#order.shift()
    this.#order.push(number)
  }
}

/** A peer that sends something new each time must not fill the memory: what is forgotten is written again. */
const MAX_KNOWN = 10_000
/** Longer texts are never told again and again; a hello has some two hundred characters. */
const MAX_KNOWN_CHARACTERS = 512
const MAX_KNOWN_REPLIES = 16

/** A reply that is told again and again, and its number. */
interface KnownReply {
  readonly event: Told<'reply'>
  readonly number: number
}

type Say = (json: string) => void

export class EventTable {
  readonly #replies = new Map<LinkId, KnownReply[]>()
  /** By link and payload. */
  readonly #messages = new Texts<LinkId>()
  /** By client and bytes. */
  readonly #requests = new Texts<ClientId>()
  /** All others, by their JSON. */
  readonly #numbers = new Map<string, number>()
  #wake: number | undefined
  /** By stream. */
  readonly #turns = STREAMS.map(() => new StreamTurns())

  /** What is written of an event of this stream; `say` is called with its JSON if it is a new one. */
  written(stream: number, event: EntryEvent, say: Say): number {
    const turns = this.#turnsOf(stream)
    const { count } = turns
    const number = this.#numberOf(event, say)
    return number === count ? NEW : turns.again(number)
  }

  #turnsOf(stream: number): StreamTurns {
    const turns = this.#turns[stream]
    if (turns === undefined) throw new Error(`there is no stream ${stream}`)
    return turns
  }

  #numberOf(event: EntryEvent, say: Say): number {
    switch (event.kind) {
      case 'wake':
        this.#wake ??= this.#add(event, say)
        return this.#wake
      case 'reply':
        return isRoutine(event) ? this.#numberOfReply(event, say) : this.#numberOfOther(event, say)
      case 'message':
        if (event.channel !== HELLO_CHANNEL) return this.#numberOfOther(event, say)
        return this.#numberOfText(this.#messages, event.link, event.payload, event, say)
      case 'received':
        return this.#numberOfText(this.#requests, event.client, event.bytes, event, say)
      case 'infoAgain':
        // Whatever changed is new nearly always.
        return this.#add(event, say)
      case 'linkLost':
        this.#replies.delete(event.link)
        this.#messages.forget(event.link)
        return this.#numberOfOther(event, say)
      case 'clientClosed':
        this.#requests.forget(event.client)
        return this.#numberOfOther(event, say)
      default:
        return this.#numberOfOther(event, say)
    }
  }

  #numberOfReply(event: Told<'reply'>, say: Say): number {
    const known = this.#replies.get(event.link) ?? []
    for (const one of known) if (isSameReply(one.event, event)) return one.number
    const number = this.#add(event, say)
    if (known.length === 0) this.#replies.set(event.link, known)
    if (known.length >= MAX_KNOWN_REPLIES) known.shift()
    known.push({ event, number })
    return number
  }

  #numberOfText<Source>(
    texts: Texts<Source>,
    source: Source,
    text: string,
    event: EntryEvent,
    say: Say,
  ): number {
    const known = texts.numberOf(source, text)
    if (known !== undefined) return known
    const number = this.#add(event, say)
    texts.keep(source, text, number)
    return number
  }

  #numberOfOther(event: EntryEvent, say: Say): number {
    const json = jsonOf(event)
    const known = this.#numbers.get(json)
    if (known !== undefined) return known
    if (this.#numbers.size >= MAX_KNOWN) this.#numbers.clear()
    const number = this.#addAs(json, event, say)
    this.#numbers.set(json, number)
    return number
  }

  #add(event: EntryEvent, say: Say): number {
    return this.#addAs(jsonOf(event), event, say)
  }

  #addAs(json: string, event: EntryEvent, say: Say): number {
    say(json)
    return this.#turnsOf(streamOf(event)).add()
  }
}

/** The numbers of texts by who said them, a bounded number of all together. */
class Texts<Source> {
  readonly #bySource = new Map<Source, Map<string, number>>()
  #size = 0

  numberOf(source: Source, text: string): number | undefined {
    return this.#bySource.get(source)?.get(text)
  }

  keep(source: Source, text: string, number: number): void {
    if (text.length > MAX_KNOWN_CHARACTERS) return
    if (this.#size >= MAX_KNOWN) {
      this.#bySource.clear()
      this.#size = 0
    }
    const own = this.#bySource.get(source) ?? new Map<string, number>()
    this.#bySource.set(source, own.set(text, number))
    this.#size++
  }

  forget(source: Source): void {
    this.#size -= this.#bySource.get(source)?.size ?? 0
    this.#bySource.delete(source)
  }
}

type Told<Kind extends EntryEvent['kind']> = Extract<EntryEvent, { readonly kind: Kind }>

/** PONG, and for how many a hello was published. */
function isRoutine({ purpose, reply }: Told<'reply'>): boolean {
  const isShort = reply.kind === 'simple' || reply.kind === 'integer'
  return isShort && (purpose.kind === 'ping' || purpose.kind === 'hello')
}

function isSameReply(one: Told<'reply'>, other: Told<'reply'>): boolean {
  if (one.purpose.kind === 'hello')
    if (other.purpose.kind !== 'hello' || other.purpose.group !== one.purpose.group) return false
  if (one.purpose.kind !== other.purpose.kind) return false
  if (one.reply === other.reply) return true
  if (one.reply.kind === 'simple')
    return other.reply.kind === 'simple' && other.reply.text === one.reply.text
  return (
    one.reply.kind === 'integer' &&
    other.reply.kind === 'integer' &&
    other.reply.value === one.reply.value
  )
}
