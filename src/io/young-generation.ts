/**
 * Short collections of garbage for a process that holds much and answers in microseconds. What a client
 * writes is kept, so of the young generation much survives and is copied, while everybody waits: 16 MB of
 * it, which V8 grows to, take three times as long as 4 MB. The maximum can be given on node's command line
 * only; but V8 asks for the growth factor whenever the generation might grow, so that is what is changed:
 * 1 while it is large enough. It may shrink when little happens, and then grow again.
 */
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Both halves: objects are copied from one to the other. */
export const YOUNG_GENERATION_BYTES = 8 * 1024 * 1024

const GROWS = 2
const STAYS = 1

/** Measures after every collection whether it may grow. For the rest of the process. */
export function boundYoungGeneration(maxBytes = YOUNG_GENERATION_BYTES): void {
  let factor: number | undefined
  const decide = (): void => {
    const wanted = youngGenerationBytes() < maxBytes ? GROWS : STAYS
    if (wanted === factor) return
    factor = wanted
    setFlagsFromString(`--semi-space-growth-factor=${factor}`)
  }
  decide()
  new PerformanceObserver(decide).observe({ entryTypes: ['gc'] })
}

export function youngGenerationBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  return space?.space_size ?? 0
}
