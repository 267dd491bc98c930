/** What can be counted and measured over a whole run. */
import type { Read, Write } from '../../history/writes.ts'
import type { GroupFacts, RunWriteFacts, StaleReads } from '../result.ts'
import type { RunHistory } from '../world.ts'
import { Lifelines } from './lifelines.ts'
import { countLost } from './loss-causes.ts'
import { longestOutage, outagesOf } from './outages.ts'
import { mastersInTurn, reignAt } from './reigns.ts'

export function groupFacts(
  group: string,
  history: RunHistory,
  finalMaster: string | undefined,
): GroupFacts {
  const writes = history.writes.filter((write) => write.group === group)
  const lifelines = new Lifelines(history)
  const dual = dualWrites(writes, lifelines)
  return {
    group,
    finalMaster,
    failovers: countFailovers(group, history),
    writes: countWrites(writes),
    longestOutageMs: longestOutage(writes, history.endMs),
    outages: outagesOf(writes, lifelines, history.endMs),
    dualWritesMs: dual.longestMs,
    dualWritesTotalMs: dual.totalMs,
    lost: countLost(group, history, lifelines),
    staleReads: countStaleReads(group, history),
  }
}

/** A failover that got as far as a promotion has a config epoch of its own. */
function countFailovers(group: string, history: RunHistory): number {
  const epochs = new Set<number>()
  for (const happening of history.happenings) {
    if (happening.kind !== 'hello' || happening.group !== group) continue
    if (happening.configEpoch > 0) epochs.add(happening.configEpoch)
  }
  return epochs.size
}

function countWrites(writes: readonly Write[]): RunWriteFacts {
  const refused: Record<string, number> = {}
  let acknowledged = 0
  let unknown = 0
  for (const { outcome } of writes) {
    if (outcome.kind === 'acknowledged') acknowledged++
    else if (outcome.kind === 'unknown') unknown++
    else if (outcome.kind === 'refused') {
      const code = outcome.text.split(' ')[0] ?? ''
      refused[code] = (refused[code] ?? 0) + 1
    }
  }
  return { attempted: writes.length, acknowledged, refused, unknown }
}

/** Reads that an earlier promise contradicts. */
function countStaleReads(group: string, history: RunHistory): StaleReads {
  const promised = promisesOf(group, history.writes)
  const reigns = mastersInTurn(group, history)
  const counts = { fromDeposed: 0, afterLoss: 0 }
  for (const read of history.reads) {
    if (read.group !== group || !isStale(read, promised.get(read.key) ?? [])) continue
    const rightful = reigns[reignAt(reigns, read.atMs)]?.master ?? read.node
    if (rightful === read.node) counts.afterLoss++
    else counts.fromDeposed++
  }
  return counts
}

/** From this moment on no read may return an older value of the register. */
interface Promised {
  readonly atMs: number
  readonly value: number
}

/**
 * By register, in order of time; values that are not newer than an earlier promise are left out.
 */
function promisesOf(
  group: string,
  writes: readonly Write[],
): ReadonlyMap<string, readonly Promised[]> {
  const promises = new Map<string, Promised[]>()
  for (const { group: own, operation, outcome } of writes) {
    if (own !== group || operation.kind !== 'assign' || outcome.kind !== 'acknowledged') continue
    const promise = { atMs: outcome.atMs, value: operation.value }
    const known = promises.get(operation.key)
    if (known === undefined) promises.set(operation.key, [promise])
    // Only one client writes a register, each value on one connection and greater than the one
    // before.
    else if (promise.value > (known.at(-1)?.value ?? 0)) known.push(promise)
  }
  return promises
}

function isStale(read: Read, promises: readonly Promised[]): boolean {
  const newest = promises[placeBefore(promises, read.attemptedAtMs) - 1]
  return newest !== undefined && newest.value > (read.value ?? Number.NEGATIVE_INFINITY)
}

/** How many of the promises were made up to this moment. */
function placeBefore(promises: readonly Promised[], atMs: number): number {
  let [low, high] = [0, promises.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((promises[middle]?.atMs ?? 0) <= atMs) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * How long two nodes of a group acknowledged writes at the same time. A node's acknowledgements
 * make up stretches, from the first to the last one: a stretch is over when the node refuses a
 * write, when it is halted or dies, and when it becomes a master anew. In between the node counts
 * as writable, whether clients wrote or not. Where the stretches of two nodes overlap there were
 * two writable masters.
 */
interface DualWrites {
  /** The longest time without a break. */
  readonly longestMs: number
  /** All times together. */
  readonly totalMs: number
}

function dualWrites(writes: readonly Write[], lifelines: Lifelines): DualWrites {
  const stretches = [...answersByNode(writes)].flatMap(([node, answers]) =>
    stretchesOf(answers, breaksOf(node, lifelines)),
  )
  return overlaps(stretches)
}

interface Answer {
  readonly atMs: number
  readonly isAcknowledged: boolean
}

interface Stretch {
  readonly fromMs: number
  untilMs: number
}

/** In order of time. */
function answersByNode(writes: readonly Write[]): ReadonlyMap<string, readonly Answer[]> {
  const nodes = new Map<string, Answer[]>()
  for (const { node, outcome } of writes) {
    if (outcome.kind !== 'acknowledged' && outcome.kind !== 'refused') continue
    const answer = { atMs: outcome.atMs, isAcknowledged: outcome.kind === 'acknowledged' }
    const known = nodes.get(node)
    if (known === undefined) nodes.set(node, [answer])
    else known.push(answer)
  }
  for (const answers of nodes.values()) answers.sort((a, b) => a.atMs - b.atMs)
  return nodes
}

/** Moments that end a stretch, in order of time. */
function breaksOf(node: string, lifelines: Lifelines): readonly number[] {
  const { halts, starts, roles } = lifelines.of(node)
  const reigns = roles.flatMap(({ fromMs, role }) => (role.kind === 'master' ? [fromMs] : []))
  return [...halts, ...starts, ...reigns].sort((a, b) => a - b)
}

function stretchesOf(answers: readonly Answer[], breaks: readonly number[]): readonly Stretch[] {
  const stretches: Stretch[] = []
  let current: Stretch | undefined
  let next = 0
  for (const { atMs, isAcknowledged } of answers) {
    // An answer heard in the same millisecond as a break was given before it.
    while ((breaks[next] ?? Number.POSITIVE_INFINITY) < atMs) {
      current = undefined
      next++
    }
    if (!isAcknowledged) current = undefined
    else if (current !== undefined) current.untilMs = atMs
    else {
      current = { fromMs: atMs, untilMs: atMs }
      stretches.push(current)
    }
  }
  return stretches
}

/** Stretches of one node never overlap, so where two are open, two nodes were writable. */
function overlaps(stretches: readonly Stretch[]): DualWrites {
  const lasting = stretches.filter(({ fromMs, untilMs }) => untilMs > fromMs)
  const edges = lasting.flatMap(({ fromMs, untilMs }) => [
    { atMs: fromMs, change: 1 },
    { atMs: untilMs, change: -1 },
  ])
  // A stretch that ends where another begins does not overlap it.
  edges.sort((a, b) => a.atMs - b.atMs || a.change - b.change)
  let [open, sinceMs, longestMs, totalMs] = [0, 0, 0, 0]
  for (const { atMs, change } of edges) {
    if (open === 2 && change === -1) {
      longestMs = Math.max(longestMs, atMs - sinceMs)
      totalMs += atMs - sinceMs
    }
    open += change
    if (open === 2 && change === 1) sinceMs = atMs
  }
  return { longestMs, totalMs }
}
