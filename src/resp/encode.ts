/**
 * Values to bytes. What only RESP3 can say is mapped down for a RESP2 client, the way Redis does it.
 */
import { unreachable } from '../base/assert.ts'
import { doubleText } from '../base/double-text.ts'
import type { Protocol, Reply } from './reply.ts'

/** A reply as it goes over the wire. */
export function encodeReply(reply: Reply, protocol: Protocol): string {
  switch (reply.kind) {
    case 'simple':
      return `+${oneLine(reply.text)}\r\n`
    case 'error':
      return `-${oneLine(reply.text)}\r\n`
    case 'integer':
      return `:${reply.value}\r\n`
    case 'bulk':
      return encodeBulk(reply.bytes)
    case 'null':
      return protocol === 3 ? '_\r\n' : '$-1\r\n'
    case 'nullArray':
      return protocol === 3 ? '_\r\n' : '*-1\r\n'
    case 'array':
    case 'set':
    case 'push':
      return encodeItems(reply.kind, reply.items, protocol)
    case 'map':
      return encodeMap(reply.entries, protocol)
    case 'double':
      return encodeDouble(reply.text ?? doubleText(reply.value), protocol)
    case 'boolean':
      return protocol === 3 ? `#${reply.value ? 't' : 'f'}\r\n` : `:${reply.value ? 1 : 0}\r\n`
    case 'bigNumber':
      return protocol === 3 ? `(${oneLine(reply.digits)}\r\n` : encodeBulk(reply.digits)
    case 'verbatim':
      return encodeVerbatim(reply.format, reply.text, protocol)
    default:
      return unreachable(reply)
  }
}

const PIECE_BYTES = 1024 * 1024

/**
 * The same in pieces of about a megabyte. Several of the largest values together are more than one
 * string can hold, so an aggregate that came from outside must not be encoded at once.
 */
export function writeReply(reply: Reply, protocol: Protocol, write: (bytes: string) => void): void {
  let piece = ''
  const add = (bytes: string) => {
    if (piece !== '' && piece.length + bytes.length > PIECE_BYTES) {
      write(piece)
      piece = ''
    }
    piece += bytes
  }
  addReply(reply, protocol, add)
  write(piece)
}

function addReply(reply: Reply, protocol: Protocol, add: (bytes: string) => void): void {
  switch (reply.kind) {
    case 'array':
    case 'set':
    case 'push':
      add(itemsHeader(reply.kind, reply.items.length, protocol))
      for (const item of reply.items) addReply(item, protocol, add)
      return
    case 'map':
      add(mapHeader(reply.entries.length, protocol))
      for (const pair of reply.entries) for (const item of pair) addReply(item, protocol, add)
      return
    default:
      add(encodeReply(reply, protocol))
  }
}

/** A command as an array of bulk strings, the only form every server accepts. */
export function encodeCommand(argv: readonly string[]): string {
  let bytes = `*${argv.length}`
  for (const argument of argv) {
    bytes += bulkHeader(argument.length)
    bytes += argument
  }
  return `${bytes}\r\n`
}

/** The end of what stands before an argument, and the header of the argument. */
function bulkHeader(length: number): string {
  return SHORT_HEADERS[length] ?? `\r\n$${length}\r\n`
}

/**
 * Ready-made for the usual lengths: each write is encoded again for the replicas, and two joins for an
 * argument instead of five take two thirds of the time.
 */
const SHORT_HEADERS: readonly string[] = Array.from(
  { length: 64 },
  (_, length) => `\r\n$${length}\r\n`,
)

function encodeBulk(bytes: string): string {
  return `$${bytes.length}\r\n${bytes}\r\n`
}

type ListKind = 'array' | 'set' | 'push'

const LIST_TYPES: Readonly<Record<ListKind, string>> = { array: '*', set: '~', push: '>' }

function itemsHeader(kind: ListKind, count: number, protocol: Protocol): string {
  return `${protocol === 3 ? LIST_TYPES[kind] : '*'}${count}\r\n`
}

function mapHeader(count: number, protocol: Protocol): string {
  return protocol === 3 ? `%${count}\r\n` : `*${2 * count}\r\n`
}

function encodeItems(kind: ListKind, items: readonly Reply[], protocol: Protocol): string {
  let bytes = itemsHeader(kind, items.length, protocol)
  for (const item of items) bytes += encodeReply(item, protocol)
  return bytes
}

function encodeMap(entries: readonly (readonly [Reply, Reply])[], protocol: Protocol): string {
  let bytes = mapHeader(entries.length, protocol)
  for (const [key, value] of entries) {
    bytes += encodeReply(key, protocol) + encodeReply(value, protocol)
  }
  return bytes
}

function encodeDouble(digits: string, protocol: Protocol): string {
  return protocol === 3 ? `,${digits}\r\n` : encodeBulk(digits)
}

function encodeVerbatim(format: string, text: string, protocol: Protocol): string {
  return protocol === 3 ? `=${text.length + 4}\r\n${format}:${text}\r\n` : encodeBulk(text)
}

/** A line break inside a status or an error would begin a reply of its own. */
function oneLine(text: string): string {
  return text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]/g, ' ') : text
}
