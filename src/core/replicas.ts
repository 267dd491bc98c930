/** Adding replicas to a group: found in the master's INFO, remembered from before, or left by a switch. */
import { hostAndPort } from '../base/ip.ts'
import { announce } from './events.ts'
import { createReplica, watch } from './instances.ts'
import type { Address } from './memory/saved.ts'
import { sameHost, shownHost } from './names/names.ts'
import type { Group, Replica, State, Turn } from './state.ts'

/** Adds and announces a replica that is not known yet. */
export function addReplica(turn: Turn, group: Group, address: Address): Replica {
  const replica = registerReplica(turn, group, address)
  announce(turn, 'notice', '+slave', replica)
  return replica
}

/** Adds a replica without a word, as at the start from a state file. */
export function registerReplica(turn: Turn, group: Group, { host, port }: Address): Replica {
  const replica = createReplica(group, host, port, turn.now.monoMs)
  replica.name = hostAndPort(shownHost(turn.state, host), port)
  group.replicas.set(replica.name, replica)
  watch(turn, replica)
  return replica
}

/** Under this host or under another name of it. */
export function knowsReplica(state: State, group: Group, { host, port }: Address): boolean {
  if (group.replicas.has(hostAndPort(host, port))) return true
  for (const replica of group.replicas.values()) {
    if (replica.port === port && sameHost(state, replica.host, host)) return true
  }
  return false
}
