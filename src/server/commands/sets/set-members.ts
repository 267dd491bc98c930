/** Changing members: the one place that keeps a set and its sampler in step. */
import { bulk, type Reply } from '../../../resp/reply.ts'
import type { CommandContext } from '../../context.ts'
import type { SetValue } from '../../values/value.ts'

/** The set at `key`, about to be changed; made if it is missing. */
export function openSet(
  { db }: CommandContext,
  key: string,
  present: SetValue | undefined,
): SetValue {
  if (present !== undefined) {
    db.changing(key)
    return present
  }
  const set: SetValue = { type: 'set', members: new Set() }
  db.put(key, set)
  return set
}

/** Whether the member is new. */
export function addMember(set: SetValue, member: string): boolean {
  const before = set.members.size
  set.members.add(member)
  const isNew = set.members.size > before
  if (isNew) set.sampler?.add(member)
  return isNew
}

/** Whether it was there. */
export function removeMember(set: SetValue, member: string): boolean {
  set.sampler?.delete(member)
  return set.members.delete(member)
}

export function setReply(members: Iterable<string>): Reply {
  return { kind: 'set', items: Array.from(members, bulk) }
}
