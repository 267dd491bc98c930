/**
 * Short garbage collections for a process that holds much data and answers in microseconds. What a client
 * writes is kept, so much of the young generation survives and is copied while every client waits: a
 * semi-space of 16 MB, which V8 grows to, takes three times as long as one of 4 MB. The maximum can only
 * be set on node's command line; but V8 reads the growth factor whenever the generation might grow, so we
 * change that: it is 1 while the generation is large enough. It may shrink when little happens, and then
 * grow again.
 *
 * A collection also looks at every page of the old generation, some three milliseconds for each gigabyte. So the bound
 * grows with the data: where a collection is long anyway, it had better be rare.
 */
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics } from 'node:v8'
import { setEngineFlag } from './engine-flags.ts'

/** Both semi-spaces: objects are copied from one to the other. */
export const YOUNG_GENERATION_BYTES = 8 * 1024 * 1024
/** What the young generation may have at least, of all that the old one holds. V8 stops at 32 MB. */
const SHARE = 1 / 16

const FACTOR = '--semi-space-growth-factor'
/** The engine's own. */
const GROWS = 2
const STAYS = 1

/**
 * After every collection decides whether the generation may grow. In effect for the rest of the
 * process.
 */
export function boundYoungGeneration(): void {
  let factor: number | undefined
  const decide = (): void => {
    const capacity = capacityOf(youngGenerationBytes())
    const wanted = capacity < boundBeside(bytesOf('old_space')) ? GROWS : STAYS
    if (wanted === factor) return
    factor = wanted
    setEngineFlag(`${FACTOR}=${factor}`, `${FACTOR}=${GROWS}`)
  }
  decide()
  new PerformanceObserver(decide).observe({ entryTypes: ['gc'] })
}

/** It doubles each time it grows; since Node 26 its pages are counted one by one as they come into use. */
function capacityOf(bytes: number): number {
  return 2 ** Math.ceil(Math.log2(bytes))
}

/** How large the young generation may be, in bytes, beside an old one of this size. */
export function boundBeside(oldBytes: number): number {
  return Math.max(YOUNG_GENERATION_BYTES, SHARE * oldBytes)
}

export function youngGenerationBytes(): number {
  return bytesOf('new_space')
}

function bytesOf(space: 'new_space' | 'old_space'): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === space)?.space_size ?? 0
}
