/**
 * With a majority of the Sentinels and one good replica, writes return within a bound. The bound is
 * only claimed where nothing else can excuse a delay: everybody was well for a while, one master
 * died, and nothing more was done until the time was up. Then detection takes one down-after, and
 * everything behind it a few round trips and the patience of a client.
 */
import { Scene } from '../../sim/checkers/scene.ts'
import type { Happening } from '../../sim/happening.ts'
import type { GroupSpec, NodeSpec } from '../../sim/topology.ts'
import type { Violation } from '../result.ts'
import type { FinishedRun } from './finished-run.ts'
import { settingOf } from './known-settings.ts'

/** Everybody knows everybody, replicas are synchronised, offsets are known. */
const WELL_MS = 15_000
/** Elections, a client that waits for an answer before it looks for another master, and its pauses. */
const REPAIR_MS = 5_000
const ROUND_TRIPS = 20

export function promptFailovers(run: FinishedRun): readonly Violation[] {
  const { topology, history } = run
  const scene = new Scene({ topology, nameOf: history.nameOf })
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

/** The only master of a group dies, and everything else is as it should be. */
function deathIn(happening: Happening, scene: Scene): Death | undefined {
  const { atMs, process } = happening
  if (happening.kind !== 'status' || happening.status !== 'down' || process === undefined) return
  const node = scene.node(process)
  const group = node === undefined ? undefined : scene.group(node.group)
  if (node === undefined || group === undefined || !isWell(node, group, atMs, scene)) return
  const roundTripsMs = ROUND_TRIPS * 2 * scene.latencyMaxMs
  const boundMs = group.downAfterMs + REPAIR_MS + roundTripsMs
  return { node: node.name, group, atMs, boundMs }
}

function isWell(master: NodeSpec, group: GroupSpec, atMs: number, scene: Scene): boolean {
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

function isLinkedSince(node: string, master: string, sinceMs: number, scene: Scene): boolean {
  const known = scene.roleOf(node)
  if (known?.role.kind !== 'replica' || known.sinceMs > sinceMs) return false
  return known.role.isLinkUp && scene.nameOf(known.role.master) === master
}

/** Sentinels and nodes are left to do the work, and nobody's host died with the master's. */
function canRepair(others: readonly NodeSpec[], master: NodeSpec, group: GroupSpec, scene: Scene) {
  const { sentinels, clients } = scene.topology
  const candidates = others.filter((node) => settingOf(node, 'replica-priority') !== '0')
  const needed = Math.max(group.quorum, Math.floor(sentinels.length / 2) + 1)
  const hasWriters = clients.some((client) => client.group === group.name)
  const minReplicas = Number(settingOf(master, 'min-replicas-to-write') ?? 0)
  const isGuardMet = candidates.every((node) => {
    return Number(settingOf(node, 'min-replicas-to-write') ?? minReplicas) <= others.length - 1
  })
  return candidates.length > 0 && sentinels.length >= needed && hasWriters && isGuardMet
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
  // The fault that killed it, and no other one.
  const near = faultTimes.filter((faultMs) => faultMs >= atMs && faultMs <= untilMs)
  if (near.length > 1 || diedMore(death, run)) return []
  const isBack = history.writes.some(({ group: of, outcome, attemptedAtMs }) => {
    if (of !== group.name || outcome.kind !== 'acknowledged') return false
    return attemptedAtMs > atMs && outcome.atMs <= untilMs
  })
  if (isBack) return []
  const text = `no write of ${group.name} was acknowledged within ${boundMs} ms of the death of ${node}, although everybody else was well`
  return [{ atMs: untilMs, checker: 'writes return', text }]
}

/** Somebody else died with it, or came back: one fault can hit many. */
function diedMore({ node, atMs, boundMs }: Death, { history }: FinishedRun): boolean {
  return history.happenings.some((happening) => {
    if (happening.kind !== 'status' || happening.atMs < atMs) return false
    const isDeath = happening.process === node && happening.atMs === atMs
    return !isDeath && happening.atMs <= atMs + boundMs
  })
}
