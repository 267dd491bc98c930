/**
 * XCLAIM and XAUTOCLAIM: entries that are pending with one consumer go to another, who is believed to do
 * more about them. An entry that has been deleted is no longer pending with anybody.
 */
import { array, type Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { SYNTAX_ERROR } from '../../errors.ts'
import type { Scene } from '../../sessions/scene.ts'
import type { StreamEntry } from '../../values/stream.ts'
import {
  COUNT_NOT_POSITIVE,
  COUNT_TOO_HIGH,
  invalidArgument,
  noSuchKeyOrGroup,
} from '../../values/stream-errors.ts'
import type { Pending } from '../../values/stream-group.ts'
import { idAfter, idText, MIN_ID, type StreamId } from '../../values/stream-id.ts'
import { parseClaim } from './streams-claim-options.ts'
import {
  entryReply,
  findGroup,
  idReply,
  isReply,
  type OpenGroup,
  parseStart,
} from './streams-common.ts'
import { seenConsumer, tellClaim, tellPosition } from './streams-delivery.ts'

/** What is the same for all ids of one command. */
interface Claim extends OpenGroup {
  readonly scene: Scene
  readonly key: string
  readonly groupName: string
  readonly consumerName: string
  readonly minIdleMs: number
  /** The reply names the ids only, and this counts as no delivery. */
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
  const replies: Reply[] = []
  let isTold = false
  for (const [id, text] of ids) {
    const pending = group.pending.get(id)
    const entry = stream.get(id)
    if (entry === undefined) {
      if (pending !== undefined) release(claim, id, text, pending)
      isTold ||= pending !== undefined
    } else if (pending === undefined ? isForced : isIdle(claim, pending)) {
      const times = deliveries ?? timesAfter(claim, pending)
      replies.push(take(claim, entry, text, deliveredAtMs, times))
      isTold = true
    }
  }
  if (isAdvanced && !isTold) tellPosition(context, key, groupName, group)
  return array(replies)
}

/** An entry that exists no longer is pending no longer. Executing the same has the same effect there. */
function release(claim: Claim, id: StreamId, text: string, pending: Pending): void {
  const { scene, key, groupName, group } = claim
  tellClaim(scene, key, groupName, group, text, pending)
  group.forget(id)
}

function isIdle({ scene, minIdleMs }: Claim, { deliveredAtMs }: Pending): boolean {
  return minIdleMs <= 0 || scene.now.wallMs - deliveredAtMs >= minIdleMs
}

/** An entry that nobody had counts as delivered once before. */
function timesAfter({ isJustId }: Claim, pending: Pending | undefined): number {
  return (pending?.deliveries ?? 1) + (isJustId ? 0 : 1)
}

function take(
  claim: Claim,
  entry: StreamEntry,
  text: string,
  deliveredAtMs: number,
  times: number,
): Reply {
  const { scene, key, groupName, group, consumerName, isJustId } = claim
  // Who gets nothing is not heard of, nor created.
  const consumer = seenConsumer(scene, group, consumerName)
  const pending = group.assign(entry.id, consumer, deliveredAtMs, times)
  tellClaim(scene, key, groupName, group, text, pending)
  return isJustId ? idReply(entry.id) : entryReply(entry)
}

/** How many pending ids are looked at for each that may be claimed. */
const ATTEMPTS = 10

/** Redis counts in 64 bits, ten times as many ids. */
const COUNT_LIMIT = 2 ** 63 / 16

/** A list of so many ids would not fit into memory, Redis says. */
const TOO_HIGH = 2 ** 36

interface AutoClaimOptions {
  readonly minIdleMs: number
  readonly start: StreamId
  count: number
  isJustId: boolean
}

export function xAutoClaim(context: CommandContext, argv: readonly string[]): Reply {
  const options = parseAutoClaim(argv)
  if ('kind' in options) return options
  const [key, groupName, consumerName] = [arg(argv, 1), arg(argv, 2), arg(argv, 3)]
  const found = findGroup(context.db, key, groupName, noSuchKeyOrGroup(key, groupName))
  if (isReply(found)) return found
  if (options.count > TOO_HIGH) return COUNT_TOO_HIGH
  context.db.changingAside(key)
  const names = { key, groupName, consumerName }
  return claimIdle({ ...options, ...found, ...names, scene: context }, options)
}

/** Walks the pending ids: the reply is where to go on, what was claimed, and what does not exist. */
function claimIdle(claim: Claim, { start, count }: AutoClaimOptions): Reply {
  const { group, stream, scene } = claim
  const claimed: Reply[] = []
  const gone: Reply[] = []
  let next = group.pending.atOrAfter(start)
  for (let left = count * ATTEMPTS; left > 0 && next !== undefined; left--) {
    if (claimed.length + gone.length >= count) break
    const [id, pending] = next
    const entry = stream.get(id)
    if (entry === undefined) {
      release(claim, id, idText(id), pending)
      gone.push(idReply(id))
    } else if (isIdle(claim, pending)) {
      const times = timesAfter(claim, pending)
      claimed.push(take(claim, entry, idText(id), scene.now.wallMs, times))
    }
    const after = idAfter(id)
    next = after === undefined ? undefined : group.pending.atOrAfter(after)
  }
  return array([idReply(next?.[0] ?? MIN_ID), array(claimed), array(gone)])
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
