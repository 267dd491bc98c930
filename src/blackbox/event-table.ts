/**
 * The different events of a segment and their numbers. The frequent ones are looked for among those of the same link
 * or client and compared as they are: to make their JSON would cost more than all the rest of a record.
 */
import type { ClientId, LinkId } from '../core/ids.ts'
import type { EntryEvent } from './entry.ts'
import { jsonOf } from './json.ts'

/** An event that is told again and again, and its number. */
interface Known {
  readonly event: EntryEvent
  readonly number: number
}

/** A peer that sends something new each time must not fill the memory: what is forgotten is written again. */
const MAX_KNOWN = 10_000
const MAX_KNOWN_PER_SOURCE = 32

export class EventTable {
  readonly #links = new Map<LinkId, Known[]>()
  readonly #clients = new Map<ClientId, Known[]>()
  /** All others, by their JSON. */
  readonly #numbers = new Map<string, number>()
  #wake: number | undefined
  #next = 0

  /** The number of an event; `say` is called with its JSON if it is a new one. */
  numberOf(event: EntryEvent, say: (json: string) => void): number {
    switch (event.kind) {
      case 'wake':
        this.#wake ??= this.#add(event, say)
        return this.#wake
      case 'reply':
        if (!isRoutine(event)) break
        return this.#numberAmong(this.#links, event.link, event, say)
      case 'message':
        return this.#numberAmong(this.#links, event.link, event, say)
      case 'received':
        return this.#numberAmong(this.#clients, event.client, event, say)
      case 'infoAgain':
        // Whatever changed is new nearly always.
        return this.#add(event, say)
      case 'linkLost':
        this.#links.delete(event.link)
        break
      case 'clientClosed':
        this.#clients.delete(event.client)
        break
      default:
    }
    return this.#numberOfOther(event, say)
  }

  #numberAmong<Source>(
    sources: Map<Source, Known[]>,
    source: Source,
    event: EntryEvent,
    say: (json: string) => void,
  ): number {
    const known = sources.get(source) ?? []
    for (const one of known) if (isSame(one.event, event)) return one.number
    const number = this.#add(event, say)
    if (known.length === 0) sources.set(source, known)
    if (known.length >= MAX_KNOWN_PER_SOURCE) known.shift()
    known.push({ event, number })
    return number
  }

  #numberOfOther(event: EntryEvent, say: (json: string) => void): number {
    const json = jsonOf(event)
    const known = this.#numbers.get(json)
    if (known !== undefined) return known
    if (this.#numbers.size >= MAX_KNOWN) this.#numbers.clear()
    this.#numbers.set(json, this.#next)
    say(json)
    return this.#next++
  }

  #add(event: EntryEvent, say: (json: string) => void): number {
    say(jsonOf(event))
    return this.#next++
  }
}

type Told<Kind extends EntryEvent['kind']> = Extract<EntryEvent, { readonly kind: Kind }>

/** PONG, and for how many a hello was published. */
function isRoutine({ purpose, reply }: Told<'reply'>): boolean {
  const isShort = reply.kind === 'simple' || reply.kind === 'integer'
  return isShort && (purpose.kind === 'ping' || purpose.kind === 'hello')
}

/** Of two frequent events of one link or one client. */
function isSame(one: EntryEvent, other: EntryEvent): boolean {
  if (one.kind === 'message' && other.kind === 'message')
    return one.payload === other.payload && one.channel === other.channel
  if (one.kind === 'received' && other.kind === 'received') return one.bytes === other.bytes
  return one.kind === 'reply' && other.kind === 'reply' && isSameReply(one, other)
}

function isSameReply(one: Told<'reply'>, other: Told<'reply'>): boolean {
  if (one.purpose.kind === 'hello')
    if (other.purpose.kind !== 'hello' || other.purpose.group !== one.purpose.group) return false
  if (one.purpose.kind !== other.purpose.kind) return false
  if (one.reply.kind === 'simple')
    return other.reply.kind === 'simple' && other.reply.text === one.reply.text
  return (
    one.reply.kind === 'integer' &&
    other.reply.kind === 'integer' &&
    other.reply.value === one.reply.value
  )
}
