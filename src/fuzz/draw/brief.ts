/**
 * A drawn run for a world in which time is real: the same cluster, clients and kinds of faults, in half a
 * minute. Faults come for five seconds only, and none that costs a Sentinel thirty seconds of TILT; the
 * run ends as soon as the cluster has come to rest.
 */
import { costOf, endOf, type Fault, lasting } from '../faults/faults.ts'
import { FIRST_FAULT_MS, type FuzzPlan } from '../plan.ts'

const FAULTY_MS = 5_000
const CALM_MS = FIRST_FAULT_MS + FAULTY_MS
/** A fault that begins later has no time to do anything. */
const LAST_FAULT_MS = CALM_MS - 500

/** `isPossible`: whether the world can do what a plan asks for. */
export function briefly(plan: FuzzPlan, isPossible: (plan: FuzzPlan) => boolean): FuzzPlan {
  const nothing: FuzzPlan = {
    ...plan,
    calmMs: CALM_MS,
    ending: 'rest',
    restMs: undefined,
    faults: [],
  }
  const faults = plan.faults
    .filter((fault) => fault.fromMs < LAST_FAULT_MS && costOf(fault) !== 'tilt')
    .map(curtailed)
    .filter((fault) => isPossible({ ...nothing, faults: [fault] }))
  return { ...nothing, faults }
}

function curtailed(fault: Fault): Fault {
  return endOf(fault) > CALM_MS ? lasting(fault, CALM_MS - fault.fromMs) : fault
}
