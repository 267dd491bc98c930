/**
 * Pausing automatic failover of a group: an operator works on its nodes, and no Sentinel is to interfere.
 *
 * While a Sentinel holds a pause it begins no failover by itself and votes for no candidate. A leader
 * needs the votes of a majority, so a pause that a majority holds keeps every failover from beginning,
 * also by Sentinels that have not heard of it and by C Sentinels, which cannot. Everything else goes on:
 * masters are seen down, the quorum is counted, and SENTINEL FAILOVER works.
 *
 * A pause is on disk before it is told or acknowledged, and it always ends by itself.
 */
import { hostAndPort } from '../../base/ip.ts'
import { announce } from '../events.ts'
import { save } from '../persistence/save.ts'
import type { Group, Instance, Turn } from '../state.ts'
import {
  NEVER_PAUSED,
  orderKey,
  PAUSE_MAX_MS,
  type SavedPause,
  type ToldPause,
} from './pause-record.ts'

export function isPaused({ pause }: Group): boolean {
  return pause.untilMs !== undefined
}

/** Whether a pause keeps our vote from this candidate; an operator's order counts more. */
export function withholdsVote(group: Group, epoch: number, candidate: string): boolean {
  const { electionByHand } = group
  const isByHand = electionByHand?.epoch === epoch && electionByHand.leader === candidate
  return isPaused(group) && !isByHand
}

/** For logs and remarks; it does not change while the pause lasts. */
export function describePause({ pause: { by, reason } }: Group): string {
  return `automatic failover is paused by ${by}: ${reasonOr(reason)}`
}

function reasonOr(reason: string): string {
  return reason === '' ? 'no reason given' : reason
}

/** A newer order replaces what we hold. Returns whether a pause has ended by it. */
export function adoptOrder(turn: Turn, group: Group, told: ToldPause): boolean {
  const wasPaused = isPaused(group)
  setRecord(turn, group, told)
  save(turn)
  const { by, leftMs, kind } = told
  const outcome = kind === 'resume' ? 'resumed' : 'expired'
  if (leftMs > 0) announcePause(turn, group, told)
  else if (wasPaused) announce(turn, '-pause', group.master, { outcome, by })
  return wasPaused && leftMs === 0
}

/** The same order from a Sentinel that has counted the time without a break. Returns as above. */
export function correctEnd(turn: Turn, group: Group, told: ToldPause): boolean {
  const { leftMs } = told
  const wasPaused = isPaused(group)
  setRecord(turn, group, told)
  save(turn)
  if (leftMs === 0 && wasPaused) announceExpiry(turn, group)
  if (leftMs > 0 && !wasPaused) announcePause(turn, group, told)
  return wasPaused && leftMs === 0
}

/** Its time is over. */
export function expire(turn: Turn, group: Group): void {
  group.pause = { ...group.pause, untilMs: undefined }
  save(turn)
  announceExpiry(turn, group)
}

function announcePause(turn: Turn, group: Group, told: Omit<ToldPause, 'isSure'>): void {
  const { leftMs, by, reason } = told
  const seconds = Math.ceil(leftMs / 1_000)
  announce(turn, '+pause', group.master, { seconds, by, reason: reasonOr(reason) })
}

function announceExpiry(turn: Turn, group: Group): void {
  announce(turn, '-pause', group.master, { outcome: 'expired', by: group.pause.by })
}

function setRecord(turn: Turn, group: Group, { leftMs, ...order }: ToldPause): void {
  const untilMs = leftMs > 0 ? turn.now.monoMs + leftMs : undefined
  group.pause = { ...order, untilMs }
  armPause(turn, group)
}

/** Sets the deadline of the pause, also after all deadlines of the group have been cleared. */
export function armPause({ state: { timers } }: Turn, group: Group): void {
  const { untilMs } = group.pause
  if (untilMs === undefined) timers.clear(group, 'pause')
  else timers.set(group, 'pause', untilMs)
}

/** Our clocks cannot be trusted: from now on a Sentinel whose clocks can knows better what is left. */
export function doubtClocks(group: Group): void {
  if (isPaused(group)) group.pause = { ...group.pause, isSure: false }
}

/**
 * After a restart the wall clock says how much of the pause is left, and never more than there was. We
 * are not sure of it until a peer has said the same.
 */
export function restorePause(turn: Turn, group: Group, saved: SavedPause | undefined): void {
  if (saved === undefined) return
  const { leftMs, endsAtWallMs, ...order } = saved
  const left = Math.min(leftMs, Math.max(0, endsAtWallMs - turn.now.wallMs), PAUSE_MAX_MS)
  setRecord(turn, group, { ...order, leftMs: left, isSure: leftMs === 0 })
  if (leftMs === 0) return
  if (left > 0) announcePause(turn, group, { ...order, leftMs: left })
  else announceExpiry(turn, group)
}

/** How many Sentinels that count, of these and us, are known to hold the same order. */
export function holdersOf({ pause }: Group, electors: readonly { heldPause: string }[]): number {
  const key = orderKey(pause)
  return 1 + electors.filter(({ heldPause }) => heldPause === key).length
}

export function hasOrder({ pause }: Group): boolean {
  return pause.number > NEVER_PAUSED.number
}

/** `Sentinel 10.0.0.1:26379`. */
export function peerName({ host, port }: Instance): string {
  return `Sentinel ${hostAndPort(host, port)}`
}
