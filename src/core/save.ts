/**
 * What must survive a crash, and the moment it must have done so. `save` is a barrier in the batch:
 * a vote, once told, can never be forgotten, whatever byte the crash came at.
 *
 * Redis' Sentinel ignores a failed save and answers all the same. Here nothing is told that could be
 * forgotten: votes and vote requests behind a failed save are withheld, everything else still happens,
 * and no vote is given until a save succeeds.
 */
import type { Effect } from './effect.ts'
import { findConnection } from './links.ts'
import type { SavedGroup, SavedState } from './saved.ts'
import type { Group, State, Turn } from './state.ts'
import { currentMaster, savedPeer } from './state.ts'
import { emit, log } from './turn.ts'

const SAVE_FAILED = 'ERR Failed to save config file. Check server logs.'

/** Everything pushed after this happens only once the whole state is on disk. */
export function save(turn: Turn): void {
  emit(turn, { kind: 'save', state: savedState(turn.state) })
}

export function savedState(state: State): SavedState {
  return {
    myid: state.myid,
    currentEpoch: state.currentEpoch,
    groups: [...state.groups.values()].map(savedGroup),
    removed: [...state.removed],
  }
}

export function onSaved(turn: Turn): void {
  if (!turn.state.canSave) log(turn, 'notice', 'state saved again: votes are given again')
  turn.state.canSave = true
}

/** Re-emits what may happen although the state could not be saved, and answers for what may not. */
export function onSaveFailed(turn: Turn, reason: string, dropped: readonly Effect[]): void {
  turn.state.canSave = false
  log(turn, 'warning', `cannot save the state: ${reason}. No vote is given until a save succeeds.`)
  for (const effect of dropped) {
    if (effect.kind === 'respond' && effect.reply.kind !== 'push') {
      emit(turn, { ...effect, reply: { kind: 'error', text: SAVE_FAILED } })
    } else if (effect.kind === 'send' && asksForVote(effect)) {
      withdraw(turn, effect)
    } else if (effect.kind !== 'save') {
      emit(turn, effect)
    }
  }
}

/** A vote request presupposes our own vote, which is not on disk. */
function asksForVote(effect: Effect & { kind: 'send' }): boolean {
  return effect.purpose.kind === 'ask' && effect.purpose.epoch > 0
}

function withdraw(turn: Turn, effect: Effect & { kind: 'send' }): void {
  const connection = findConnection(turn, effect.link)
  if (connection === undefined) return
  connection.pending--
  if (connection.instance.kind === 'sentinel') connection.instance.askPending = false
}

function savedGroup(group: Group): SavedGroup {
  const { host, port } = currentMaster(group)
  return {
    file: group.file,
    current: { ...group.config, host, port },
    configEpoch: group.configEpoch,
    leaderEpoch: group.leaderEpoch,
    leader: group.leader,
    replicas: savedReplicas(group, host, port),
    peers: [...group.peers.values()].map(savedPeer),
  }
}

/** While a promotion is under way the old master is saved as the replica it is about to become. */
function savedReplicas(group: Group, host: string, port: number) {
  return [group.master, ...group.replicas.values()]
    .filter((one) => one.host !== host || one.port !== port)
    .map((one) => ({ host: one.host, port: one.port }))
}
