/** Changing members: the one place that keeps a set and its sampler consistent. */
import type { Reply } from '../../../resp/reply.ts'
import type { CommandContext } from '../../context.ts'
import { CountedMembers } from '../../values/counted.ts'
import type { SetValue } from '../../values/value.ts'

/** The set at `key`, ready to be changed; created if it is missing. */
export function openSet(
  { db }: CommandContext,
  key: string,
  present: SetValue | undefined,
): SetValue {
  if (present !== undefined) {
    db.changing(key)
    return present
  }
  const set: SetValue = { type: 'set', members: new CountedMembers() }
  db.put(key, set)
  return set
}

/** Returns whether the member is new. */
export function addMember(set: SetValue, member: string): boolean {
  const before = set.members.size
  set.members.add(member)
  const isNew = set.members.size > before
  if (isNew) set.sampler?.add(member)
  return isNew
}

/** Returns whether the member was there. */
export function removeMember(set: SetValue, member: string): boolean {
  set.sampler?.delete(member)
  return set.members.delete(member)
}

export function setReply(members: Iterable<string>): Reply {
  return { kind: 'bulks', of: 'set', texts: [...members] }
}
