/** Adding replicas to a group: found in the master's INFO, remembered from before, or left by a switch. */

import type { Address } from '../../base/ip.ts'
import { hostAndPort } from '../../base/ip.ts'
import { announce } from '../events.ts'
import { createReplica, unwatch, watch } from '../instances.ts'
import { sameHost, shownHost } from '../names/names.ts'
import type { Group, Replica, State, Turn } from '../state.ts'

/** Far more than a master could feed: a false list must not fill our memory. */
export const REPLICAS_MAX = 1_000

/** Adds and announces a replica that is not known yet. */
export function addReplica(turn: Turn, group: Group, address: Address): Replica {
  const replica = registerReplica(turn, group, address)
  announce(turn, '+slave', replica)
  return replica
}

/** Adds a replica silently, as at the start from a state file. */
export function registerReplica(turn: Turn, group: Group, { host, port }: Address): Replica {
  const replica = createReplica(group, host, port, turn.now.monoMs)
  replica.name = hostAndPort(shownHost(turn.state, host), port)
  group.replicas.set(replica.name, replica)
  watch(turn, replica)
  return replica
}

/**
 * Is there a place for one more? If not, the oldest replica goes that has never answered and is not listed
 * any more: a master that lied once must not keep the true ones out.
 */
export function makeRoom(turn: Turn, group: Group, listed: readonly Address[]): boolean {
  if (group.replicas.size < REPLICAS_MAX) return true
  const kept = new Set(listed.map(({ host, port }) => hostAndPort(host, port)))
  for (const replica of group.replicas.values()) {
    const { infoAtMs, name, host, port } = replica
    if (infoAtMs !== undefined || kept.has(name) || kept.has(hostAndPort(host, port))) continue
    unwatch(turn, replica)
    return group.replicas.delete(name)
  }
  return false
}

/** Under this host or under another name of it. */
export function knowsReplica(state: State, group: Group, { host, port }: Address): boolean {
  if (group.replicas.has(hostAndPort(host, port))) return true
  for (const replica of group.replicas.values()) {
    if (replica.port === port && sameHost(state, replica.host, host)) return true
  }
  return false
}
