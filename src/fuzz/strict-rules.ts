/**
 * What a drawn run may do to a strict group. It promises that no acknowledged write is lost as long as fewer
 * voters than the write quorum lose what they had made durable: so these are chosen once for a run, and everything
 * else that may happen happens to all.
 */
import type { Fault } from './faults/faults.ts'
import type { PlannedTopology } from './members.ts'
import type { FuzzPlan } from './plan.ts'

export function isCoveredByPromise({
  topology,
  faults,
}: Pick<FuzzPlan, 'topology' | 'faults'>): boolean {
  const losers = new Set(faults.flatMap((fault) => losersBy(fault, topology)))
  return losers.size < writeQuorum(topology)
}

/** The first faults that together stay within the promise. */
export function withinPromise(topology: PlannedTopology, faults: readonly Fault[]): Fault[] {
  const covered: Fault[] = []
  for (const fault of faults) {
    if (isCoveredByPromise({ topology, faults: [...covered, fault] })) covered.push(fault)
  }
  return covered
}

/** How many voters have a write before it is acknowledged, the master among them. */
export function writeQuorum({ settings }: PlannedTopology): number {
  return Number(settings['min-sync-replicas'] ?? 0) + 1
}

/** The nodes that may lose what they had acknowledged. */
function losersBy(fault: Fault, { settings, nodes }: PlannedTopology): readonly string[] {
  const names = nodes.map(({ name }) => name)
  const isSynced = settings.appendfsync === 'always'
  const among = (some: readonly string[]): string[] => names.filter((name) => some.includes(name))
  if (fault.kind === 'death') return fault.disk === 'empty' ? among(fault.processes) : []
  if (fault.kind === 'readdress' && fault.disk === 'empty') {
    return nodes.filter(({ host }) => host === fault.host).map(({ name }) => name)
  }
  if (isSynced) return []
  // Without `always` a write may be acknowledged before the disk has it, and a sync may fail unseen.
  if (fault.kind === 'powerLoss') return among(fault.residents)
  return fault.kind === 'diskFailure' ? among([fault.process]) : []
}
