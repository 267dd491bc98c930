/**
 * A reply as bytes, as many at a time as the caller asks for. Writing a reply of a million elements, or of
 * half a gigabyte, takes longer than other clients should have to wait; and several of the largest values
 * together do not fit into one string.
 */
import {
  bulksHeader,
  encodeBulkOrNull,
  encodeReply,
  itemsHeader,
  mapHeader,
  replyBytes,
} from './encode.ts'
import { FlatText } from './flat-text.ts'
import type { Protocol, Reply } from './reply.ts'

/** A part that is being written. */
interface Frame {
  readonly part: Part
  readonly count: number
  /** How many of its elements, or of its bytes, have been written. */
  done: number
}

type Part =
  | { readonly kind: 'items'; readonly item: (at: number) => Reply }
  | { readonly kind: 'bulks'; readonly texts: readonly (string | undefined)[] }
  | { readonly kind: 'bytes'; readonly bytes: string }

/** A longer value goes out in pieces. */
export const LONG_BYTES = 64 * 1024

/** Shared by all of them: each begins anew. */
const flat = new FlatText()

export class ReplyWriter {
  readonly #protocol: Protocol
  /** The last one is the innermost. */
  readonly #frames: Frame[] = []
  /** What goes out before the frames. */
  #head: string
  #wanted = 0
  /** How many bytes have been returned by `next`. */
  writtenBytes = 0
  /** Called by whoever took the last bytes. */
  onDone: (() => void) | undefined

  constructor(reply: Reply, protocol: Protocol) {
    this.#protocol = protocol
    flat.begin('')
    this.#begin(reply)
    this.#head = flat.text
  }

  get isDone(): boolean {
    return this.#frames.length === 0 && this.#head === ''
  }

  /** Roughly how many bytes are kept for the part that is not written yet. */
  get keptBytes(): number {
    let bytes = this.#head.length
    for (const { part, count, done } of this.#frames) {
      bytes += (count - done) * (part.kind === 'bytes' ? 1 : ELEMENT_BYTES)
    }
    return bytes
  }

  /** The same, with the size of elements that may each be a message of megabytes. */
  get unwrittenBytes(): number {
    return this.#frames.reduce((bytes, frame) => bytes + elementBytesOf(frame), this.keptBytes)
  }

  /** The next bytes: about `wanted` of them, while there are that many. */
  next(wanted: number): string {
    const bytes = this.#next(wanted)
    this.writtenBytes += bytes.length
    return bytes
  }

  #next(wanted: number): string {
    this.#wanted = wanted
    flat.begin(this.#head)
    this.#head = ''
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      const { part, count, done } = frame
      if (done === count) this.#end(frame)
      else if (flat.length >= wanted) break
      else if (part.kind === 'items') this.#begin(part.item(frame.done++))
      else if (part.kind === 'bulks') this.#goOn(frame, part.texts)
      // A piece of a long value goes out as it is: a sum would be copied.
      else if (flat.length > 0) break
      else return piece(frame, part.bytes, wanted)
    }
    return flat.text
  }

  #begin(reply: Reply): void {
    switch (reply.kind) {
      case 'array':
      case 'set':
      case 'push':
        flat.add(itemsHeader(reply.kind, reply.items.length, this.#protocol))
        return this.#push(itemsOf(reply.items), reply.items.length)
      case 'list':
        flat.add(itemsHeader('array', reply.count, this.#protocol))
        return this.#push({ kind: 'items', item: reply.item }, reply.count)
      case 'map':
        flat.add(mapHeader(reply.entries.length, this.#protocol))
        return this.#push(itemsOf(reply.entries.flat()), 2 * reply.entries.length)
      case 'bulks':
        flat.add(bulksHeader(reply.of, reply.texts.length, this.#protocol))
        return this.#push({ kind: 'bulks', texts: reply.texts }, reply.texts.length)
      case 'bulk':
        return this.#beginBulk(reply.bytes)
      default:
        flat.add(encodeReply(reply, this.#protocol))
    }
  }

  #beginBulk(bytes: string): void {
    if (bytes.length <= LONG_BYTES) return flat.addBulk(bytes)
    flat.add(`$${bytes.length}\r\n`)
    this.#push({ kind: 'bytes', bytes }, bytes.length)
  }

  #push(part: Part, count: number): void {
    this.#frames.push({ part, count, done: 0 })
  }

  #end({ part }: Frame): void {
    this.#frames.pop()
    if (part.kind === 'bytes') flat.add('\r\n')
  }

  /** Writes elements until it is enough, or one is long. */
  #goOn(frame: Frame, texts: readonly (string | undefined)[]): void {
    while (frame.done < frame.count && flat.length < this.#wanted) {
      const text = texts[frame.done++]
      if (text === undefined) flat.add(encodeBulkOrNull(text, this.#protocol))
      else if (text.length <= LONG_BYTES) flat.addBulk(text)
      else return this.#beginBulk(text)
    }
  }
}

function piece(frame: Frame, bytes: string, wanted: number): string {
  const from = frame.done
  frame.done = Math.min(frame.count, from + wanted)
  return bytes.slice(from, frame.done)
}

/** Whether its bytes are more than these. */
export function isLongerThan(maxBytes: number, reply: Reply, protocol: Protocol): boolean {
  const writer = new ReplyWriter(reply, protocol)
  let bytes = 0
  while (!writer.isDone && bytes <= maxBytes) bytes += writer.next(LONG_BYTES).length
  return bytes > maxBytes
}

/** An estimate of what an element takes that is kept for one reader only. */
const ELEMENT_BYTES = 16
/** Of more elements none is looked at. */
const FEW = 16

function elementBytesOf({ part, count, done }: Frame): number {
  if (part.kind === 'bytes' || count - done > FEW) return 0
  let bytes = 0
  for (let at = done; at < count; at++) {
    bytes += part.kind === 'items' ? replyBytes(part.item(at)) : (part.texts[at]?.length ?? 0)
  }
  return bytes
}

function itemsOf(items: readonly Reply[]): Part {
  return { kind: 'items', item: (at) => items[at] as Reply }
}
