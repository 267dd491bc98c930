/** What the commands on sorted sets have in common: finding the set, changing it, formatting elements. */
import { array, bulk, bulks, list, type Reply } from '../../../resp/reply.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { WRONG_TYPE } from '../../errors.ts'
import type { EffectContext, ToldEffect } from '../../sessions/effect-context.ts'
import type { KeyspaceEvent } from '../../sessions/keyspace-event.ts'
import type { Settings } from '../../settings/settings.ts'
import { encodingOf } from '../../values/encoding.ts'
import { type RankRange, type Scored, SortedSet } from '../../values/sorted-set.ts'
import type { ZsetValue } from '../../values/value.ts'
import { storeResult } from '../store-result.ts'

/** Answers from an existing sorted set, or with `missing` if there is none. */
export function readingZset(
  missing: Reply,
  answer: (set: SortedSet, argv: readonly string[], context: CommandContext) => Reply,
) {
  return (context: CommandContext, argv: readonly string[]): Reply => {
    const zset = context.db.value(arg(argv, 1))
    if (zset === undefined) return missing
    return zset.type === 'zset' ? answer(zset.set, argv, context) : WRONG_TYPE
  }
}

/** The sorted set at `key`, ready to be changed; created if it is missing. */
export function openZset(
  { db }: EffectContext,
  key: string,
  present: ZsetValue | undefined,
): ZsetValue {
  if (present !== undefined) {
    db.changing(key)
    return present
  }
  const zset: ZsetValue = { type: 'zset', set: new SortedSet() }
  db.put(key, zset)
  return zset
}

/** Removes the elements of these ranks, and the key together with the last element; says so as `event`. */
export function removeRanks(
  scene: EffectContext,
  key: string,
  { set }: ZsetValue,
  range: RankRange,
  event: KeyspaceEvent,
): void {
  const { db } = scene
  const isEmptied = range.to - range.from === set.size
  db.changing(key)
  if (isEmptied) db.remove(key)
  else set.deleteRange(range)
  scene.notify(event, key)
  if (isEmptied) scene.notify('del', key)
}

/** Removes members, all of which must exist, and the key together with the last one. */
export function removeMembers(
  scene: EffectContext,
  key: string,
  { set }: ZsetValue,
  members: readonly string[],
): void {
  const { db } = scene
  const isEmptied = members.length === set.size
  db.changing(key)
  if (isEmptied) db.remove(key)
  else for (const member of members) set.delete(member)
  scene.notify('zrem', key)
  if (isEmptied) scene.notify('del', key)
}

/** Redis' compact form of small sets writes whole scores as integers, which have no -0. */
export function storableScore(
  zset: ZsetValue,
  member: string,
  score: number,
  settings: Settings,
): number {
  return Object.is(score, -0) && staysPacked(zset, member, settings) ? 0 : score
}

function staysPacked(zset: ZsetValue, member: string, settings: Settings): boolean {
  if (encodingOf(zset, settings) !== 'listpack') return false
  if (zset.set.has(member)) return true
  const hasRoom = zset.set.size < settings.int('zset-max-listpack-entries')
  return hasRoom && member.length <= settings.int('zset-max-listpack-value')
}

/** Replaces whatever is at the key with the result of a command; an empty result makes no key. */
export function storeZset(
  context: CommandContext,
  key: string,
  set: SortedSet,
  event: KeyspaceEvent,
  changes = 1,
  effect?: ToldEffect,
): void {
  const { settings } = context.node
  const value = set.size > 0 ? withoutMinusZero({ type: 'zset', set }, settings) : undefined
  storeResult(context, key, value, event, changes, effect)
}

function withoutMinusZero(zset: ZsetValue, settings: Settings): ZsetValue {
  if (encodingOf(zset, settings) !== 'listpack') return zset
  if (![...zset.set].some(([, score]) => Object.is(score, -0))) return zset
  return { type: 'zset', set: new SortedSet([...zset.set].map(([member, s]) => [member, s + 0])) }
}

export function double(value: number): Reply {
  return { kind: 'double', value }
}

export function pairReply([member, score]: Scored): Reply {
  return array([bulk(member), double(score)])
}

export function membersReply(elements: Iterable<Scored>): Reply {
  return bulks(Array.from(elements, ([member]) => member))
}

/** Members and scores alternate; RESP3 keeps each pair together. */
export function pairsReply({ session }: CommandContext, elements: Iterable<Scored>): Reply {
  return session.protocol === 3 ? list([...elements], pairReply) : flatPairsReply(elements)
}

export function flatPairsReply(elements: Iterable<Scored>): Reply {
  const pairs = [...elements]
  const item = (at: number): Reply => {
    const [member, score] = pairs[at >>> 1] as Scored
    return at % 2 === 0 ? bulk(member) : double(score)
  }
  return { kind: 'list', count: 2 * pairs.length, item }
}
