/**
 * What must never happen, and can only be seen when the run is over: it takes the writes. Meant for
 * worlds in which happenings are told at the very moment they are true, as in the simulated one.
 */

import type { Violation } from '../result.ts'
import { promptFailovers } from './availability.ts'
import type { FinishedRun } from './finished-run.ts'
import { unguardedWrites } from './guarded-writes.ts'
import { replicaWrites } from './replica-writes.ts'
import { lostHeldWrites } from './survival.ts'

/** More of a kind than this says nothing new. */
const EXAMPLES_MAX = 3

export function violationsAfter(run: FinishedRun): readonly Violation[] {
  const kinds = [
    replicaWrites(run),
    unguardedWrites(run),
    lostHeldWrites(run),
    promptFailovers(run),
  ]
  return kinds.flatMap((found) => found.slice(0, EXAMPLES_MAX))
}
