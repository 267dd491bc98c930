/**
 * Points in time as arguments: `EX 10`, `PXAT 1700000000000`, and what happens if they are in the
 * past.
 */
import type { Reply } from '../../resp/reply.ts'
import type { CommandContext } from '../context.ts'
import { deletion } from '../effects.ts'
import { invalidExpireTime, NOT_AN_INTEGER } from '../errors.ts'
import type { Entry } from '../keyspace/db.ts'
import { parseExact } from './numbers.ts'

const MAX_INT64 = 2n ** 63n - 1n

/**
 * A moment is kept as a number: exact up to the year 287396, within a second beyond. This is the last
 * one that is still a 64-bit integer, the form in which it is sent.
 */
export const LAST_MOMENT_MS = 2 ** 63 - 1024

export type ExpireOption = 'EX' | 'PX' | 'EXAT' | 'PXAT'

export function isExpireOption(word: string): word is ExpireOption {
  return word === 'EX' || word === 'PX' || word === 'EXAT' || word === 'PXAT'
}

/** The moment that an option means, as wall-clock milliseconds. The error names `command`. */
export function parseExpireAt(
  option: ExpireOption,
  text: string | undefined,
  nowMs: number,
  command: string,
): number | Reply {
  const unitMs = option === 'EX' || option === 'EXAT' ? 1000 : 1
  const baseMs = option === 'EX' || option === 'PX' ? nowMs : 0
  const moment = parseMoment(text, unitMs, baseMs)
  if (moment === 'no integer') return NOT_AN_INTEGER
  if (moment === 'out of range' || moment <= baseMs) return invalidExpireTime(command)
  return moment
}

/** All digits of a moment: above 2^53, a double's own text leaves some of them out. */
export function momentText(atMs: number): string {
  return String(Number.isSafeInteger(atMs) ? atMs : BigInt(atMs))
}

/** `text` units after `baseMs`, as wall-clock milliseconds. Neither product nor sum may exceed 64 bits. */
export function parseMoment(
  text: string | undefined,
  unitMs: number,
  baseMs: number,
): number | 'no integer' | 'out of range' {
  const given = text === undefined ? undefined : parseExact(text)
  if (given === undefined) return 'no integer'
  const near = Number(given) * unitMs + baseMs
  if (Math.abs(near) < Number.MAX_SAFE_INTEGER) return near
  const spanMs = BigInt(given) * BigInt(unitMs)
  const isWithin = spanMs >= -MAX_INT64 - 1n && spanMs + BigInt(baseMs) <= MAX_INT64
  return isWithin ? Math.min(near, LAST_MOMENT_MS) : 'out of range'
}

/**
 * Gives a key a time to live, or deletes it if that is already over, which only a master decides.
 * Replicas get the result; `options` is what else they need to know.
 */
export function setExpiry(
  context: CommandContext,
  key: string,
  entry: Entry,
  atMs: number,
  options: readonly string[] = [],
): void {
  if (isPast(context, atMs)) {
    context.db.remove(key)
    context.notify('del', key)
    context.propagate(deletion(key, context.node.settings.flag('lazyfree-lazy-expire')))
  } else {
    context.db.setExpiry(key, entry, atMs)
    context.notify('expire', key)
    context.propagate(['PEXPIREAT', key, momentText(atMs), ...options])
  }
}

/** Only a master decides this. */
export function isPast({ node, session, now }: CommandContext, atMs: number): boolean {
  return atMs <= now.wallMs && session.kind !== 'master' && !node.replication.isReplica()
}

/** In what a command takes or tells times to live. */
export interface ExpireUnit {
  /** The command, as errors name it. */
  readonly name: string
  readonly milliseconds: 1 | 1000
  /** From now on; otherwise a moment of the wall clock. */
  readonly isRelative: boolean
}

export function seconds(name: string, isRelative: boolean): ExpireUnit {
  return { name, milliseconds: 1000, isRelative }
}

export function milliseconds(name: string, isRelative: boolean): ExpireUnit {
  return { name, milliseconds: 1, isRelative }
}
