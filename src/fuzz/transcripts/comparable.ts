/** What each server may choose is left out when replies are compared: the order of hash tables, cursors, moments. */
import { itemSlices } from './reply-slices.ts'

/** In an order that each server chooses. */
const UNORDERED = /^(keys|smembers|sunion|sinter|sdiff|hgetall|hkeys|hvals)$/i
/** A time that is left, or the moment it ends. */
const TIMES = /^(ttl|pttl|expiretime|pexpiretime)$/i
const CURSORS = /^[shz]?scan$/i
const MOMENT = /:1[789]\d{11}\r/g
/** How long an entry (before how often it was delivered) or a consumer has been idle. */
const IDLE = /:\d+(?=\r\n:\d+\r\n)|(?<=\$4\r\nidle\r\n):\d+/g

/** The part of a reply in which two servers must agree. */
export function comparable([name = '']: readonly string[], bytes = '(nothing)'): string {
  const reply = bytes.replace(MOMENT, ':<now>\r')
  if (/^(xpending|xinfo)$/i.test(name)) return reply.replace(IDLE, ':<idle>')
  if (TIMES.test(name)) return reply.replace(/:\d+\r/, ':<time>\r')
  if (CURSORS.test(name) && reply.startsWith('*')) return ''
  return UNORDERED.test(name) ? `${reply.split('\r\n', 1)} ${flat(reply).sort().join('')}` : reply
}

/** The innermost replies. */
function flat(reply: string): string[] {
  const items = itemSlices(reply)
  return items.length === 0 ? [reply] : items.flatMap(flat)
}
