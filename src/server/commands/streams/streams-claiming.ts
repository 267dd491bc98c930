/**
 * XCLAIM and XAUTOCLAIM: entries that are pending with one consumer go to another, which is expected to
 * process them. An entry that has been deleted is no longer pending.
 */
import { array, list, type Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { SYNTAX_ERROR } from '../../errors.ts'
import type { EffectContext } from '../../sessions/effect-context.ts'
import type { StreamEntry } from '../../values/stream.ts'
import {
  COUNT_NOT_POSITIVE,
  COUNT_TOO_HIGH,
  INVALID_ID,
  invalidArgument,
  noSuchKeyOrGroup,
  unknownClaimOption,
} from '../../values/stream-errors.ts'
import type { Pending } from '../../values/stream-group.ts'
import { idAfter, MIN_ID, parseId, type StreamId } from '../../values/stream-id.ts'
import {
  entryReply,
  findGroup,
  idReply,
  isReply,
  type OpenGroup,
  parseStart,
} from './streams-common.ts'
import { claimEffect, positionEffect, seenConsumer } from './streams-delivery.ts'

/** What is the same for all ids of one command. */
interface Claim extends OpenGroup {
  readonly scene: EffectContext
  readonly key: string
  readonly groupName: string
  readonly consumerName: string
  readonly minIdleMs: number
  /** The reply contains only the ids, and this counts as no delivery. */
  readonly isJustId: boolean
}

export function xClaim(context: CommandContext, argv: readonly string[]): Reply {
  const [key, groupName, consumerName] = [arg(argv, 1), arg(argv, 2), arg(argv, 3)]
  const found = findGroup(context.db, key, groupName, noSuchKeyOrGroup(key, groupName))
  if (isReply(found)) return found
  const options = parseClaim(argv, context.now.wallMs)
  if ('kind' in options) return options
  const { ids, lastId, minIdleMs, isForced, isJustId, deliveredAtMs, deliveries } = options
  context.db.changingAside(key)
  const { group, stream } = found
  const isAdvanced = lastId > group.lastId
  if (isAdvanced) group.lastId = lastId
  const names = { key, groupName, consumerName }
  const claim = { scene: context, ...names, group, stream, minIdleMs, isJustId }
  const taken: StreamEntry[] = []
  let isTold = false
  for (const [id, text] of ids) {
    const pending = group.pending.get(id)
    const entry = stream.get(id)
    if (entry === undefined) {
      if (pending !== undefined) release(claim, id, text, pending)
      isTold ||= pending !== undefined
    } else if (pending === undefined ? isForced : isIdle(claim, pending)) {
      const times = deliveries ?? timesAfter(claim, pending)
      take(claim, entry, text, deliveredAtMs, times)
      taken.push(entry)
      isTold = true
    }
  }
  if (isAdvanced && !isTold) context.propagate(positionEffect(key, groupName, group))
  return takenReply(claim, taken)
}

function takenReply({ isJustId }: Claim, taken: readonly StreamEntry[]): Reply {
  return list(taken, isJustId ? ({ id }) => idReply(id) : entryReply)
}

/**
 * An entry that no longer exists is no longer pending. The same command has the same effect on a
 * replica.
 */
function release(claim: Claim, id: StreamId, text: string | undefined, pending: Pending): void {
  const { scene, key, groupName, group } = claim
  scene.propagate(claimEffect(key, groupName, group, id, pending, text))
  group.forget(id)
}

function isIdle({ scene, minIdleMs }: Claim, { deliveredAtMs }: Pending): boolean {
  return minIdleMs <= 0 || scene.now.wallMs - deliveredAtMs >= minIdleMs
}

/** An entry that was with no consumer counts as delivered once before. */
function timesAfter({ isJustId }: Claim, pending: Pending | undefined): number {
  return (pending?.deliveries ?? 1) + (isJustId ? 0 : 1)
}

function take(
  claim: Claim,
  entry: StreamEntry,
  text: string | undefined,
  deliveredAtMs: number,
  times: number,
): void {
  const { scene, key, groupName, group, consumerName } = claim
  // A consumer that gets nothing is neither seen nor created.
  const consumer = seenConsumer(scene, key, group, consumerName)
  const pending = group.assign(entry.id, consumer, deliveredAtMs, times)
  scene.propagate(claimEffect(key, groupName, group, entry.id, pending, text))
}

/** How many pending ids are examined for each one that may be claimed. */
const ATTEMPTS = 10

/** Redis counts in 64 bits, ten times as many ids. */
const COUNT_LIMIT = 2 ** 63 / 16

/** Redis refuses this many, because the list of ids would not fit into memory. */
const TOO_HIGH = 2 ** 36

interface AutoClaimOptions {
  readonly minIdleMs: number
  readonly start: StreamId
  count: number
  isJustId: boolean
}

export function xAutoClaim(context: CommandContext, argv: readonly string[]): Reply {
  const [key, groupName, consumerName] = [arg(argv, 1), arg(argv, 2), arg(argv, 3)]
  const found = findGroup(context.db, key, groupName, noSuchKeyOrGroup(key, groupName))
  const options = parseAutoClaim(argv)
  if ('kind' in options) return options
  if (isReply(found)) return found
  if (options.count > TOO_HIGH) return COUNT_TOO_HIGH
  context.db.changingAside(key)
  const names = { key, groupName, consumerName }
  return claimIdle({ ...options, ...found, ...names, scene: context }, options)
}

/**
 * Walks the pending ids: the reply is where to continue, what was claimed, and which entries do not
 * exist.
 */
function claimIdle(claim: Claim, { start, count }: AutoClaimOptions): Reply {
  const { group, stream, scene } = claim
  const claimed: StreamEntry[] = []
  const gone: StreamId[] = []
  let next = group.pending.atOrAfter(start)
  for (let left = count * ATTEMPTS; left > 0 && next !== undefined; left--) {
    if (claimed.length + gone.length >= count) break
    const [id, pending] = next
    const entry = stream.get(id)
    if (entry === undefined) {
      release(claim, id, undefined, pending)
      gone.push(id)
    } else if (isIdle(claim, pending)) {
      const times = timesAfter(claim, pending)
      take(claim, entry, undefined, scene.now.wallMs, times)
      claimed.push(entry)
    }
    const after = idAfter(id)
    next = after === undefined ? undefined : group.pending.atOrAfter(after)
  }
  return array([idReply(next?.[0] ?? MIN_ID), takenReply(claim, claimed), list(gone, idReply)])
}

function parseAutoClaim(argv: readonly string[]): AutoClaimOptions | Reply {
  const minIdleMs = parseInteger(argv[4])
  if (minIdleMs === undefined) return invalidArgument('min-idle-time', 'XAUTOCLAIM')
  const start = parseStart(arg(argv, 5))
  if (typeof start !== 'string') return start
  const options = { minIdleMs, start, count: 100, isJustId: false }
  for (let at = 6; at < argv.length; at++) {
    const option = arg(argv, at).toUpperCase()
    if (option === 'JUSTID') {
      options.isJustId = true
    } else if (option === 'COUNT' && at + 1 < argv.length) {
      const count = parseInteger(argv[++at])
      if (count === undefined || count < 1 || count >= COUNT_LIMIT) return COUNT_NOT_POSITIVE
      options.count = count
    } else {
      return SYNTAX_ERROR
    }
  }
  return options
}

/** The words of XCLAIM: ids, then options. The first word that is not an id ends the ids. */
interface ClaimOptions {
  /** As ids and as the client sent them; replicas get the latter. */
  readonly ids: readonly (readonly [id: StreamId, text: string])[]
  readonly minIdleMs: number
  /** Wall-clock milliseconds. */
  deliveredAtMs: number
  /** Undefined means one more than before. */
  deliveries: number | undefined
  /** Claim entries that are not pending as well. */
  isForced: boolean
  /** The entries' contents are not requested, so this counts as no delivery. */
  isJustId: boolean
  /** The group has read at least up to here. */
  lastId: StreamId
}

function parseClaim(argv: readonly string[], nowMs: number): ClaimOptions | Reply {
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
  // Clients compute with their own clocks: an impossible time counts as now.
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
