/**
 * What a drawn run may do to a strict group. No acknowledged write is lost unless as many voters as the write quorum
 * lose what they had: so fewer are ever emptied, and everything else that may happen happens to all. A node that was
 * restarted is no voter until it has caught up; where writes have to return in the end, one is restarted at a
 * time, and the next one when it had time for that and nothing in its way. One that comes back without anything has no
 * vote before the next fence, and nobody knows when that is.
 */
import { endOf, type Fault, partsOf } from './faults/faults.ts'
import { type PlannedTopology, residentsOf } from './members.ts'
import { majorityOf } from './odds.ts'
import type { FuzzPlan } from './plan.ts'

/** A restarted node starts, finds its master, takes a copy. */
const CAUGHT_UP_MS = 12_000
/** What may keep it from that. */
const HINDRANCES: ReadonlySet<Fault['kind']> = new Set([
  ...(['partition', 'cut', 'hold', 'deaf', 'reset', 'pause', 'stall'] as const),
  ...(['slowDisk', 'latePackets', 'diskFailure'] as const),
])

type Drawn = Pick<FuzzPlan, 'topology' | 'clients' | 'faults' | 'demands'>

export function isCoveredByPromise(plan: Drawn): boolean {
  const losers = new Set(plan.faults.flatMap((fault) => emptiedBy(fault, plan)))
  if (losers.size >= writeQuorum(plan.topology)) return false
  return !mustRecover(plan) || leavesVoters(plan)
}

/** The first faults that together stay within the promise. */
export function withinPromise(plan: Drawn): readonly Fault[] {
  const covered: Fault[] = []
  for (const fault of plan.faults) {
    if (isCoveredByPromise({ ...plan, faults: [...covered, fault] })) covered.push(fault)
  }
  return covered
}

/** How many voters have a write before it is acknowledged, the master among them. */
function writeQuorum({ groups, nodes }: PlannedTopology): number {
  return groups[0]?.writeQuorum || majorityOf(nodes.length)
}

/** A run without such demands is about what must never happen. */
function mustRecover({ demands }: Drawn): boolean {
  return demands.some(({ kind }) => kind === 'converges')
}

interface Away {
  readonly node: string
  readonly fromMs: number
  readonly untilMs: number
}

/** At any time enough voters are there for a promotion and for writes after it. */
function leavesVoters(plan: Drawn): boolean {
  const { topology, faults } = plan
  const size = topology.nodes.length
  const quorum = writeQuorum(topology)
  const spare = size - Math.max(quorum, size - quorum + 1)
  const aways = faults.flatMap((fault) => awayBy(fault, plan))
  return aways.every((away) => {
    const others = aways.filter(
      ({ fromMs, untilMs }) => fromMs < away.untilMs && untilMs > away.fromMs,
    )
    return new Set(others.map(({ node }) => node)).size <= spare
  })
}

function awayBy(fault: Fault, plan: Drawn): Away[] {
  return partsOf(fault).flatMap((one) =>
    restartedBy(one, plan).map((node) => {
      const isEmptied = emptiedBy(one, plan).includes(node)
      const untilMs = isEmptied ? Number.POSITIVE_INFINITY : caughtUpMs(endOf(one), plan)
      return { node, fromMs: one.fromMs, untilMs }
    }),
  )
}

/** When a node that starts at this time is a voter again, at the latest. */
function caughtUpMs(startMs: number, { faults }: Drawn): number {
  const hindrances = faults.flatMap(partsOf).filter(({ kind }) => HINDRANCES.has(kind))
  let untilMs = startMs + CAUGHT_UP_MS
  for (const one of hindrances.sort((a, b) => a.fromMs - b.fromMs)) {
    if (one.fromMs < untilMs) untilMs = Math.max(untilMs, endOf(one) + CAUGHT_UP_MS)
  }
  return untilMs
}

/** The nodes that start again after it. */
function restartedBy(fault: Fault, plan: Drawn): readonly string[] {
  const { nodes, settings } = plan.topology
  const among = (names: readonly string[]): string[] =>
    nodes.map(({ name }) => name).filter((name) => names.includes(name))
  if (fault.kind === 'death') return among(fault.processes)
  if (fault.kind === 'powerLoss') return among(fault.residents)
  if (fault.kind === 'readdress') return among(residentsOf(plan, [fault.host]))
  if (fault.kind === 'fullHeap') return fault.ends === 'killed' ? among([fault.process]) : []
  // With `always` a node ends itself when its disk fails.
  const endsItself = fault.kind === 'diskFailure' && settings.appendfsync === 'always'
  return endsItself ? among([fault.process]) : []
}

/** The nodes that come back without anything. */
export function emptiedBy(fault: Fault, plan: Drawn): readonly string[] {
  const isEmpty = 'disk' in fault && fault.disk === 'empty'
  return isEmpty ? restartedBy(fault, plan) : []
}
