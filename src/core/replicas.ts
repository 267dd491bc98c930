/** Adding replicas to a group: found in the master's INFO, remembered from before, or left by a switch. */
import { announce } from './events.ts'
import { createReplica, replicaName, watch } from './instances.ts'
import type { Address } from './saved.ts'
import type { Group, Replica, Turn } from './state.ts'

/** Adds and announces a replica that is not known yet. */
export function addReplica(turn: Turn, group: Group, address: Address): Replica {
  const replica = registerReplica(turn, group, address)
  announce(turn, 'notice', '+slave', replica)
  return replica
}

/** Adds a replica without a word, as at the start from a state file. */
export function registerReplica(turn: Turn, group: Group, { host, port }: Address): Replica {
  const replica = createReplica(group, host, port, turn.now.monoMs)
  group.replicas.set(replica.name, replica)
  watch(turn, replica)
  return replica
}

export function knowsReplica(group: Group, { host, port }: Address): boolean {
  return group.replicas.has(replicaName(host, port))
}
