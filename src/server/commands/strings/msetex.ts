/**
 * MSETEX of Valkey 9.1 and Redis 8.4: several strings with one condition and one expiry. Replicas and files are told MSET
 * or a SET for each key, which older servers know too.
 */
import { integer, type Reply } from '../../../resp/reply.ts'
import { momentText } from '../../arguments/expire-time.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { INVALID_NUMKEYS, SYNTAX_ERROR } from '../../errors.ts'
import { expireAt, parseSetOptions, type SetOptions } from './set.ts'

/** Where the first key stands, behind how many there are. */
const FIRST_KEY = 2

export function mSetEx(context: CommandContext, argv: readonly string[]): Reply {
  const count = parseInteger(argv[1])
  if (count === undefined || count < 1) return INVALID_NUMKEYS
  const end = FIRST_KEY + 2 * count
  if (end > argv.length) return SYNTAX_ERROR
  const options = parseSetOptions(argv, end)
  if ('kind' in options) return options
  if (options.answersOld || options.comparison !== undefined) return SYNTAX_ERROR
  const atMs = expireAt(context, options, 'msetex')
  if (typeof atMs === 'object') return atMs
  const pairs = argv.slice(FIRST_KEY, end)
  if (!isMet(context, pairs, options)) return integer(0)
  setAll(context, pairs, options, atMs)
  return integer(1)
}

/** NX: none of the keys exists; XX: all of them do. */
function isMet({ db }: CommandContext, pairs: readonly string[], { nx, xx }: SetOptions): boolean {
  if (!nx && !xx) return true
  for (let at = 0; at < pairs.length; at += 2) {
    if ((db.find(arg(pairs, at)) !== undefined) !== xx) return false
  }
  return true
}

function setAll(
  context: CommandContext,
  pairs: readonly string[],
  { keepsTtl }: SetOptions,
  atMs: number | undefined,
): void {
  for (let at = 0; at < pairs.length; at += 2) {
    const [key, bytes] = [arg(pairs, at), arg(pairs, at + 1)]
    const kept = keepsTtl ? context.db.find(key)?.expireAtMs : undefined
    context.db.put(key, { type: 'string', bytes }, atMs ?? kept)
    context.notify('set', key)
    if (atMs !== undefined) context.notify('expire', key)
  }
  tell(context, pairs, wordsAfter(keepsTtl, atMs))
}

function wordsAfter(keepsTtl: boolean, atMs: number | undefined): readonly string[] {
  if (keepsTtl) return ['KEEPTTL']
  return atMs === undefined ? [] : ['PXAT', momentText(atMs)]
}

function tell(context: CommandContext, pairs: readonly string[], words: readonly string[]): void {
  if (words.length === 0) return context.propagate(['MSET', ...pairs], pairs.length / 2)
  for (let at = 0; at < pairs.length; at += 2) {
    context.propagate(['SET', arg(pairs, at), arg(pairs, at + 1), ...words])
  }
}
