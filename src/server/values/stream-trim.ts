/**
 * Trimming a stream at its front: to a number of entries, or to the entries from an id on. An
 * approximate trim (`~`) removes whole nodes only and stops at a limit, so that its cost is small and
 * known. The trim is planned first, because a stream that stays as it is must not be announced as
 * changing.
 */
import type { StreamEntries } from './stream.ts'
import type { StreamId } from './stream-id.ts'
import type { StreamNode } from './stream-node.ts'

export interface Trim {
  /** How many entries may stay, or the smallest id that may stay. */
  readonly threshold:
    | { readonly kind: 'length'; readonly max: number }
    | { readonly kind: 'id'; readonly min: StreamId }
  /** Removes whole nodes only. */
  readonly isAbout: boolean
  /** How many entries to remove at most; 0 for no limit. */
  readonly limit: number
}

export interface TrimPlan {
  /** How many whole nodes to remove at the front. */
  readonly nodes: number
  /** How many entries to remove from the first node that stays. */
  readonly entries: number
  /** How many entries are removed in all. */
  readonly removed: number
}

export function planTrim(stream: StreamEntries, { threshold, isAbout, limit }: Trim): TrimPlan {
  let removed = 0
  let nodes = 0
  for (const node of stream.nodes) {
    const { length } = node
    const left = stream.length - removed
    if (threshold.kind === 'length' && left <= threshold.max) break
    if (limit > 0 && removed + length > limit) break
    if (!isAllGone(node, left, threshold)) {
      const entries = isAbout ? 0 : excessOf(node, left, threshold)
      return { nodes, entries, removed: removed + entries }
    }
    removed += length
    nodes++
  }
  return { nodes, entries: 0, removed }
}

/** For the node at which the last `left` entries begin. Redis looks at its last id, deleted or not. */
function isAllGone(node: StreamNode, left: number, threshold: Trim['threshold']): boolean {
  if (threshold.kind === 'id') return node.lastId < threshold.min
  return left - node.length >= threshold.max
}

/** How many of the node's entries have to go. */
function excessOf(node: StreamNode, left: number, threshold: Trim['threshold']): number {
  return threshold.kind === 'id' ? node.placeOf(threshold.min) : left - threshold.max
}

export function carryOut(stream: StreamEntries, { nodes, entries }: TrimPlan): void {
  stream.dropNodes(nodes)
  if (entries > 0) stream.dropFirst(entries)
}
