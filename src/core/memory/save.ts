/**
 * What must survive a crash, and the moment it must have done so. `save` is a barrier in the batch:
 * a vote, once told, can never be forgotten, whatever byte the crash came at.
 */
import { savedUsers } from '../access/access.ts'
import type { Group, State, Turn } from '../state.ts'
import { currentMaster, savedPeer } from '../state.ts'
import { emit } from '../turn.ts'
import type { SavedGroup, SavedState } from './saved.ts'
import { settingsOf } from './settings.ts'

/** Everything pushed after this happens only once the whole state is on disk. */
export function save(turn: Turn): void {
  turn.state.saves.sinceMs ??= turn.now.monoMs
  const { state } = turn
  // Of many saves on the way to one barrier a single state is written, and only that one is made.
  emit(turn, { kind: 'save', state: () => savedState(state) })
}

export function savedState(state: State): SavedState {
  return {
    myid: state.myid,
    currentEpoch: state.currentEpoch,
    groups: [...state.groups.values()].map(savedGroup),
    removed: [...state.removed],
    settings: { file: state.fileSettings, current: settingsOf(state.config) },
    users: savedUsers(state.access),
  }
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
