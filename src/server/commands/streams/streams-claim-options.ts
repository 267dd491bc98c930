/** The words of XCLAIM: ids, then options. The first word that is no id ends the ids. */
import type { Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
import { INVALID_ID, invalidArgument, unknownClaimOption } from '../../values/stream-errors.ts'
import { MIN_ID, parseId, type StreamId } from '../../values/stream-id.ts'

export interface ClaimOptions {
  /** As ids and as they were typed, which is how replicas are told. */
  readonly ids: readonly (readonly [id: StreamId, text: string])[]
  readonly minIdleMs: number
  /** Wall-clock milliseconds. */
  deliveredAtMs: number
  /** Undefined: one more than before. */
  deliveries: number | undefined
  /** Entries that are not pending are claimed as well. */
  isForced: boolean
  /** The entries' contents are not asked for, so this counts as no delivery. */
  isJustId: boolean
  /** The group has read at least as far. */
  lastId: StreamId
}

export function parseClaim(argv: readonly string[], nowMs: number): ClaimOptions | Reply {
  const minIdleMs = parseInteger(argv[4])
  if (minIdleMs === undefined) return invalidArgument('min-idle-time', 'XCLAIM')
  const ids = leadingIds(argv.slice(5))
  const options: ClaimOptions = {
    ...{ ids, minIdleMs, deliveredAtMs: nowMs, deliveries: undefined },
    ...{ isForced: false, isJustId: false, lastId: MIN_ID },
  }
  let at = 5 + ids.length
  while (at < argv.length) {
    const words = takeOption(options, argv, at, nowMs)
    if (typeof words !== 'number') return words
    at += words
  }
  const { deliveredAtMs } = options
  // Clients compute with clocks of their own: what cannot be is taken for now.
  if (deliveredAtMs < 0 || deliveredAtMs > nowMs) options.deliveredAtMs = nowMs
  return options
}

function leadingIds(words: readonly string[]): [StreamId, string][] {
  const ids: [StreamId, string][] = []
  for (const text of words) {
    const id = parseId(text)
    if (id === undefined) break
    ids.push([id, text])
  }
  return ids
}

/** How many words the option has. */
function takeOption(
  options: ClaimOptions,
  argv: readonly string[],
  at: number,
  nowMs: number,
): number | Reply {
  const word = arg(argv, at)
  const option = word.toUpperCase()
  if (option === 'FORCE') {
    options.isForced = true
    return 1
  }
  if (option === 'JUSTID') {
    options.isJustId = true
    return 1
  }
  const value = argv[at + 1]
  if (value === undefined) return unknownClaimOption(word)
  if (option === 'LASTID') return takeLastId(options, value)
  if (option !== 'IDLE' && option !== 'TIME' && option !== 'RETRYCOUNT')
    return unknownClaimOption(word)
  const number = parseInteger(value)
  if (number === undefined) return invalidArgument(`${option} option`, 'XCLAIM')
  if (option === 'IDLE') options.deliveredAtMs = nowMs - number
  else if (option === 'TIME') options.deliveredAtMs = number
  else options.deliveries = number < 0 ? undefined : Math.min(number, Number.MAX_SAFE_INTEGER)
  return 2
}

function takeLastId(options: ClaimOptions, value: string): number | Reply {
  const id = parseId(value)
  if (id === undefined) return INVALID_ID
  options.lastId = id
  return 2
}
