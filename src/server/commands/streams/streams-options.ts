/**
 * The options of XADD and XTRIM. They are read in order up to the id (XADD) or the end (XTRIM), and the
 * error is about the first wrong one.
 */
import type { Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { NOT_AN_INTEGER, SYNTAX_ERROR } from '../../errors.ts'
import {
  INVALID_ID,
  LIMIT_WITHOUT_ABOUT,
  LIMIT_WITHOUT_STRATEGY,
  NEGATIVE_LIMIT,
  NEGATIVE_MAXLEN,
  NO_STRATEGY,
  TWO_STRATEGIES,
} from '../../values/stream-errors.ts'
import { parseId, parseOpenId } from '../../values/stream-id.ts'
import type { Trim } from '../../values/stream-trim.ts'

export interface TrimOptions {
  readonly trim: Trim | undefined
  /** Index of the word that says how many entries, or from which id on, may stay. */
  readonly thresholdAt: number
  /** XADD: a missing stream is created. */
  readonly makesStream: boolean
  /** Index of the first word after the options: XADD's id, if there is one. */
  readonly endAt: number
}

/** Those of an XADD whose id follows its key. */
export const WITHOUT_OPTIONS: TrimOptions = {
  ...{ trim: undefined, thresholdAt: 0 },
  ...{ makesStream: true, endAt: 2 },
}

interface Draft {
  threshold: Trim['threshold'] | undefined
  thresholdAt: number
  isAbout: boolean
  limit: number | undefined
  makesStream: boolean
}

export function parseTrimOptions(
  context: CommandContext,
  argv: readonly string[],
  isAdding: boolean,
): TrimOptions | Reply {
  const draft: Draft = {
    threshold: undefined,
    thresholdAt: 0,
    isAbout: false,
    limit: undefined,
    makesStream: true,
  }
  let at = 2
  while (at < argv.length) {
    const words = takeOption(draft, argv, at, isAdding)
    if (typeof words !== 'number') return words
    if (words === 0) break
    at += words
  }
  const trim = trimOf(context, draft, isAdding)
  if (trim !== undefined && 'kind' in trim) return trim
  const { thresholdAt, makesStream } = draft
  return { trim, thresholdAt, makesStream, endAt: at }
}

/** How many words the option at `at` has; 0 if it is not an option but XADD's id. */
function takeOption(
  draft: Draft,
  argv: readonly string[],
  at: number,
  isAdding: boolean,
): number | Reply {
  const word = arg(argv, at)
  if (isAdding && word === '*') return 0
  const option = word.toUpperCase()
  const hasMore = at + 1 < argv.length
  if (hasMore && (option === 'MAXLEN' || option === 'MINID')) {
    return takeThreshold(draft, argv, at, option)
  }
  if (hasMore && option === 'LIMIT') return takeLimit(draft, argv[at + 1])
  if (!isAdding) return SYNTAX_ERROR
  if (option !== 'NOMKSTREAM') return isNewId(word) ? 0 : INVALID_ID
  draft.makesStream = false
  return 1
}

function isNewId(word: string): boolean {
  return parseId(word) !== undefined || parseOpenId(word) !== undefined
}

function takeThreshold(
  draft: Draft,
  argv: readonly string[],
  at: number,
  option: 'MAXLEN' | 'MINID',
): number | Reply {
  if (draft.threshold !== undefined) return TWO_STRATEGIES
  const sign = at + 2 < argv.length ? argv[at + 1] : undefined
  const hasSign = sign === '~' || sign === '='
  draft.isAbout = sign === '~'
  draft.thresholdAt = at + (hasSign ? 2 : 1)
  const text = arg(argv, draft.thresholdAt)
  const wrong = option === 'MINID' ? takeMinId(draft, text) : takeMaxLength(draft, text)
  return wrong ?? (hasSign ? 3 : 2)
}

function takeMinId(draft: Draft, text: string): Reply | undefined {
  const min = parseId(text)
  if (min === undefined) return INVALID_ID
  draft.threshold = { kind: 'id', min }
  return undefined
}

function takeMaxLength(draft: Draft, text: string): Reply | undefined {
  const max = parseInteger(text)
  if (max === undefined) return NOT_AN_INTEGER
  if (max < 0) return NEGATIVE_MAXLEN
  draft.threshold = { kind: 'length', max }
  return undefined
}

function takeLimit(draft: Draft, text: string | undefined): number | Reply {
  const limit = parseInteger(text)
  if (limit === undefined) return NOT_AN_INTEGER
  if (limit < 0) return NEGATIVE_LIMIT
  draft.limit = limit
  return 2
}

function trimOf(
  { session, node }: CommandContext,
  { threshold, isAbout, limit }: Draft,
  isAdding: boolean,
): Trim | Reply | undefined {
  // What a master sends is already the exact result, with a limit or without.
  const isObeyed = session.kind === 'master'
  if (threshold === undefined) {
    if ((limit ?? 0) !== 0) return LIMIT_WITHOUT_STRATEGY
    if (!isAdding) return NO_STRATEGY
  }
  if (limit !== undefined && !isAbout && !isObeyed) return LIMIT_WITHOUT_ABOUT
  if (threshold === undefined) return undefined
  if (isObeyed) return { threshold, isAbout, limit: 0 }
  if (!isAbout) return { threshold, isAbout, limit: 0 }
  return {
    threshold,
    isAbout,
    limit: limit ?? usualLimit(node.settings.int('stream-node-max-entries')),
  }
}

/** So that an approximate trim does not take long: a hundred nodes. */
function usualLimit(maxEntries: number): number {
  return maxEntries === 0 ? 10_000 : Math.min(100 * maxEntries, 1_000_000)
}
