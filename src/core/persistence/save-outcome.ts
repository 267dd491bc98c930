/**
 * What a save that failed, and the first one that works again, mean. C Sentinel answers even when it
 * could not save. Here nothing is sent that could be forgotten: votes and vote requests after a failed
 * save are withheld, everything else still happens, and until a save succeeds this Sentinel gives no
 * vote and starts no election.
 */
import { smoothed } from '../../base/smoothed.ts'
import type { Effect } from '../effect.ts'
import { considerFailover } from '../election/failover-start.ts'
import { abortFailover } from '../failover/failover-state.ts'
import { findConnection } from '../links/links.ts'
import type { Turn } from '../state.ts'
import { ownerIn } from '../state.ts'
import { emit, log } from '../turn.ts'

const RETRY_MS = 1_000
const SAVE_FAILED = 'ERR Failed to save config file. Check server logs.'

export function onSaved(turn: Turn): void {
  measure(turn)
  if (turn.state.canSave) return
  turn.state.canSave = true
  log(turn, 'warning', 'the state is saved again: votes are given again')
  for (const group of turn.state.groups.values()) considerFailover(turn, group)
}

/** Of several saves in one batch only the first is measured: the others waited for it. */
function measure({ state: { saves }, now }: Turn): void {
  if (saves.sinceMs === undefined) return
  saves.lasting = smoothed(saves.lasting, now.monoMs - saves.sinceMs)
  saves.sinceMs = undefined
}

/** Does what may happen although the state could not be saved, and answers requests that may not. */
export function onSaveFailed(turn: Turn, reason: string, dropped: readonly Effect[]): void {
  if (turn.state.canSave) {
    log(
      turn,
      'warning',
      `cannot save the state: ${reason}. No vote is given until a save succeeds.`,
    )
  }
  turn.state.canSave = false
  turn.state.saves.sinceMs = undefined
  turn.state.timers.set(turn.state.tilt, 'save', turn.now.monoMs + RETRY_MS)
  for (const effect of dropped) salvage(turn, effect)
  // Our own vote is not on disk: an election won with it could be won twice.
  for (const group of turn.state.groups.values()) {
    if (group.failover?.state !== 'wait_start') continue
    abortFailover(turn, group, '-failover-abort-not-elected')
  }
}

function salvage(turn: Turn, effect: Effect): void {
  if (effect.kind === 'respond' && effect.reply.kind !== 'push') {
    emit(turn, { ...effect, reply: { kind: 'error', text: SAVE_FAILED } })
  } else if (effect.kind === 'send' && asksForVote(effect)) {
    withdraw(turn, effect)
  } else if (effect.kind !== 'save') {
    emit(turn, effect)
  }
}

function asksForVote(effect: Effect & { kind: 'send' }): boolean {
  return effect.purpose.kind === 'ask' && effect.purpose.epoch > 0
}

function withdraw(turn: Turn, effect: Effect & { kind: 'send' }): void {
  const connection = findConnection(turn, effect.link)
  if (connection === undefined) return
  connection.pending--
  if (effect.purpose.kind !== 'ask') return
  const peer = ownerIn(connection.link, effect.purpose.group)
  if (peer?.kind === 'sentinel') peer.askPending = false
}
