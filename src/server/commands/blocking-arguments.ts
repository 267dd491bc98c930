/** Arguments that the commands on lists and on sorted sets share: how long to wait, and what to take. */
import type { Reply } from '../../resp/reply.ts'
import { parseFloating, parseInteger } from '../arguments/numbers.ts'
import {
  COUNT_NOT_POSITIVE,
  NUMKEYS_NOT_POSITIVE,
  SYNTAX_ERROR,
  TIMEOUT_NEGATIVE,
  TIMEOUT_NOT_A_FLOAT,
  TIMEOUT_OUT_OF_RANGE,
} from '../errors.ts'

/** From seconds to milliseconds; 0 is for ever. */
export function parseTimeout(text: string | undefined): number | Reply {
  const seconds = parseFloating(text)
  if (seconds === undefined) return TIMEOUT_NOT_A_FLOAT
  if (seconds * 1000 > Number.MAX_SAFE_INTEGER) return TIMEOUT_OUT_OF_RANGE
  if (seconds < 0) return TIMEOUT_NEGATIVE
  return Math.ceil(seconds * 1000)
}

export interface PopArguments<Side> {
  readonly keys: readonly string[]
  readonly side: Side
  readonly count: number
}

/** `numkeys key … side [COUNT n]`, from index `at` on. */
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

function parseCount(words: readonly string[]): number | Reply {
  if (words.length === 0) return 1
  if (words.length !== 2 || words[0]?.toUpperCase() !== 'COUNT') return SYNTAX_ERROR
  const count = parseInteger(words[1])
  return count === undefined || count < 1 ? COUNT_NOT_POSITIVE : count
}
