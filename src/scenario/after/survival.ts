/**
 * A write that was acknowledged and replicated to every reachable replica survives. For each lost
 * write it is worked out who surely had it: the node that promised it and every replica whose link
 * stood, with nothing in the way, for some time after the promise. From then on a node ceases to have
 * it when it dies, or when it follows a living one that has it not, and has it again when its link to one that
 * has it stands. If the master of the end surely had the write and does not have it, it was lost by
 * the machines and not by what was done to them.
 */
import { Scene } from '../../sim/checkers/scene.ts'
import type { Happening, NodeRole } from '../../sim/happening.ts'
import type { Write } from '../../sim/write-log.ts'
import type { Violation } from '../result.ts'
import type { FinishedRun } from './finished-run.ts'

/** What was sent to a replica in the best of conditions has arrived, and is applied. */
const ARRIVAL_MS = 2_000

/** Commands that take no data away. What replication commands do is told by roles. */
const HARMLESS = new Set(['REPLICAOF', 'SLAVEOF', 'CLIENT', 'CONFIG', 'PING', 'INFO', 'ROLE'])

interface Fate {
  readonly write: Write
  readonly answeredAtMs: number
  holders: Set<string> | undefined
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

/** Of a counter only the number of those that are gone is known, not which ones they are. */
function fateOf(write: Write): Fate[] {
  const { operation, outcome } = write
  if (outcome.kind !== 'acknowledged' || operation.kind === 'increment') return []
  return [{ write, answeredAtMs: outcome.atMs, holders: undefined }]
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
  const scene = new Scene({ topology, nameOf: history.nameOf })
  const nodes = topology.nodes.filter((node) => node.group === group).map(({ name }) => name)
  const waiting = [...fates].sort((a, b) => a.answeredAtMs - b.answeredAtMs)
  const followed: Fate[] = []
  for (const happening of history.happenings) {
    while (waiting[0] !== undefined && waiting[0].answeredAtMs + ARRIVAL_MS < happening.atMs) {
      const fate = waiting.shift()
      if (fate !== undefined) followed.push(begin(fate, nodes, scene))
    }
    for (const { holders } of followed) if (holders !== undefined) change(holders, happening, scene)
    scene.note(happening)
  }
}

/** Who has it, if it can be known: the node that promised it has been a calm master all the while. */
function begin(fate: Fate, nodes: readonly string[], scene: Scene): Fate {
  const { write, answeredAtMs } = fate
  const { troubles } = scene
  const own = scene.roleOf(write.node)
  const sinceMs = write.attemptedAtMs
  if (own?.role.kind !== 'master' || own.sinceMs > sinceMs) return fate
  if (!troubles.isCalm(write.node, sinceMs)) return fate
  const replicas = nodes.filter((node) => {
    const known = scene.roleOf(node)
    if (known === undefined || known.sinceMs > answeredAtMs) return false
    if (!isLinkedTo(known.role, write.node, scene)) return false
    return troubles.isCalm(node, sinceMs) && troubles.isWayCalm(node, write.node, sinceMs)
  })
  fate.holders = new Set([write.node, ...replicas])
  return fate
}

function isLinkedTo(role: NodeRole, master: string, { nameOf }: Scene): boolean {
  return role.kind === 'replica' && role.isLinkUp && nameOf(role.master) === master
}

function change(holders: Set<string>, happening: Happening, scene: Scene): void {
  const { process } = happening
  if (happening.kind === 'fault') {
    const { action } = happening
    if (action?.kind === 'readdress') holders.clear()
    if (action?.kind === 'command' && !HARMLESS.has(action.argv[0]?.toUpperCase() ?? '')) {
      lose(holders, action.process, scene)
    }
  } else if (process === undefined) return
  else if (happening.kind === 'status' && happening.status === 'down') holders.delete(process)
  // Whoever still follows it copies what it comes back with, before anybody may see it.
  else if (happening.kind === 'status' && happening.status === 'running') {
    if (scene.haltedSinceMs(process) === undefined || !holders.has(process)) {
      lose(holders, process, scene)
    }
  } else if (happening.kind === 'role' && happening.role.kind === 'replica') {
    const master = scene.nameOf(happening.role.master)
    if (holders.has(master)) {
      if (happening.role.isLinkUp) holders.add(process)
    } else if (scene.runsSinceMs(master) !== undefined) lose(holders, process, scene)
  }
}

/** It has other data now, and so will everybody who copies from it. */
function lose(holders: Set<string>, node: string, scene: Scene): void {
  holders.delete(node)
  for (const { name } of scene.topology.nodes) {
    const role = scene.roleOf(name)?.role
    if (role?.kind !== 'replica' || scene.nameOf(role.master) !== node) continue
    if (holders.has(name)) lose(holders, name, scene)
  }
}
