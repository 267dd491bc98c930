/**
 * What another Sentinel says of a pause: the newer order counts, whoever tells it. And what follows from
 * the end of a pause: if the master is down by then, a failover begins within a round trip.
 */
import { array, bulk, type Reply } from '../../resp/reply.ts'
import { askPeers } from '../detection/ask.ts'
import { checkOdown } from '../detection/down.ts'
import { considerFailover } from '../election/failover-start.ts'
import { abortFailover } from '../failover/failover-state.ts'
import type { Connection, Group, Peer, Turn } from '../state.ts'
import { log } from '../turn.ts'
import { adoptOrder, correctEnd, expire, isPaused } from './pause.ts'
import {
  isNewerOrder,
  isWithinReach,
  orderKey,
  pauseWords,
  readPauseWords,
  type ToldPause,
} from './pause-record.ts'
import { sharePause } from './share-pause.ts'

/** Takes over what is newer than what we hold; false if it cannot be honest. */
function hearOfPause(turn: Turn, group: Group, told: ToldPause, speaker: string): boolean {
  const { pause } = group
  if (!isWithinReach(told.number, pause.number)) {
    const what = `order ${told.number} to pause ${group.config.name}, told by ${speaker}`
    log(turn, 'warning', `${what}, is refused: it is out of reach from ${pause.number}`)
    return false
  }
  if (isNewerOrder(told, pause)) takeOrder(turn, group, told, () => passOn(turn, group))
  else if (!pause.isSure && told.isSure && orderKey(told) === orderKey(pause)) {
    if (correctEnd(turn, group, told)) onPauseEnded(turn, group)
  }
  return true
}

/**
 * Puts an order into effect here. The peers are told first, on the connections on which a candidate
 * would ask for their votes next: at the end of a pause they must know of it by then.
 */
export function takeOrder(turn: Turn, group: Group, told: ToldPause, tellPeers: () => void): void {
  const hasEnded = adoptOrder(turn, group, told)
  tellPeers()
  if (isPaused(group)) onPaused(turn, group)
  else if (hasEnded) onPauseEnded(turn, group)
}

function passOn(turn: Turn, group: Group): void {
  const key = orderKey(group.pause)
  for (const peer of group.peers.values()) if (peer.heldPause !== key) sharePause(turn, peer)
}

/** The deadline of the pause. */
export function onPauseExpired(turn: Turn, group: Group): void {
  if (!isPaused(group)) return
  expire(turn, group)
  onPauseEnded(turn, group)
}

/** A candidacy of ours that has not won yet cannot win any more; a failover that has begun goes on. */
function onPaused(turn: Turn, group: Group): void {
  const { failover } = group
  if (failover?.state === 'wait_start' && failover.kind === 'automatic') {
    abortFailover(turn, group, '-failover-abort-not-elected')
  }
  considerFailover(turn, group)
}

/**
 * Nothing that happened before or during the pause is a reason to wait any more: no back-off after a
 * lost election, no time for a leader that could not act, no vote that was refused because of the pause.
 */
function onPauseEnded(turn: Turn, group: Group): void {
  // The stagger that keeps votes from splitting counts from here: all Sentinels hear of it together.
  const notBeforeMs = turn.now.monoMs
  Object.assign(group, { notBeforeMs, failedAttempts: 0, yieldedTo: undefined })
  for (const peer of group.peers.values()) peer.counsel = undefined
  checkOdown(turn, group)
  if (group.failover?.state === 'wait_start') askPeers(turn, group)
}

/** SENTINEL SHARE-PAUSE: what we hold now, and whether a failover is under way here. */
export function answerShare(
  turn: Turn,
  group: Group,
  words: readonly string[],
  speaker: string,
): Reply | undefined {
  const told = readPauseWords(words)
  if (told === undefined || !hearOfPause(turn, group, told, speaker)) return undefined
  return array([...recordWords(turn, group), group.failover === undefined ? '0' : '1'].map(bulk))
}

function recordWords(turn: Turn, group: Group): readonly string[] {
  return pauseWords(group.pause, turn.now.monoMs)
}

export interface ShareAnswer {
  /** The peer was leading a failover already; that goes on. */
  readonly isBusy: boolean
}

/** Notes what a peer holds. Undefined if it cannot share pauses, or is not the peer we asked. */
export function noteShareAnswer(
  turn: Turn,
  peer: Peer,
  { identity }: Connection,
  reply: Reply,
): ShareAnswer | undefined {
  const words = textsIn(reply)
  const told = words && readPauseWords(words.slice(0, -1))
  peer.sharesPauses = told !== undefined
  if (told === undefined || identity !== 'confirmed') return undefined
  if (!hearOfPause(turn, peer.group, told, peer.name)) return undefined
  peer.heldPause = orderKey(told)
  return { isBusy: words?.at(-1) === '1' }
}

function textsIn(reply: Reply): readonly string[] | undefined {
  if (reply.kind !== 'array') return undefined
  const texts = reply.items.flatMap((item) => (item.kind === 'bulk' ? [item.bytes] : []))
  return texts.length === reply.items.length ? texts : undefined
}
