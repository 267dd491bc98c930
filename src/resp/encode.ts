/** Values to bytes. RESP3-only kinds are mapped down for a RESP2 client, the way Redis does it. */
import { unreachable } from '../base/assert.ts'
import { doubleText } from '../base/double-text.ts'
import { OK, type Protocol, type Reply } from './reply.ts'

const OK_BYTES = '+OK\r\n'

/** A reply as it goes over the wire. */
export function encodeReply(reply: Reply, protocol: Protocol): string {
  switch (reply.kind) {
    case 'simple':
      return reply === OK ? OK_BYTES : `+${oneLine(reply.text)}\r\n`
    case 'error':
      return `-${oneLine(reply.text)}\r\n`
    case 'integer':
      return encodeInteger(reply.value)
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
    case 'bulks':
      return encodeBulks(reply.of, reply.texts, protocol)
    case 'list':
      return encodeList(reply.count, reply.item, protocol)
    case 'map':
      return encodeMap(reply.entries, protocol)
    case 'double':
      return encodeDouble(reply.text ?? doubleText(reply.value), protocol)
    case 'boolean':
      return protocol === 3 ? `#${reply.value ? 't' : 'f'}\r\n` : `:${reply.value ? 1 : 0}\r\n`
    case 'bigNumber':
      return protocol === 3 ? `(${oneLine(reply.digits)}\r\n` : encodeBulk(reply.digits)
    case 'attributed': {
      const said = encodeReply(reply.reply, protocol)
      if (protocol === 2) return said
      return `|${encodeMap(reply.attributes, 3).slice(1)}${said}`
    }
    case 'verbatim':
      return encodeVerbatim(reply.format, reply.text, protocol)
    default:
      return unreachable(reply)
  }
}

/** About as many bytes as the reply takes on the wire, without writing it. */
export function replyBytes(reply: Reply): number {
  switch (reply.kind) {
    case 'simple':
    case 'error':
      return reply.text.length + FRAME_BYTES
    case 'bulk':
      return reply.bytes.length + FRAME_BYTES
    case 'verbatim':
      return reply.text.length + FRAME_BYTES
    case 'bigNumber':
      return reply.digits.length + FRAME_BYTES
    case 'array':
    case 'set':
    case 'push':
      return reply.items.reduce((sum, item) => sum + replyBytes(item), FRAME_BYTES)
    case 'bulks':
      return reply.texts.reduce((sum, text) => sum + (text?.length ?? 0) + FRAME_BYTES, FRAME_BYTES)
    case 'list':
      return listBytes(reply)
    case 'map':
      return reply.entries.reduce(
        (sum, [key, value]) => sum + replyBytes(key) + replyBytes(value),
        FRAME_BYTES,
      )
    default:
      return FRAME_BYTES
  }
}

function listBytes({ count, item }: Extract<Reply, { kind: 'list' }>): number {
  let bytes = FRAME_BYTES
  for (let at = 0; at < count; at++) bytes += replyBytes(item(at))
  return bytes
}

/** Type, length and line ends; numbers and nulls take no more. */
const FRAME_BYTES = 10

/** A command as an array of bulk strings, the only form every server accepts. */
export function encodeCommand(argv: readonly string[]): string {
  let bytes = `*${argv.length}`
  for (const argument of argv) {
    bytes += argumentHeader(argument.length)
    bytes += argument
  }
  return `${bytes}\r\n`
}

/** The line end of what comes before an argument, and the argument's header. */
function argumentHeader(length: number): string {
  return ARGUMENT_HEADERS[length] ?? `\r\n$${length}\r\n`
}

function bulkHeader(length: number): string {
  return BULK_HEADERS[length] ?? `$${length}\r\n`
}

/**
 * Precomputed for the usual lengths: each write is encoded again for the replicas, and two
 * concatenations per argument instead of five take two thirds of the time.
 */
const ARGUMENT_HEADERS: readonly string[] = headers((length) => `\r\n$${length}\r\n`)
const BULK_HEADERS: readonly string[] = headers((length) => `$${length}\r\n`)

function headers(text: (length: number) => string): string[] {
  return Array.from({ length: 64 }, (_, length) => text(length))
}

/** Counts and flags, which most integers are. */
const INTEGERS: readonly string[] = Array.from({ length: 256 }, (_, value) => `:${value}\r\n`)

function encodeInteger(value: number | bigint): string {
  const known = typeof value === 'number' ? INTEGERS[value] : undefined
  return known ?? `:${value}\r\n`
}

function encodeBulk(bytes: string): string {
  return `${bulkHeader(bytes.length)}${bytes}\r\n`
}

type ListKind = 'array' | 'set' | 'push'

const LIST_TYPES: Readonly<Record<ListKind, string>> = { array: '*', set: '~', push: '>' }

export function itemsHeader(kind: ListKind, count: number, protocol: Protocol): string {
  return `${protocol === 3 ? LIST_TYPES[kind] : '*'}${count}\r\n`
}

export function mapHeader(count: number, protocol: Protocol): string {
  return protocol === 3 ? `%${count}\r\n` : `*${2 * count}\r\n`
}

function encodeItems(kind: ListKind, items: readonly Reply[], protocol: Protocol): string {
  let bytes = itemsHeader(kind, items.length, protocol)
  for (const item of items) bytes += encodeReply(item, protocol)
  return bytes
}

function encodeBulks(
  of: 'array' | 'set' | 'map',
  texts: readonly (string | undefined)[],
  protocol: Protocol,
): string {
  let bytes = bulksHeader(of, texts.length, protocol).slice(0, -2)
  for (const text of texts) bytes = withBulk(bytes, text, protocol)
  return `${bytes}\r\n`
}

export function bulksHeader(
  of: 'array' | 'set' | 'map',
  count: number,
  protocol: Protocol,
): string {
  return of === 'map' ? mapHeader(count / 2, protocol) : itemsHeader(of, count, protocol)
}

/**
 * `before`, which lacks its last line end, with an element behind it that lacks its own: two concatenations
 * for each element instead of four.
 */
function withBulk(before: string, text: string | undefined, protocol: Protocol): string {
  if (text === undefined) return before + (protocol === 3 ? '\r\n_' : '\r\n$-1')
  return before + argumentHeader(text.length) + text
}

export function encodeBulkOrNull(text: string | undefined, protocol: Protocol): string {
  if (text !== undefined) return encodeBulk(text)
  return protocol === 3 ? '_\r\n' : '$-1\r\n'
}

function encodeList(count: number, item: (at: number) => Reply, protocol: Protocol): string {
  let bytes = itemsHeader('array', count, protocol)
  for (let at = 0; at < count; at++) bytes += encodeReply(item(at), protocol)
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

/** A line break inside a status or an error would start another reply. */
function oneLine(text: string): string {
  return text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]/g, ' ') : text
}
