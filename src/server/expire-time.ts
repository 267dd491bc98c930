/** Points in time as arguments: `EX 10`, `PXAT 1700000000000`, and what it means if they are over. */
import type { Reply } from '../resp/reply.ts'
import type { CommandContext } from './context.ts'
import type { Entry } from './db.ts'
import { deletion } from './effects.ts'
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

/**
 * Gives a key a time to live, or deletes it when that is over already: only a master decides so. Replicas
 * are told what became of it; `options` is what else they have to know.
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
    context.propagate(deletion(key, context.node.settings.flag('lazyfree-lazy-expire')))
  } else {
    context.db.setExpiry(key, entry, atMs)
    context.propagate(['PEXPIREAT', key, String(atMs), ...options])
  }
}

function isPast({ node, session, now }: CommandContext, atMs: number): boolean {
  return atMs <= now.wallMs && session.kind !== 'master' && !node.replication.isReplica()
}
