/** What `vedette fuzz` can be asked for. */
import type { Origin } from '../fuzz/draw.ts'

/** Written down once more: the command line has no use for the machines yet. */
export const FUZZ_PROFILES: readonly Origin['profile'][] = ['faults', 'noise']
