/**
 * Replies of commands to values of a script, and what a script returns to a reply. A script sees
 * replies as RESP2 has them until it asks for RESP3 with `redis.setresp`.
 */
import { doubleText } from '../../base/double-text.ts'
import type { Native } from '../../lua/machine/functions.ts'
import { toText } from '../../lua/machine/operators.ts'
import { LuaTable } from '../../lua/table.ts'
import { isTrue, type LuaValue } from '../../lua/values.ts'
import {
  array,
  bulk,
  error,
  integer,
  NULL,
  type Protocol,
  type Reply,
  simple,
} from '../../resp/reply.ts'

/** Deeper tables end in an error in the place of the table. */
const MAX_DEPTH = 1_000
const TOO_DEEP = error('ERR reached lua stack limit')
const MIN_INT64 = -(2n ** 63n)
/** The field by which Redis, and scripts, know an error of a command. */
const COUNTED = 'ignore_error_stats_update'

/** As scripts get it. An error is a table that only `redis.pcall` hands to the script. */
export function replyToLua(native: Native, reply: Reply, protocol: Protocol): LuaValue {
  switch (reply.kind) {
    case 'simple':
      return single(native, 'ok', reply.text)
    case 'error':
      return errorTable(native, reply.text)
    case 'integer':
      return Number(reply.value)
    case 'bulk':
      return counted(native, reply.bytes)
    case 'null':
    case 'nullArray':
      return protocol === 3 ? undefined : false
    case 'array':
    case 'push':
      return listOf(native, reply.items.length, (at) => reply.items[at] as Reply, protocol)
    case 'list':
      return listOf(native, reply.count, reply.item, protocol)
    case 'set':
      return setOf(native, reply.items, protocol)
    case 'bulks':
      return bulksToLua(native, reply, protocol)
    case 'map':
      return mapOf(native, reply.entries, protocol)
    case 'attributed':
      return replyToLua(native, reply.reply, protocol)
    default:
      return scalarToLua(native, reply, protocol)
  }
}

function scalarToLua(
  native: Native,
  reply: Extract<Reply, { kind: 'double' | 'boolean' | 'bigNumber' | 'verbatim' }>,
  protocol: Protocol,
): LuaValue {
  const isNew = protocol === 3
  switch (reply.kind) {
    case 'double':
      if (!isNew) return reply.text ?? doubleText(reply.value)
      // A script reads what a client would: a coordinate has 17 decimals and no more.
      return single(native, 'double', reply.text === undefined ? reply.value : Number(reply.text))
    case 'boolean':
      return isNew ? reply.value : Number(reply.value)
    case 'bigNumber':
      return isNew ? single(native, 'big_number', reply.digits) : reply.digits
    case 'verbatim': {
      if (!isNew) return counted(native, reply.text)
      const table = native.newTable(0, 2)
      table.set('string', counted(native, reply.text))
      table.set('format', reply.format)
      return single(native, 'verbatim_string', table)
    }
  }
}

function counted(native: Native, text: string): string {
  native.heap.charge(text.length + 24)
  return text
}

function single(native: Native, key: string, value: LuaValue): LuaTable {
  const table = native.newTable()
  table.adoptField(key, value)
  return table
}

/** An error as commands answer it: INFO has counted it already. */
export function errorTable(native: Native, text: string): LuaTable {
  const table = single(native, 'err', text.replace(/[\r\n]/g, ' '))
  table.set(COUNTED, true)
  return table
}

/** The error that a script answers, from the value that it returned or raised. */
export function errorReply(text: string, value: LuaValue): Reply {
  const isCounted = value instanceof LuaTable && isTrue(value.get(COUNTED))
  return isCounted ? { kind: 'error', text, isCounted } : error(text)
}

function listOf(
  native: Native,
  count: number,
  item: (at: number) => Reply,
  protocol: Protocol,
): LuaTable {
  const table = listTable(native, count, protocol)
  for (let at = 0; at < count; at++) {
    table.setNumber(at + 1, replyToLua(native, item(at), protocol))
  }
  native.spend(count)
  return table
}

/**
 * For a list of replies. In RESP3 it may have holes, and then its length depends on how it came to its
 * size: Redis adds one value after the other.
 */
function listTable(native: Native, count: number, protocol: Protocol): LuaTable {
  return native.newTable(protocol === 3 ? 0 : count)
}

function setOf(native: Native, items: readonly Reply[], protocol: Protocol): LuaTable {
  if (protocol === 2) return listOf(native, items.length, (at) => items[at] as Reply, protocol)
  const members = native.newTable()
  for (const item of items) members.set(replyToLua(native, item, protocol), true)
  return single(native, 'set', members)
}

function mapOf(
  native: Native,
  entries: readonly (readonly [Reply, Reply])[],
  protocol: Protocol,
): LuaTable {
  if (protocol === 2) {
    const flat = entries.flat()
    return listOf(native, flat.length, (at) => flat[at] as Reply, protocol)
  }
  const fields = native.newTable()
  for (const [key, value] of entries) {
    fields.set(replyToLua(native, key, protocol), replyToLua(native, value, protocol))
  }
  return single(native, 'map', fields)
}

function bulksToLua(
  native: Native,
  { of, texts }: Extract<Reply, { kind: 'bulks' }>,
  protocol: Protocol,
): LuaTable {
  const nothing = protocol === 3 ? undefined : false
  let bytes = 0
  for (const text of texts) bytes += (text?.length ?? 0) + 24
  native.heap.charge(bytes)
  native.spend(texts.length)
  const isList = protocol === 2 || of === 'array'
  const table = isList ? listTable(native, texts.length, protocol) : native.newTable()
  if (isList) {
    for (let at = 0; at < texts.length; at++) table.setNumber(at + 1, texts[at] ?? nothing)
    return table
  }
  const step = of === 'map' ? 2 : 1
  for (let at = 0; at < texts.length; at += step) {
    table.set(texts[at] ?? '', step === 2 ? (texts[at + 1] ?? nothing) : true)
  }
  return single(native, of === 'map' ? 'map' : 'set', table)
}

/** `protocol`: what the script has set; it decides how a boolean is answered. */
export function luaToReply(value: LuaValue, protocol: Protocol, depth = 0): Reply {
  switch (typeof value) {
    case 'string':
      return bulk(value)
    case 'number':
      return integer(integerOf(value))
    case 'boolean':
      if (protocol === 3) return { kind: 'boolean', value }
      return value ? integer(1) : NULL
    default:
      return value instanceof LuaTable ? tableToReply(value, protocol, depth + 1) : NULL
  }
}

function tableToReply(table: LuaTable, protocol: Protocol, depth: number): Reply {
  if (depth > MAX_DEPTH) return TOO_DEEP
  const failure = table.get('err')
  if (typeof failure === 'string') return errorReply(failure, table)
  const status = table.get('ok')
  if (typeof status === 'string') return simple(status)
  return typedToReply(table, protocol, depth) ?? listToReply(table, protocol, depth)
}

/** Tables with one field that names a type of RESP3. */
function typedToReply(table: LuaTable, protocol: Protocol, depth: number): Reply | undefined {
  const double = table.get('double')
  if (typeof double === 'number') return doubleReply(double)
  const map = table.get('map')
  if (map instanceof LuaTable) {
    const entries = [...map.entries()].map(
      ([key, value]) =>
        [luaToReply(key, protocol, depth), luaToReply(value, protocol, depth)] as const,
    )
    return { kind: 'map', entries }
  }
  const set = table.get('set')
  if (set instanceof LuaTable) {
    return {
      kind: 'set',
      items: [...set.entries()].map(([key]) => luaToReply(key, protocol, depth)),
    }
  }
  const digits = table.get('big_number')
  if (typeof digits === 'string')
    return { kind: 'bigNumber', digits: digits.replace(/[\r\n]/g, ' ') }
  const verbatim = table.get('verbatim_string')
  if (!(verbatim instanceof LuaTable)) return undefined
  const [format, text] = [verbatim.get('format'), verbatim.get('string')]
  if (typeof format !== 'string' || typeof text !== 'string') return undefined
  return { kind: 'verbatim', format: format.slice(0, 3).padEnd(3), text }
}

/** What is no number has a sign in C, and the usual one is negative. */
function doubleReply(value: number): Reply {
  return Number.isNaN(value) ? { kind: 'double', value, text: '-nan' } : { kind: 'double', value }
}

/** Up to the first nil. */
function listToReply(table: LuaTable, protocol: Protocol, depth: number): Reply {
  const items: Reply[] = []
  for (let at = 1; ; at++) {
    const value = table.getNumber(at)
    if (value === undefined) return array(items)
    items.push(luaToReply(value, protocol, depth))
  }
}

/** As C converts a double to 64 bits. */
function integerOf(value: number): number | bigint {
  const whole = Math.trunc(value)
  if (Number.isSafeInteger(whole)) return whole === 0 ? 0 : whole
  return Number.isFinite(whole) && Math.abs(whole) < 2 ** 63 ? BigInt(whole) : MIN_INT64
}

/** What `error_reply` and the like hand to scripts: `CODE text`, or with `ERR` in front. */
export function errorText(message: string): string {
  const clean = message.replace(/[\r\n]+$/, '')
  if (!clean.startsWith('-')) return `ERR ${clean}`
  return clean.includes(' ') ? clean.slice(1) : `ERR ${clean.slice(1)}`
}

/** The error with which a script ends, from the value it raised. */
export function raisedText(value: LuaValue): string {
  if (!(value instanceof LuaTable)) return `ERR ${shown(value)}`
  const text = toText(value.get('err'))
  return text ?? 'ERR unknown error'
}

function shown(value: LuaValue): string {
  return toText(value) ?? (value === undefined ? 'nil' : isTrue(value) ? String(value) : 'false')
}
