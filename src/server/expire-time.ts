/** Points in time as arguments: `EX 10`, `PXAT 1700000000000`, and what it means if they are over. */
import type { Reply } from '../resp/reply.ts'
import type { CommandContext } from './context.ts'
import { invalidExpireTime, NOT_AN_INTEGER } from './errors.ts'
import { parseInteger } from './numbers.ts'

/** As a number, which is a little more than the integer; only compared with. */
export const MAX_INT64 = 2 ** 63

export type ExpireOption = 'EX' | 'PX' | 'EXAT' | 'PXAT'

export function isExpireOption(word: string): word is ExpireOption {
  return word === 'EX' || word === 'PX' || word === 'EXAT' || word === 'PXAT'
}

/** The moment an option means, as wall-clock milliseconds. `command` is named in the error. */
export function parseExpireAt(
  option: ExpireOption,
  text: string | undefined,
  nowMs: number,
  command: string,
): number | Reply {
  const given = parseInteger(text)
  if (given === undefined) return NOT_AN_INTEGER
  const ms = option === 'EX' || option === 'EXAT' ? given * 1000 : given
  const atMs = option === 'EX' || option === 'PX' ? ms + nowMs : ms
  if (given <= 0 || atMs >= MAX_INT64) return invalidExpireTime(command)
  return atMs
}

/** Whether a key with this expiry is to be deleted at once. Only a master decides that. */
export function isPast({ node, session, now }: CommandContext, atMs: number): boolean {
  return atMs <= now.wallMs && session.kind !== 'master' && !node.replication.isReplica()
}

/** How replicas are told that a key was deleted instead of getting an expiry. */
export function deletionVerb({ node }: CommandContext): string {
  return node.settings.flag('lazyfree-lazy-expire') ? 'UNLINK' : 'DEL'
}
