/**
 * The heap of a simulated data node, as the node's guard meters it. The simulator does not count what a
 * node keeps: a fault says how much of the heap is in use, none of it garbage, whatever the node does.
 */
import type { HeapMeter } from '../../server/port.ts'
import type { Process } from './process.ts'

const LIMIT_BYTES = 2 ** 30
/** How long a collection stops a process that has a heap of this size in use. */
const COLLECTION_MS = 200

/** Undefined as long as no fault has touched the heap in this life: then nobody has to look at it. */
export function heapOf(process: Process): HeapMeter | undefined {
  if (process.heapShare === undefined) return undefined
  return {
    read: () => {
      const share = process.heapShare ?? 0
      const usedBytes = Math.floor(share * LIMIT_BYTES)
      // A collection is over whenever the share has changed.
      const collections = Math.round(share * 1_000)
      return { usedBytes, limitBytes: LIMIT_BYTES, collectedBytes: usedBytes, collections }
    },
    collect: () => COLLECTION_MS,
  }
}
