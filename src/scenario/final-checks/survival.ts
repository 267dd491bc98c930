/**
 * A write that was acknowledged and replicated to every reachable replica survives. For each lost
 * write this works out which nodes surely had it: the node that promised it and every replica whose
 * link was up, with nothing in the way, for some time after the promise. From then on a node no
 * longer has the write when it dies without a file that keeps it, or when it follows a living node
 * that does not have it; it has the write again when its link to a node that has it is up. If the
 * master of the end surely had the write and does not have it, the machines lost it and not what was
 * done to them.
 */
import { CheckerView } from '../../history/checkers/checker-view.ts'
import type { Happening, NodeRole } from '../../history/happening.ts'
import type { Write } from '../../history/writes.ts'
import type { Violation } from '../result.ts'
import type { FinishedRun } from './finished-run.ts'
import { KeptOnDisk } from './kept-on-disk.ts'

/** By then, in the best of conditions, a replica has received and applied what was sent to it. */
const ARRIVAL_MS = 2_000
/** A replica that was synchronised writes its file anew, and its disk keeps nothing new until then. */
const SETTLED_MS = 10_000

/** Commands that take no data away. The effect of replication commands shows in the roles. */
const HARMLESS = new Set(['REPLICAOF', 'SLAVEOF', 'CLIENT', 'CONFIG', 'PING', 'INFO', 'ROLE'])

interface Fate {
  readonly write: Write
  readonly answeredAtMs: number
  holders: Set<string> | undefined
  /** Nodes that are down, and whose disks have the write. */
  readonly asleep: Set<string>
}

export function lostHeldWrites(run: FinishedRun): readonly Violation[] {
  return [...run.history.missing].flatMap(([group, missing]) => {
    const master = run.masters.get(group)
    if (master === undefined) return []
    const fates = [...missing].flatMap(fateOf)
    followAll(fates, group, run)
    return fates.filter(({ holders }) => holders?.has(master)).map((fate) => judge(fate, master))
  })
}

/** For a counter only the number of lost increments is known, not which ones they are. */
function fateOf(write: Write): Fate[] {
  const { operation, outcome } = write
  if (outcome.kind !== 'acknowledged' || operation.kind === 'increment') return []
  return [{ write, answeredAtMs: outcome.atMs, holders: undefined, asleep: new Set() }]
}

function judge({ write, answeredAtMs, holders }: Fate, master: string): Violation {
  const nodes = [...(holders ?? [])].sort().join(', ')
  const text = `${master} must have the write that ${write.node} acknowledged at ${answeredAtMs} ms, as must ${nodes}, and has it not`
  return { atMs: answeredAtMs, checker: 'replicated writes survive', text }
}

function followAll(
  fates: readonly Fate[],
  group: string,
  { topology, history }: FinishedRun,
): void {
  const scene = new CheckerView({ topology, nameOf: history.nameOf })
  const nodes = topology.nodes.filter((node) => node.group === group).map(({ name }) => name)
  const waiting = [...fates].sort((a, b) => a.answeredAtMs - b.answeredAtMs)
  const arriving: Fate[] = []
  const followed: Fate[] = []
  const disks = new KeptOnDisk(topology)
  for (const happening of history.happenings) {
    while (waiting[0] !== undefined && waiting[0].answeredAtMs < happening.atMs) {
      const fate = waiting.shift()
      if (fate === undefined || !begin(fate, scene)) continue
      followed.push(fate)
      arriving.push(fate)
    }
    while (arriving[0] !== undefined && arriving[0].answeredAtMs + ARRIVAL_MS < happening.atMs) {
      const fate = arriving.shift()
      if (fate !== undefined) arrive(fate, nodes, scene)
    }
    disks.note(happening)
    for (const fate of followed) change(fate, happening, { scene, disks })
    scene.note(happening)
  }
}

/** The node that promised the write has it, if it was an undisturbed master when it did. */
function begin(fate: Fate, scene: CheckerView): boolean {
  const { node, attemptedAtMs } = fate.write
  const own = scene.roleOf(node)
  if (own?.role.kind !== 'master' || own.sinceMs > attemptedAtMs) return false
  if (!scene.troubles.isCalm(node, attemptedAtMs)) return false
  fate.holders = new Set([node])
  return true
}

/** Its replicas have the write as well, if nothing was in the way since then. */
function arrive(fate: Fate, nodes: readonly string[], scene: CheckerView): void {
  const { write, answeredAtMs, holders } = fate
  const { troubles } = scene
  const sinceMs = write.attemptedAtMs
  const own = scene.roleOf(write.node)
  if (own?.role.kind !== 'master' || own.sinceMs > sinceMs) return
  if (holders === undefined || !troubles.isCalm(write.node, sinceMs)) return
  for (const node of nodes) {
    const known = scene.roleOf(node)
    if (known === undefined || known.sinceMs > answeredAtMs) continue
    if (!isLinkedTo(known.role, write.node, scene)) continue
    const isCalm = troubles.isCalm(node, sinceMs) && troubles.isWayCalm(node, write.node, sinceMs)
    if (isCalm) holders.add(node)
  }
}

function isLinkedTo(role: NodeRole, master: string, { nameOf }: CheckerView): boolean {
  return role.kind === 'replica' && role.isLinkUp && nameOf(role.master) === master
}

interface Surroundings {
  readonly scene: CheckerView
  readonly disks: KeptOnDisk
}

function change(fate: Fate, happening: Happening, { scene, disks }: Surroundings): void {
  const { process } = happening
  const { holders, asleep } = fate
  if (holders === undefined) return
  if (happening.kind === 'fault') {
    const { action } = happening
    if (action?.kind === 'readdress') {
      holders.clear()
      asleep.clear()
    }
    if (action?.kind === 'command' && !HARMLESS.has(action.argv[0]?.toUpperCase() ?? '')) {
      lose(holders, action.process, scene)
    }
  } else if (process === undefined) return
  else if (happening.kind === 'status' && happening.status === 'down') {
    if (holders.delete(process) && isOnDisk(fate, process, happening.atMs, { scene, disks })) {
      asleep.add(process)
    }
  } else if (happening.kind === 'status' && happening.status === 'running') {
    if (asleep.delete(process) && disks.isSafe(process)) holders.add(process)
    // A node that still follows it copies what it comes back with, before any client can see that.
    else if (scene.haltedSinceMs(process) === undefined || !holders.has(process)) {
      lose(holders, process, scene)
    }
  } else if (happening.kind === 'role' && happening.role.kind === 'replica') {
    const master = scene.nameOf(happening.role.master)
    if (holders.has(master)) {
      if (happening.role.isLinkUp && hasCopied(fate, process, master, scene)) holders.add(process)
    } else if (scene.runsSinceMs(master) !== undefined) lose(holders, process, scene)
  }
}

/**
 * Whether a replica whose link is up again has the write: its copy began after the promise, or nothing was in the way
 * since. Roles are looked at ten times a second, so the link may have broken once more by now.
 */
function hasCopied(
  { write, answeredAtMs }: Fate,
  replica: string,
  master: string,
  scene: CheckerView,
): boolean {
  const before = scene.roleOf(replica)
  if (before !== undefined && !isLinkedTo(before.role, master, scene)) {
    if (answeredAtMs <= before.sinceMs) return true
  }
  return scene.troubles.isWayCalm(replica, master, write.attemptedAtMs)
}

/** Whether the file of a node that dies has the write. */
function isOnDisk(
  { write, answeredAtMs }: Fate,
  node: string,
  diedAtMs: number,
  { scene, disks }: Surroundings,
): boolean {
  const since = scene.roleOf(node)?.sinceMs ?? Number.POSITIVE_INFINITY
  if (since + SETTLED_MS > write.attemptedAtMs) return false
  const hadAtMs = node === write.node ? answeredAtMs : answeredAtMs + ARRIVAL_MS
  return disks.keeps(node, hadAtMs, diedAtMs)
}

/** The node has other data now, and so will every node that copies from it. */
function lose(holders: Set<string>, node: string, scene: CheckerView): void {
  holders.delete(node)
  for (const { name } of scene.topology.nodes) {
    const role = scene.roleOf(name)?.role
    if (role?.kind !== 'replica' || scene.nameOf(role.master) !== node) continue
    if (holders.has(name)) lose(holders, name, scene)
  }
}
