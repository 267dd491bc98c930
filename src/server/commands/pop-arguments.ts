/** What LMPOP, ZMPOP and their blocking forms have in common: `numkeys key … side [COUNT n]`. */
import type { Reply } from '../../resp/reply.ts'
import { parseInteger } from '../arguments/numbers.ts'
import { COUNT_NOT_POSITIVE, NUMKEYS_NOT_POSITIVE, SYNTAX_ERROR } from '../errors.ts'

export interface PopArguments<Side> {
  readonly keys: readonly string[]
  readonly side: Side
  readonly count: number
}

/** Parses from index `at` on. */
export function parsePopArguments<Side>(
  argv: readonly string[],
  at: number,
  parseSide: (word: string | undefined) => Side | undefined,
): PopArguments<Side> | Reply {
  const keyCount = parseInteger(argv[at])
  if (keyCount === undefined || keyCount < 1) return NUMKEYS_NOT_POSITIVE
  const sideAt = at + keyCount + 1
  const side = parseSide(argv[sideAt])
  if (side === undefined) return SYNTAX_ERROR
  const count = parseCount(argv.slice(sideAt + 1))
  if (typeof count !== 'number') return count
  return { keys: argv.slice(at + 1, sideAt), side, count }
}

/** An invalid count is reported before anything else. */
function parseCount(words: readonly string[]): number | Reply {
  if (words.length === 0) return 1
  if (words.length < 2 || words[0]?.toUpperCase() !== 'COUNT') return SYNTAX_ERROR
  const count = parseInteger(words[1])
  if (count === undefined || count < 1) return COUNT_NOT_POSITIVE
  return words.length === 2 ? count : SYNTAX_ERROR
}
