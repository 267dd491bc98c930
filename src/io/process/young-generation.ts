/**
 * Short garbage collections for a process that holds much data and answers in microseconds. What a client
 * writes is kept, so much of the young generation survives and is copied while every client waits: a
 * semi-space of 16 MB, which V8 grows to, takes three times as long as one of 4 MB. The maximum can only
 * be set on node's command line; but V8 reads the growth factor whenever the generation might grow, so we
 * change that: it is 1 while the generation is large enough. It may shrink when little happens, and then
 * grow again.
 */
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics } from 'node:v8'
import { setEngineFlag } from './engine-flags.ts'

/** Both semi-spaces: objects are copied from one to the other. */
export const YOUNG_GENERATION_BYTES = 8 * 1024 * 1024

const FACTOR = '--semi-space-growth-factor'
/** The engine's own. */
const GROWS = 2
const STAYS = 1

/**
 * After every collection decides whether the generation may grow. In effect for the rest of the
 * process.
 */
export function boundYoungGeneration(maxBytes = YOUNG_GENERATION_BYTES): void {
  let factor: number | undefined
  const decide = (): void => {
    const wanted = youngGenerationBytes() < maxBytes ? GROWS : STAYS
    if (wanted === factor) return
    factor = wanted
    setEngineFlag(`${FACTOR}=${factor}`, `${FACTOR}=${GROWS}`)
  }
  decide()
  new PerformanceObserver(decide).observe({ entryTypes: ['gc'] })
}

export function youngGenerationBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  return space?.space_size ?? 0
}
