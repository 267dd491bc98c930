/**
 * How long two nodes of a group acknowledged writes at the same time. A node's acknowledgements make
 * up stretches, from the first to the last one: a stretch is over when the node refuses a write, when
 * it is halted or dies, and when it becomes a master anew. In between it counts as writable, whether
 * somebody wrote or not. Where the stretches of two nodes overlap there were two writable masters.
 */
import type { Write } from '../../sim/write-log.ts'
import type { Lifelines } from './lifelines.ts'

export interface DualWrites {
  /** The longest time without a break. */
  readonly longestMs: number
  /** All times together. */
  readonly totalMs: number
}

export function dualWrites(writes: readonly Write[], lifelines: Lifelines): DualWrites {
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

/** In the order of time. */
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

/** Moments that no stretch goes across, in the order of time. */
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
    // An answer was given before the break if it is only heard in the same millisecond.
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

/** Stretches of one node never overlap, so where two are open two nodes were writable. */
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
