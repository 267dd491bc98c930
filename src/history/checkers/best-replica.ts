/**
 * The replica that a leader chooses may be promoted, and no other would have been better: with a
 * lower priority, more of the stream, a smaller run id. The nodes' real state is the measure. What
 * a leader cannot know is not held against it: another replica counts as better only if nothing has
 * kept it from the leader for long, and offsets only if they have not moved for a while.
 */

import { isSameAddress } from '../../base/ip.ts'
import { promotionRank } from '../../core/failover/host-rules.ts'
import type { Happening, NodePosition } from '../happening.ts'
import type { Checker } from './checker.ts'
import type { CheckerView } from './checker-view.ts'
import { MasterClaims } from './master-claims.ts'

type Selection = Happening & { readonly kind: 'selection' }

/** After this time, at the latest, a leader has asked every node. */
const INFO_MS = 12_000
/** An offset that has not moved for this long is known to a leader that has just asked for it. */
const STILL_MS = 2_000
const PING_SLACK_MS = 2_000
/** Above this latency, answers may come too late for a choice. */
const LATENCY_MAX_MS = 40

export function bestReplica(scene: CheckerView): Checker {
  const emptied = new MasterClaims('empty-master')
  return {
    name: 'the best replica is promoted',
    observe: (happening) => {
      emptied.note(happening)
      if (happening.kind !== 'selection' || happening.process === undefined) return undefined
      const chosen = happening.standings.find(({ address }) =>
        isSameAddress(address, happening.chosen),
      )
      if (chosen === undefined) return undefined
      // After a master was emptied, replicas that have the data go before all others.
      const isEmptied = emptied.saysOfGroup(happening.process, happening.group)
      const isBetter = isEmptied ? holderInsteadOf : betterThan
      // An operator may name any replica that can be promoted.
      const better = happening.isNamed ? undefined : isBetter(chosen, happening, scene)
      const found = flawOf(chosen, happening, scene) ?? better
      return found === undefined ? undefined : `${happening.process} chose ${chosen.node}: ${found}`
    },
  }
}

function flawOf(
  chosen: NodePosition,
  selection: Selection,
  scene: CheckerView,
): string | undefined {
  const { atMs, process = '', group } = selection
  // The leader may not know a priority that was set a moment ago.
  const isSettled = scene.troubles.isCalm(chosen.node, atMs - INFO_MS)
  if (chosen.priority === 0 && isSettled) return 'it has priority 0'
  if (scene.node(chosen.node)?.promotion === 'must-not') return 'a rule says that it must not be'
  if (crossesZones(chosen, selection, scene)) return 'it is in another zone than the master'
  const haltedMs = scene.haltedSinceMs(chosen.node)
  const watchingMs = scene.runsSinceMs(process)
  const downAfterMs = scene.group(group)?.downAfterMs
  if (haltedMs === undefined || watchingMs === undefined || downAfterMs === undefined) {
    return undefined
  }
  const knownMs = Math.max(haltedMs, watchingMs) + downAfterMs + PING_SLACK_MS
  const isWatched = scene.troubles.isCalm(process, atMs - downAfterMs - PING_SLACK_MS)
  return isWatched && atMs > knownMs ? 'it has been down for long' : undefined
}

function betterThan(
  chosen: NodePosition,
  selection: Selection,
  scene: CheckerView,
): string | undefined {
  const { known, standings } = selection
  if (!isInView(chosen, selection, scene) || isHeir(chosen, selection, scene)) return undefined
  const others = standings.filter(
    (other) => other !== chosen && known.some((address) => isSameAddress(address, other.address)),
  )
  const rivals = others.filter((other) => isEligible(other, selection, scene))
  const isStrict = scene.group(selection.group)?.replication === 'strict'
  for (const rival of rivals) {
    // Voters with less than another one are not compared with it.
    if (isStrict && rival.offset < chosen.offset) continue
    if (!isInSameZone(chosen, rival, selection, scene)) continue
    const merit = meritOver(chosen, rival, selection, scene)
    if (merit !== undefined) return `${rival.node} ${merit}`
  }
  return undefined
}

/**
 * A replica that follows the emptied master has been emptied by it. One that does not, and has more, has the
 * data; whatever its priority.
 */
function holderInsteadOf(
  chosen: NodePosition,
  selection: Selection,
  scene: CheckerView,
): string | undefined {
  if (!chosen.isLinkUp || !isInView(chosen, selection, scene)) return undefined
  const holder = selection.standings.find((other) => {
    if (other === chosen || other.isLinkUp || other.offset <= chosen.offset) return false
    return isEligible(other, selection, scene)
  })
  return holder && `the master has emptied it, and ${holder.node} has the data`
}

/**
 * Whether the chosen node is a master already and the master on record follows it: that master has
 * handed over, and to no other node.
 */
function isHeir(
  chosen: NodePosition,
  { known, standings }: Selection,
  scene: CheckerView,
): boolean {
  if (scene.roleOf(chosen.node)?.role.kind !== 'master') return false
  return standings.some(({ node, address }) => {
    const role = scene.roleOf(node)?.role
    if (role?.kind !== 'replica' || known.some((one) => isSameAddress(one, address))) return false
    return isSameAddress(role.master, chosen.address)
  })
}

/** Why the rival is the better choice; undefined if it is not, or that is uncertain. */
function meritOver(
  chosen: NodePosition,
  rival: NodePosition,
  { atMs }: Selection,
  scene: CheckerView,
) {
  const ranks = [chosen, rival].map(({ node }) => promotionRank(scene.node(node)?.promotion))
  const [own = 0, its = 0] = ranks
  if (own !== its) return its < own ? 'comes first by the rules' : undefined
  if (rival.priority !== chosen.priority) {
    if (rival.priority > chosen.priority) return undefined
    return `has priority ${rival.priority}, not ${chosen.priority}`
  }
  if (!isStill(chosen, atMs, scene) || !isStill(rival, atMs, scene)) return undefined
  if (rival.offset !== chosen.offset) {
    if (rival.offset < chosen.offset) return undefined
    return `is at offset ${rival.offset}, not ${chosen.offset}`
  }
  return rival.runId < chosen.runId ? 'is as good and has the smaller run id' : undefined
}

/** An operator's order may cross zones; a Sentinel by itself may not, if the group says so. */
function crossesZones(chosen: NodePosition, selection: Selection, scene: CheckerView): boolean {
  const { group, master, isNamed } = selection
  if (scene.group(group)?.crossZonePromotion !== 'no' || isNamed || master === undefined)
    return false
  if (scene.troubles.hasOtherRules(selection.process ?? '')) return false
  const [own, its] = [chosen.node, scene.nameOf(master)].map((node) => {
    return scene.topology.zones.get(scene.node(node)?.host ?? '')
  })
  return its !== undefined && own !== its
}

/** Where no zone is left, only replicas of the zone that was chosen could have been. */
function isInSameZone(
  chosen: NodePosition,
  rival: NodePosition,
  { group }: Selection,
  scene: CheckerView,
): boolean {
  if (scene.group(group)?.crossZonePromotion !== 'no') return true
  const [zone, other] = [chosen, rival].map(({ node }) => {
    return scene.topology.zones.get(scene.node(node)?.host ?? '')
  })
  return zone === other
}

/** Whether the leader had no reason to pass this replica over. */
function isEligible(rival: NodePosition, selection: Selection, scene: CheckerView): boolean {
  if (!rival.isReplica || rival.priority === 0) return false
  if (scene.node(rival.node)?.promotion === 'must-not') return false
  if (!isInView(rival, selection, scene)) return false
  const linkedAtMs = scene.linkedAtMs(rival.node, selection.atMs)
  const downAfterMs = scene.group(selection.group)?.downAfterMs
  if (linkedAtMs === undefined || downAfterMs === undefined) return false
  return selection.atMs - linkedAtMs < 9 * downAfterMs
}

/**
 * Whether nothing has been between the leader and this node for as long as it takes to learn
 * everything.
 */
function isInView(
  { node }: NodePosition,
  { atMs, process = '', group }: Selection,
  scene: CheckerView,
) {
  const downAfterMs = scene.group(group)?.downAfterMs ?? 0
  const sinceMs = atMs - Math.max(INFO_MS, downAfterMs + PING_SLACK_MS)
  const { troubles } = scene
  if (scene.latencyMaxMs > LATENCY_MAX_MS) return false
  if (!troubles.isCalm(process, sinceMs) || !troubles.isCalm(node, sinceMs)) return false
  return troubles.isWayCalm(process, node, sinceMs)
}

/**
 * Whether the node's stream ended some time ago, so that its offset is what the leader was told.
 */
function isStill(one: NodePosition, atMs: number, scene: CheckerView): boolean {
  if (one.isLinkUp) return false
  const linkedAtMs = scene.linkedAtMs(one.node, atMs)
  return linkedAtMs !== undefined && atMs - linkedAtMs > STILL_MS
}
