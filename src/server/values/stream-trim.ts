/**
 * Trimming a stream from its front: to a number of entries, or to those from an id on. Trimming "about"
 * removes whole nodes only and stops before a limit, so that its cost is small and known. First it is
 * planned, since a stream that stays as it is must not be announced as changing.
 */
import type { Stream } from './stream.ts'
import type { StreamId } from './stream-id.ts'
import type { StreamNode } from './stream-node.ts'

export interface Trim {
  /** How many entries may stay, or the smallest id that may stay. */
  readonly threshold:
    | { readonly kind: 'length'; readonly max: number }
    | { readonly kind: 'id'; readonly min: StreamId }
  /** Whole nodes only. */
  readonly isAbout: boolean
  /** Remove at most so many entries; 0: as many as it takes. */
  readonly limit: number
}

export interface TrimPlan {
  /** Whole nodes off the front. */
  readonly nodes: number
  /** Entries off the first node that stays. */
  readonly entries: number
  /** Entries in all. */
  readonly removed: number
}

export function planTrim(stream: Stream, { threshold, isAbout, limit }: Trim): TrimPlan {
  let removed = 0
  let nodes = 0
  for (const node of stream.nodes) {
    const { length } = node.entries
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

/** Of the node that begins the last `left` entries. Redis looks at its last id, be it deleted or not. */
function isAllGone(node: StreamNode, left: number, threshold: Trim['threshold']): boolean {
  if (threshold.kind === 'id') return node.lastId < threshold.min
  return left - node.entries.length >= threshold.max
}

/** How many of its entries have to go. */
function excessOf(node: StreamNode, left: number, threshold: Trim['threshold']): number {
  return threshold.kind === 'id' ? node.placeOf(threshold.min) : left - threshold.max
}

export function carryOut(stream: Stream, { nodes, entries }: TrimPlan): void {
  stream.dropNodes(nodes)
  if (entries > 0) stream.dropFirst(entries)
}
