/**
 * Forgetting an instance that is gone for good: a replica or a Sentinel at an address that is not used
 * any more. C Sentinel has only RESET, which forgets everything else as well.
 *
 * A dead Sentinel counts in every majority, so forgetting one makes majorities smaller. That must not
 * give two sides of a partition a majority each: whoever forgets must reach a majority of all that count
 * now, the one to be forgotten included. And the quorum must stay within reach of those that are left.
 * An instance that was only cut off is found anew when it is back, but for a former master: a node that
 * still believes it is the master is turned into a replica only by Sentinels that know it.
 */
import { electorCount, electorsOf, majority, usableSentinels } from '../election/quorum.ts'
import { announce, describe } from '../events.ts'
import { unwatch } from '../instances.ts'
import { sameAddress } from '../names/names.ts'
import { save } from '../persistence/save.ts'
import type { Group, Instance, Peer, Replica, Turn } from '../state.ts'
import { isSdown, isTilted } from '../state.ts'
import { log } from '../turn.ts'
import { parseInfo } from './info-parser.ts'
import { removePeer } from './proof.ts'

export type Forgettable = Replica | Peer

/** The instance at an address; `master`: it is the master. */
export function instanceAt(
  { state }: Turn,
  group: Group,
  address: { readonly host: string; readonly port: number },
): Forgettable | 'master' | undefined {
  if (sameAddress(state, group.master, address)) return 'master'
  const all = [...group.replicas.values(), ...group.peers.values()]
  return all.find((one) => sameAddress(state, one, address))
}

/** Why it may not be forgotten, in the words of an error reply; undefined: it may. */
export function objectionToForget(turn: Turn, instance: Forgettable): string | undefined {
  const { group } = instance
  const name = describe(turn.state, instance)
  if (isTilted(turn.state)) return 'TILT This Sentinel does not trust its clocks now'
  if (group.failover !== undefined) return 'INPROG A failover is in progress: try again after it'
  if (!isSdown(instance))
    return `ALIVE ${name} is not seen down: stop it first, and wait until it is`
  if (isListed(turn, instance)) {
    return `LISTED the master still lists ${name}, so it would be found again: try after repl-timeout`
  }
  return objectionOfQuorum(instance)
}

function objectionOfQuorum(instance: Forgettable): string | undefined {
  const { group } = instance
  const electors = electorCount(group)
  const [usable, needed] = [usableSentinels(group), majority(electors)]
  if (usable < needed) {
    return `NOMAJORITY only ${usable} of ${electors} Sentinels are usable, and it takes ${needed}`
  }
  const left = isElector(instance) ? electors - 1 : electors
  if (left >= group.config.quorum) return undefined
  return `NOQUORUM ${left} Sentinels would be left, fewer than the quorum of ${group.config.quorum}: lower it first`
}

/** A master keeps a connection that fell silent for its repl-timeout. */
function isListed({ state }: Turn, instance: Forgettable): boolean {
  const { master } = instance.group
  if (instance.kind === 'sentinel' || isSdown(master)) return false
  return parseInfo(master.infoText).replicas.some((one) => sameAddress(state, one, instance))
}

function isElector(instance: Instance): boolean {
  return instance.kind === 'sentinel' && electorsOf(instance.group).includes(instance)
}

export function forgetInstance(turn: Turn, instance: Forgettable): void {
  if (instance.kind === 'sentinel') {
    announce(turn, '-sentinel', instance)
    removePeer(turn, instance)
  } else {
    announce(turn, '-slave', instance)
    unwatch(turn, instance)
    instance.group.replicas.delete(instance.name)
  }
  save(turn)
}

/**
 * [forget-after] Called in each hello period: an instance that has been down for so long is forgotten,
 * under the same conditions. A former master that has not come back as a replica is kept.
 *
 * What was down while we were cut off does not count: when a partition heals, the first peers that come
 * back are a majority, and the others are about to follow.
 */
export function isGoneForGood(turn: Turn, instance: Instance): boolean {
  const { group, sdownSinceMs } = instance
  const { forgetAfterMs } = group.config
  if (forgetAfterMs === 0) return false
  if (isIsolated(turn, group)) group.isolatedAtMs = turn.now.monoMs
  if (instance.kind === 'master' || sdownSinceMs === undefined) return false
  const sinceMs = Math.max(sdownSinceMs, group.isolatedAtMs ?? sdownSinceMs)
  if (turn.now.monoMs - sinceMs < forgetAfterMs) return false
  if (instance.kind === 'replica' && instance.deposed !== undefined) return false
  if (objectionToForget(turn, instance) !== undefined) return false
  const minutes = (forgetAfterMs / 60_000).toFixed(1)
  log(
    turn,
    'notice',
    `${describe(turn.state, instance)} has been down for ${minutes} min: forgotten`,
  )
  forgetInstance(turn, instance)
  return true
}

function isIsolated({ state }: Turn, group: Group): boolean {
  return isTilted(state) || usableSentinels(group) < majority(electorCount(group))
}
