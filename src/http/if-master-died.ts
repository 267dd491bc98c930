/**
 * What would happen if the master of a group died now: whether the Sentinels could agree on it and elect
 * a leader, which replica the leader would promote, and why none of the others. It asks the same
 * functions that decide in a failover.
 */
import { hostAndPort } from '../base/ip.ts'
import { electorsOf, usableSentinels, votesNeeded } from '../core/election/quorum.ts'
import { meritText } from '../core/failover/failover-plan.ts'
import { blockedForMs } from '../core/failover/flapping.ts'
import { inPromotionOrder } from '../core/failover/selection.ts'
import { shownHost } from '../core/names/names.ts'
import { describePause, isPaused } from '../core/pause/pause.ts'
import {
  commandLink,
  type Group,
  isSdown,
  isTilted,
  type Replica,
  type Turn,
} from '../core/state.ts'

export interface NodePlace {
  readonly host: string
  readonly port: number
}

export interface IfMasterDied {
  /** As many Sentinels are in reach as must see the master down, and as a leader needs votes. */
  readonly canAgree: boolean
  readonly canElect: boolean
  /** The run id of the Sentinel that would stand first; null: no Sentinel could be elected. */
  readonly leader: string | null
  readonly promoted: NodePlace | null
  /** One sentence for people. */
  readonly text: string
  /** The replicas that would not be promoted. */
  readonly others: readonly (NodePlace & { readonly reason: string })[]
}

/** `reasons`: why replicas may not be promoted now (reasonsAgainst). */
export function ifMasterDied(
  turn: Turn,
  group: Group,
  reasons: ReadonlyMap<Replica, string>,
): IfMasterDied {
  const usable = usableSentinels(group)
  const canAgree = usable >= group.config.quorum
  const canElect = usable >= votesNeeded(group)
  const replicas = [...group.replicas.values()]
  const fit = replicas.filter((one) => !reasons.has(one))
  const order = inPromotionOrder(turn.state, fit)
  const [best] = order
  const obstacle = obstacleTo(turn, group, { usable, best })
  const isDone = obstacle === undefined && best !== undefined
  const others = replicas.filter((one) => one !== best || !isDone)
  return {
    canAgree,
    canElect,
    leader: canElect ? firstToStand(turn, group) : null,
    promoted: isDone ? placeOf(turn, best) : null,
    text: obstacle ?? sentence(turn, best),
    others: others.map((one) => ({
      ...placeOf(turn, one),
      reason: reasons.get(one) ?? passedOverBecause(turn, one, order),
    })),
  }
}

function placeOf({ state }: Turn, one: NodePlace): NodePlace {
  return { host: shownHost(state, one.host), port: one.port }
}

function passedOverBecause(turn: Turn, one: Replica, order: readonly Replica[]): string {
  const [best] = order
  if (best === undefined || one === best) return 'it would be chosen, but nothing would be done'
  return meritText(turn, best, one, order)
}

/** Sentinels stand in the order of their run ids; the first that is in reach acts (staggerMs). */
function firstToStand({ state }: Turn, group: Group): string {
  const alive = electorsOf(group).filter(
    (peer) => !isSdown(peer) && commandLink(peer) !== undefined,
  )
  const own = isTilted(state) ? [] : [state.myid]
  return [...own, ...alive.map(({ runId }) => runId)].sort()[0] ?? state.myid
}

interface Prospects {
  readonly usable: number
  readonly best: Replica | undefined
}

/** Why nothing would be done; undefined: something would. */
function obstacleTo(turn: Turn, group: Group, { usable, best }: Prospects): string | undefined {
  const { quorum } = group.config
  const needed = votesNeeded(group)
  // In TILT a Sentinel sees no master down and leads nothing, but it votes: the others may act.
  if (isTilted(turn.state) && usable - 1 < quorum)
    return 'Nothing for now: this Sentinel is in TILT, and the others are too few without it.'
  if (usable < quorum) {
    return `Nothing: ${inReach(usable)} and ${quorum} (quorum) must see it down.`
  }
  if (usable < needed) {
    return `Nothing: ${inReach(usable)} and a leader needs ${needed} votes.`
  }
  if (isPaused(group)) return `Nothing: ${describePause(group)}.`
  const blockedMs = blockedForMs(turn, group)
  if (blockedMs > 0) return `Nothing for ${blockedMs} ms: the last failover was not long ago.`
  if (group.replicas.size === 0) return 'Nothing: no replica is known.'
  if (best !== undefined) return undefined
  if (isTilted(turn.state)) return `This Sentinel cannot say which replica; ${OTHERS_ACT}.`
  return 'Nothing: no replica may be promoted now.'
}

const OTHERS_ACT = 'it is in TILT, and the others act without it'

function inReach(count: number): string {
  return count === 1 ? '1 Sentinel is in reach' : `${count} Sentinels are in reach`
}

function sentence(turn: Turn, best: Replica | undefined): string {
  if (best === undefined) return ''
  const { host, port } = placeOf(turn, best)
  const how = isTilted(turn.state) ? `, but not by this Sentinel: ${OTHERS_ACT}` : ''
  return `${hostAndPort(host, port)} would become the master${how}.`
}
