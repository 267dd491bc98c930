/**
 * `vedette/resp`: the RESP codec of Vedette's Sentinel and data node, RESP2 and RESP3, without any input or
 * output of its own. It takes what arrives in pieces of any size, allocates nothing from an announced length,
 * and keeps to limits.
 *
 * Bytes are strings in which every character is one byte (latin1): `buffer.toString('latin1')` makes them,
 * `Buffer.from(text, 'latin1')` takes them back.
 *
 * @example
 * ```ts
 * import { connect } from 'node:net'
 * import { encodeCommand, ReplyDecoder } from 'vedette/resp'
 *
 * const socket = connect(6379)
 * const replies = new ReplyDecoder()
 * socket.setEncoding('latin1').on('data', (bytes: string) => {
 *   replies.push(bytes)
 *   for (let reply = replies.next(); reply !== undefined; reply = replies.next()) {
 *     if (reply.kind === 'malformed') socket.destroy(new Error(reply.text))
 *     else console.log(reply)
 *   }
 * })
 * socket.write(encodeCommand(['GET', 'key']), 'latin1')
 * ```
 *
 * @packageDocumentation
 */
import { encodeCommand as commandBytes, encodeReply as replyBytes } from '../resp/encode.ts'
import type { Protocol, Reply } from '../resp/reply.ts'

export type { Protocol, Reply } from '../resp/reply.ts'
export { type Malformed, ReplyDecoder, type ReplyLimits } from '../resp/reply-decoder.ts'
export { type Request, RequestDecoder, type RequestLimits } from '../resp/request-decoder.ts'

/**
 * A command as an array of bulk strings. Numbers are written in decimal, as clients do. Throws a TypeError for
 * whatever else is not a byte string.
 */
export function encodeCommand(argv: readonly (string | number | bigint)[]): string {
  if (!Array.isArray(argv) || argv.length === 0) {
    throw new TypeError('encodeCommand takes an array: the name of the command, then its arguments')
  }
  return inBytes(commandBytes(argv.map(argumentText)), 'encodeCommand')
}

/** A reply as it goes over the wire. Throws a TypeError for what is no reply. */
export function encodeReply(reply: Reply, protocol: Protocol): string {
  if (protocol !== 2 && protocol !== 3) {
    throw new TypeError(`encodeReply takes protocol 2 or 3, not ${shown(protocol)}`)
  }
  checkReply(reply)
  return inBytes(replyBytes(reply, protocol), 'encodeReply')
}

function argumentText(argument: unknown, at: number): string {
  if (typeof argument === 'string') return argument
  if (typeof argument === 'number' || typeof argument === 'bigint') return String(argument)
  throw new TypeError(
    `encodeCommand: word ${at} is ${shown(argument)}, not a string or a number; ` +
      "for bytes use buffer.toString('latin1')",
  )
}

/** A character of more than one byte would make the lengths wrong, and what follows unreadable. */
function inBytes(bytes: string, name: string): string {
  const wide = /[^\0-\xff]/.exec(bytes)?.[0]
  if (wide === undefined) return bytes
  throw new TypeError(
    `${name}: '${wide}' is more than one byte; for text use Buffer.from(text).toString('latin1')`,
  )
}

/** The parts of each kind that must be strings. */
const TEXTS: Readonly<Partial<Record<Reply['kind'], readonly string[]>>> = {
  simple: ['text'],
  error: ['text'],
  bulk: ['bytes'],
  bigNumber: ['digits'],
  verbatim: ['format', 'text'],
}

function checkReply(reply: Reply): void {
  const parts = reply as unknown as
    | (Readonly<Record<string, unknown>> & { readonly kind?: unknown })
    | null
  const kind = parts?.kind
  if (typeof kind !== 'string') throw badReply('a reply has a kind', reply)
  for (const name of TEXTS[kind as Reply['kind']] ?? []) {
    if (typeof parts?.[name] !== 'string') throw badReply(`${name} of ${kind} is a string`, reply)
  }
  checkParts(reply)
}

function checkParts(reply: Reply): void {
  switch (reply.kind) {
    case 'integer':
      if (!/^(number|bigint)$/.test(typeof reply.value) || !/^-?\d+$/.test(String(reply.value)))
        throw badReply('value of integer is a whole number', reply)
      return
    case 'array':
    case 'set':
    case 'push':
      if (!Array.isArray(reply.items)) throw badReply(`items of ${reply.kind} is an array`, reply)
      return reply.items.forEach(checkReply)
    case 'map':
      if (!Array.isArray(reply.entries)) throw badReply('entries of map is an array', reply)
      for (const entry of reply.entries) entry.forEach(checkReply)
      return
    case 'simple':
    case 'error':
    case 'bulk':
    case 'bulks':
    case 'list':
    case 'null':
    case 'nullArray':
    case 'double':
    case 'boolean':
    case 'bigNumber':
    case 'attributed':
    case 'verbatim':
      return
    default:
      throw badReply('this kind is none of a reply', reply)
  }
}

function badReply(rule: string, reply: unknown): TypeError {
  return new TypeError(`encodeReply: ${rule}, and got ${shown(reply)}`)
}

function shown(value: unknown): string {
  if (value === undefined || typeof value === 'function') return String(typeof value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? typeof value
  const name = value.constructor?.name ?? 'object'
  return name === 'Object' ? JSON.stringify(value).slice(0, 80) : `a ${name}`
}
