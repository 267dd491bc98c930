/**
 * With a majority of the Sentinels and one good replica, writes return within a bound. The bound is
 * only claimed if nothing else can excuse a delay: every process was well for a while, one master
 * died, and nothing more was done until the time was up. Then detection takes one down-after, and
 * everything after it a few round trips and the patience of a client.
 */
import { CheckerView } from '../../history/checkers/checker-view.ts'
import type { Happening } from '../../history/happening.ts'
import type { GroupSpec, NodeSpec } from '../../history/topology.ts'
import type { Violation } from '../result.ts'
import type { FinishedRun } from './finished-run.ts'
import { settingOf } from './known-settings.ts'

/** By then all Sentinels know each other, replicas are synchronised, and offsets are known. */
const WELL_MS = 15_000
/**
 * Elections, a client that waits for an answer before it looks for another master, and its pauses.
 */
const REPAIR_MS = 5_000
const ROUND_TRIPS = 20

export function promptFailovers(run: FinishedRun): readonly Violation[] {
  const { topology, history } = run
  const scene = new CheckerView({ topology, nameOf: history.nameOf })
  const deaths: Death[] = []
  const faultTimes: number[] = []
  for (const happening of history.happenings) {
    if (happening.kind === 'fault') faultTimes.push(happening.atMs)
    const death = deathIn(happening, scene)
    if (death !== undefined) deaths.push(death)
    scene.note(happening)
  }
  return deaths.flatMap((death) => judge(death, faultTimes, run))
}

interface Death {
  readonly node: string
  readonly group: GroupSpec
  readonly atMs: number
  readonly boundMs: number
}

/** The death of a group's only master, if everything else is as it should be. */
function deathIn(happening: Happening, scene: CheckerView): Death | undefined {
  const { atMs, process } = happening
  if (happening.kind !== 'status' || happening.status !== 'down' || process === undefined) return
  const node = scene.node(process)
  const group = node === undefined ? undefined : scene.group(node.group)
  if (node === undefined || group === undefined || !isWell(node, group, atMs, scene)) return
  const boundMs = repairBoundMs(group.downAfterMs, scene.latencyMaxMs)
  return { node: node.name, group, atMs, boundMs }
}

/** The longest time from the death of a master to the first write that is acknowledged. */
export function repairBoundMs(downAfterMs: number, latencyMaxMs: number): number {
  return downAfterMs + REPAIR_MS + ROUND_TRIPS * 2 * latencyMaxMs
}

function isWell(master: NodeSpec, group: GroupSpec, atMs: number, scene: CheckerView): boolean {
  const { topology, troubles } = scene
  const sinceMs = atMs - Math.max(WELL_MS, 2 * group.downAfterMs)
  const nodes = topology.nodes.filter((node) => node.group === group.name)
  const others = nodes.filter((node) => node !== master)
  const all = [...nodes, ...topology.sentinels, ...topology.clients]
  if (!all.every(({ name }) => troubles.isCalm(name, sinceMs))) return false
  if (!all.every(({ name }) => all.every((to) => troubles.isWayCalm(name, to.name, sinceMs)))) {
    return false
  }
  const role = scene.roleOf(master.name)
  if (role?.role.kind !== 'master' || role.sinceMs > sinceMs) return false
  const areLinked = others.every(({ name }) => isLinkedSince(name, master.name, sinceMs, scene))
  return areLinked && canRepair(others, master, group, scene)
}

function isLinkedSince(node: string, master: string, sinceMs: number, scene: CheckerView): boolean {
  const known = scene.roleOf(node)
  if (known?.role.kind !== 'replica' || known.sinceMs > sinceMs) return false
  return known.role.isLinkUp && scene.nameOf(known.role.master) === master
}

/** Whether enough Sentinels, nodes and clients are left for writes to return. */
function canRepair(
  others: readonly NodeSpec[],
  master: NodeSpec,
  group: GroupSpec,
  scene: CheckerView,
) {
  const { sentinels, clients } = scene.topology
  // A block after an earlier failover is a reason to wait that the nodes do not show.
  if (group.failoverBlockMs !== undefined) return false
  const candidates = others.filter((node) => mayReplace(node, master, group, scene))
  const needed = Math.max(group.quorum, Math.floor(sentinels.length / 2) + 1)
  const hasWriters = clients.some((client) => client.group === group.name)
  const minReplicas = Number(settingOf(master, 'min-replicas-to-write') ?? 0)
  const isGuardMet = candidates.every((node) => {
    return Number(settingOf(node, 'min-replicas-to-write') ?? minReplicas) <= others.length - 1
  })
  return candidates.length > 0 && sentinels.length >= needed && hasWriters && isGuardMet
}

function mayReplace(
  node: NodeSpec,
  master: NodeSpec,
  group: GroupSpec,
  scene: CheckerView,
): boolean {
  if (settingOf(node, 'replica-priority') === '0' || node.promotion === 'must-not') return false
  if (group.crossZonePromotion !== 'no') return true
  const [own, its] = [node, master].map(({ host }) => scene.topology.zones.get(host))
  return its === undefined || own === its
}

function judge(
  death: Death,
  faultTimes: readonly number[],
  run: FinishedRun,
): readonly Violation[] {
  const { node, group, atMs, boundMs } = death
  const { history } = run
  const untilMs = atMs + boundMs
  if (history.endMs < untilMs) return []
  // Only the fault that killed the master, and no other one.
  const near = faultTimes.filter((faultMs) => faultMs >= atMs && faultMs <= untilMs)
  if (near.length > 1 || diedMore(death, run)) return []
  const isBack = history.writes.some(({ group: of, outcome, attemptedAtMs }) => {
    if (of !== group.name || outcome.kind !== 'acknowledged') return false
    return attemptedAtMs > atMs && outcome.atMs <= untilMs
  })
  if (isBack) return []
  const text = `no write of ${group.name} was acknowledged within ${boundMs} ms of the death of ${node}, although everything else was well`
  return [{ atMs: untilMs, checker: 'writes return', text }]
}

/** Whether another process died with the master, or came back: one fault can hit many. */
function diedMore({ node, atMs, boundMs }: Death, { history }: FinishedRun): boolean {
  return history.happenings.some((happening) => {
    if (happening.kind !== 'status' || happening.atMs < atMs) return false
    const isDeath = happening.process === node && happening.atMs === atMs
    return !isDeath && happening.atMs <= atMs + boundMs
  })
}
