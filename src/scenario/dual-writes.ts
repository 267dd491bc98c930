/**
 * How long two nodes of a group acknowledged writes at the same time. A node's acknowledgements are
 * divided by its reigns as a master, so that a master which comes back later is no second one: two
 * reigns of different nodes overlap from the later first to the earlier last acknowledgement.
 */
import type { Happening } from '../sim/happening.ts'
import type { Write } from '../sim/write-log.ts'
import type { History } from './world.ts'

interface Reign {
  readonly node: string
  firstMs: number
  lastMs: number
}

export function longestDualWrites(writes: readonly Write[], history: History): number {
  const reigns = reignsOf(writes, history.happenings)
  let longestMs = 0
  for (const [index, reign] of reigns.entries()) {
    for (const other of reigns.slice(index + 1)) {
      if (other.node === reign.node) continue
      const overlapMs =
        Math.min(reign.lastMs, other.lastMs) - Math.max(reign.firstMs, other.firstMs)
      longestMs = Math.max(longestMs, overlapMs)
    }
  }
  return longestMs
}

function reignsOf(writes: readonly Write[], happenings: readonly Happening[]): readonly Reign[] {
  const starts = reignStarts(happenings)
  const reigns = new Map<string, Reign>()
  for (const { node, outcome } of writes) {
    if (outcome.kind !== 'acknowledged') continue
    const startMs = starts.get(node)?.findLast((atMs) => atMs <= outcome.atMs) ?? 0
    const known = reigns.get(`${node} ${startMs}`)
    if (known === undefined) {
      const reign = { node, firstMs: outcome.atMs, lastMs: outcome.atMs }
      reigns.set(`${node} ${startMs}`, reign)
    } else {
      known.firstMs = Math.min(known.firstMs, outcome.atMs)
      known.lastMs = Math.max(known.lastMs, outcome.atMs)
    }
  }
  return [...reigns.values()]
}

/** When each node became a master, by itself or by being started as one. */
function reignStarts(happenings: readonly Happening[]): ReadonlyMap<string, readonly number[]> {
  const starts = new Map<string, number[]>()
  for (const happening of happenings) {
    if (happening.kind !== 'role' || happening.role.kind !== 'master') continue
    const node = happening.process ?? ''
    const known = starts.get(node)
    if (known === undefined) starts.set(node, [happening.atMs])
    else known.push(happening.atMs)
  }
  return starts
}
