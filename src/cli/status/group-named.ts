/**
 * Which group a user means. A name need not be UTF-8, and then no argument can spell it: Node reads arguments as UTF-8 and
 * puts U+FFFD in place of every other byte. So a group is also found as `vedette status` shows it, and as Node has read
 * its bytes.
 */
import { utf8Bytes } from '../../base/utf8.ts'
import type { Asking, ReplyValue } from './asking.ts'
import { namesAsked, readMasters } from './shapes.ts'

export interface NamedGroup {
  /** As commands have it. */
  readonly word: string
  /** As people read it. */
  readonly shown: string
}

/** Asks the Sentinel only if the name is more than ASCII. A user may lack the right to ask: then the name is UTF-8. */
export async function groupNamed(sentinel: Asking, typed: string): Promise<NamedGroup> {
  const plain = { word: utf8Bytes(typed), shown: typed }
  if (plain.word === typed) return plain
  const known = await sentinel.call('SENTINEL', 'MASTERS').then(groupsIn, () => [])
  return groupMeant(known, typed) ?? plain
}

function groupsIn(answer: ReplyValue): readonly NamedGroup[] {
  const words = namesAsked(answer)
  return readMasters(answer).map(({ name = '' }, at) => ({ word: words[at] ?? '', shown: name }))
}

/** Undefined: none of them, or several, so that nothing is done to the wrong one. */
export function groupMeant(known: readonly NamedGroup[], typed: string): NamedGroup | undefined {
  const exact = known.find(({ word }) => word === utf8Bytes(typed))
  if (exact !== undefined) return exact
  const meant = known.filter(({ word, shown }) => shown === typed || asRead(word) === typed)
  return meant.length === 1 ? meant[0] : undefined
}

/** A Sentinel refuses an order because it watches no group of that name: the command line is wrong. */
export function isUnknownGroup(refusal: string): boolean {
  return refusal.includes('No such master')
}

/** What Node makes of such an argument. */
function asRead(word: string): string {
  return Buffer.from(word, 'latin1').toString('utf8')
}
