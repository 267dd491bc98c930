/**
 * What must survive a crash, and the moment it must have done so. `save` is a barrier in the batch:
 * a vote, once told, can never be forgotten, whatever byte the crash came at.
 */
import { savedUsers } from '../access/access.ts'
import { savedBlock } from '../failover/flapping.ts'
import { savedPause } from '../pause/pause-record.ts'
import type { Group, Peer, State, Turn } from '../state.ts'
import { currentMaster } from '../state.ts'
import { emit } from '../turn.ts'
import type { SavedGroup, SavedPeer, SavedState } from './saved.ts'
import { settingsOf } from './settings.ts'

/** Everything pushed after this happens only once the whole state is on disk. */
export function save(turn: Turn): void {
  turn.state.saves.sinceMs ??= turn.now.monoMs
  const { state } = turn
  // Of several saves before one barrier, only the last state is built and written.
  emit(turn, { kind: 'save', state: () => savedState(state) })
}

export function savedState(state: State): SavedState {
  return {
    myid: state.myid,
    currentEpoch: state.currentEpoch,
    ...(state.renumbering === undefined ? {} : { renumbering: state.renumbering }),
    groups: [...state.groups.values()].map((group) => savedGroup(state, group)),
    removed: [...state.removed],
    settings: { file: state.fileSettings, current: settingsOf(state.config) },
    users: savedUsers(state.access),
  }
}

function savedGroup(state: State, group: Group): SavedGroup {
  const { host, port } = currentMaster(group)
  // The moment of the step that saves.
  const pause = savedPause(group.pause, state.tilt.last)
  return {
    file: group.file,
    current: { ...group.config, host, port },
    configEpoch: group.configEpoch,
    leaderEpoch: group.leaderEpoch,
    leader: group.leader,
    ...savedBlock(state.tilt.last, group),
    replicas: savedReplicas(group, host, port),
    peers: [...group.peers.values()].filter(({ isProven }) => isProven).map(savedPeer),
    ...(pause === undefined ? {} : { pause }),
  }
}

/** While a promotion is under way the old master is saved as the replica it is about to become. */
function savedReplicas(group: Group, host: string, port: number) {
  return [group.master, ...group.replicas.values()]
    .filter((one) => one.host !== host || one.port !== port)
    .map((one) => ({ host: one.host, port: one.port }))
}

function savedPeer({ runId, host, port }: Peer): SavedPeer {
  return { runId, host, port }
}
