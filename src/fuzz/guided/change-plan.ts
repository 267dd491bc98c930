/**
 * Small changes to a plan whose run was remarkable: the same cluster with its faults closer together, later,
 * twice, left out, mixed with those of another plan, or with other chance. A changed plan keeps the rules by
 * which plans are drawn: no process is held down twice at once, and none is started while it cannot save.
 */
import type { Rng } from '../../base/rng.ts'
import { BusyUntil } from '../busy-until.ts'
import {
  drawFault,
  drawStrain,
  endOf,
  type Fault,
  lasting,
  STRAIN_KINDS,
  SWARM_KINDS,
  shifted,
} from '../faults/faults.ts'
import { between } from '../odds.ts'
import { FIRST_FAULT_MS, type FuzzPlan } from '../plan.ts'
import { prune } from '../reductions.ts'

const CHANGES_MAX = 3
const FAULTS_MAX = 60
const ATTEMPTS = 10
/** Time that a fault after the last one needs. */
const ROOM_MS = 5_000

type Change = (rng: Rng, plan: FuzzPlan, other: FuzzPlan) => readonly Fault[]

const CHANGES: readonly Change[] = [move, crowd, repeat, leaveOut, stretch, add, strain, mix]

/** A plan like this one; `other` lends faults. The same plan if no change was sound. */
export function changePlan(rng: Rng, plan: FuzzPlan, other: FuzzPlan): FuzzPlan {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    let changed = plan
    for (let count = between(rng, 1, CHANGES_MAX); count > 0; count--) {
      const faults = rng.pick(CHANGES)(rng, changed, other).slice(0, FAULTS_MAX)
      changed = prune({ ...changed, faults: [...faults].sort((a, b) => a.fromMs - b.fromMs) })
    }
    if (isSound(changed)) return changed
  }
  return plan
}

function isMovable(fault: Fault): boolean {
  return fault.kind !== 'join' && fault.kind !== 'lie' && fault.kind !== 'lull'
}

/** Changes one fault, chosen by chance. */
function changing(rng: Rng, plan: FuzzPlan, change: (fault: Fault) => readonly Fault[]): Fault[] {
  const movable = plan.faults.filter(isMovable)
  if (movable.length === 0) return [...plan.faults]
  const chosen = rng.pick(movable)
  return plan.faults.flatMap((fault) => (fault === chosen ? change(fault) : [fault]))
}

function at(fault: Fault, fromMs: number): Fault {
  return shifted(fault, Math.max(FIRST_FAULT_MS, Math.round(fromMs)) - fault.fromMs)
}

function move(rng: Rng, plan: FuzzPlan): readonly Fault[] {
  return changing(rng, plan, (fault) => [at(fault, fault.fromMs + between(rng, -4_000, 4_000))])
}

/** Another fault comes while this one is being dealt with. */
function crowd(rng: Rng, plan: FuzzPlan): readonly Fault[] {
  const before = plan.faults.filter(isMovable)
  if (before.length === 0) return plan.faults
  const downAfterMs = rng.pick(plan.topology.groups).downAfterMs
  const first = rng.pick(before).fromMs
  const laterMs = rng.pick([between(rng, 0, 50), downAfterMs + between(rng, 0, 500)])
  return changing(rng, plan, (fault) => [at(fault, first + laterMs)])
}

function repeat(rng: Rng, plan: FuzzPlan): readonly Fault[] {
  return changing(rng, plan, (fault) => [
    fault,
    at(fault, endOf(fault) + between(rng, 100, ROOM_MS)),
  ])
}

function leaveOut(rng: Rng, plan: FuzzPlan): readonly Fault[] {
  return changing(rng, plan, () => [])
}

function stretch(rng: Rng, plan: FuzzPlan): readonly Fault[] {
  return changing(rng, plan, (fault) => [
    lasting(
      fault,
      Math.max(100, Math.round((endOf(fault) - fault.fromMs) * rng.pick([0.3, 0.6, 2]))),
    ),
  ])
}

function add(rng: Rng, plan: FuzzPlan): readonly Fault[] {
  const drawn = drawFault(rng, rng.pick(SWARM_KINDS), momentIn(rng, plan))
  return drawn === undefined ? plan.faults : [...plan.faults, drawn]
}

function strain(rng: Rng, plan: FuzzPlan): readonly Fault[] {
  const drawn = drawStrain(rng, rng.pick(STRAIN_KINDS).kind, momentIn(rng, plan))
  return drawn === undefined ? plan.faults : [...plan.faults, drawn]
}

function momentIn(rng: Rng, plan: FuzzPlan) {
  const lastMs = Math.max(FIRST_FAULT_MS, plan.calmMs - 1_000)
  return { ...plan, fromMs: between(rng, FIRST_FAULT_MS, lastMs), occupation: new BusyUntil() }
}

/** Half of another plan's faults come to this cluster: those that name a process that is not there are dropped. */
function mix(rng: Rng, plan: FuzzPlan, other: FuzzPlan): readonly Fault[] {
  const isForeign = ({ kind }: Fault): boolean => kind === 'command' || kind === 'readdress'
  const lent = other.faults.filter((fault) => isMovable(fault) && !isForeign(fault))
  const some = lent.filter(() => rng.chance(1, 2))
  return [...plan.faults.filter((fault) => !isMovable(fault) || rng.chance(3, 4)), ...some]
}

/** Which process is held down, or cannot save, by which fault: these must not overlap. */
export function isSound({ faults }: FuzzPlan): boolean {
  const spans = faults.flatMap((fault) =>
    heldBy(fault).map((name) => ({ name, fromMs: fault.fromMs, untilMs: endOf(fault) })),
  )
  return spans.every((one, index) =>
    spans
      .slice(index + 1)
      .every(
        (other) =>
          one.name !== other.name || one.untilMs < other.fromMs || other.untilMs < one.fromMs,
      ),
  )
}

function heldBy(fault: Fault): readonly string[] {
  if (fault.kind === 'powerLoss') return fault.residents
  if ('processes' in fault) return fault.processes
  const single = ['diskFailure', 'slowDisk', 'fullHeap', 'backup']
  return single.includes(fault.kind) && 'process' in fault ? [fault.process] : []
}
