/**
 * What goes wrong in a run: faults of some kinds, one after the other, until everything is healed.
 */
import type { Rng } from '../../base/rng.ts'
import { placeWords } from '../../history/action.ts'
import { BusyUntil } from '../busy-until.ts'
import { drawFault, type Fault, SWARM_KINDS, weightOf } from '../faults/faults.ts'
import type { Setting } from '../members.ts'
import { between, weighted } from '../odds.ts'
import { FIRST_FAULT_MS } from '../plan.ts'
import { type DrawnMoment, free } from './targets.ts'

/**
 * Draws what goes wrong. Swarm style: each run has its own few kinds of faults, its own pace and
 * its own length, since a run with everything at once is one kind of run only, and not the one that
 * finds most. Every kind has a least duration, so that the cluster gets time to react. Beyond that,
 * some faults are shorter than down-after and some longer: of the first no Sentinel need notice
 * anything, the second every Sentinel must notice.
 */
const FAULTS_MAX = 60
/** Two hellos of every Sentinel, and some time. */
const JOINING_MS = 5_000
/** Kinds that are drawn more or less often than others in a run that has them. */
const WEIGHT_MAX = 6

export function drawFaults(rng: Rng, setting: Setting): Fault[] {
  const swarm = drawSwarm(rng.fork('swarm'))
  const gapMs = rng.fork('gap').pick([700, 1_500, 4_000, 8_000])
  const occupation = new BusyUntil()
  const quiet = drawQuietOrders(rng.fork('quiet'), setting)
  const faults = [...drawJoins(rng.fork('joins'), setting), ...quiet]
  let fromMs = FIRST_FAULT_MS + rng.fork('first').below(2_000)
  for (let number = 0; number < FAULTS_MAX && fromMs < setting.calmMs - 500; number++) {
    const own = rng.fork(`fault/${number}`)
    const kind = weighted(own.fork('kind'), swarm)
    const moment = { ...setting, fromMs, occupation }
    const fault = drawFault(own, kind, moment)
    if (fault !== undefined) faults.push(fault, ...drawMishap(own.fork('mishap'), fault, moment))
    fromMs += drawGap(own.fork('gap'), setting, gapMs)
  }
  return faults.sort((a, b) => a.fromMs - b.fromMs)
}

function drawSwarm(rng: Rng): (readonly [number, (typeof SWARM_KINDS)[number]])[] {
  const share = rng.pick([2, 3, 5])
  const chosen = SWARM_KINDS.filter(() => rng.chance(share, 8))
  const some = chosen.length === 0 ? [rng.pick(SWARM_KINDS)] : chosen
  return some.map((kind) => [between(rng, 1, WEIGHT_MAX) * weightOf(kind), kind])
}

/**
 * Most faults come at some time; some while the cluster is busy with the fault before, when they do
 * most harm.
 */
function drawGap(rng: Rng, { topology }: Setting, meanMs: number): number {
  const downAfterMs = rng.pick(topology.groups).downAfterMs
  const how = weighted(rng, [
    [5, 'some time'],
    [2, 'while it is noticed'],
    [1, 'at once'],
  ])
  if (how === 'some time') return between(rng, Math.ceil(meanMs / 4), meanMs * 2)
  if (how === 'at once') return between(rng, 0, 30)
  return downAfterMs + between(rng, 0, 400)
}

/**
 * Processes that join later do so while all is well. A Sentinel that joins beside one other in the
 * middle of a partition knows no more than that one, and two of two are a majority to it:
 * Sentinel's discovery has no answer to that, and operators are told to add Sentinels in quiet
 * times.
 */
function drawJoins(rng: Rng, { topology }: Setting): Fault[] {
  const { nodes, sentinels } = topology
  const late = [...nodes, ...sentinels].filter(({ joinsLater }) => joinsLater)
  return late.map(({ name }) => ({
    kind: 'join',
    process: name,
    fromMs: between(rng, 4_000, FIRST_FAULT_MS - JOINING_MS),
  }))
}

/**
 * Draws what operators do while all is well, and what goes wrong just when they have ordered a handover.
 */

/** All Sentinels know all instances by then, and find them again before the first fault. */
const QUIET_MS = { from: 4_000, to: 6_000 }

/**
 * A Sentinel forgets everything and finds it again (RESET), or is told to forget a process that is well, which it
 * refuses. In a partition either could leave it with a majority of its own: operators are told to do that in quiet
 * times.
 */
function drawQuietOrders(rng: Rng, { topology }: Setting): Fault[] {
  const { sentinels, nodes, groups } = topology
  const present = sentinels.filter(({ joinsLater }) => !joinsLater)
  const fromMs = between(rng.fork('at'), QUIET_MS.from, QUIET_MS.to)
  const process = rng.fork('to').pick(present).name
  const to = (...argv: string[]): Fault => ({ kind: 'command', fromMs, process, argv })
  const how = rng.fork('how').below(12)
  if (how === 0) return [to('SENTINEL', 'RESET', '*')]
  if (how > 2) return []
  const group = rng.fork('group').pick(groups).name
  const others = [...present, ...nodes.filter((node) => node.group === group)]
  const whom = rng.fork('whom').pick(others.filter(({ name }) => name !== process))
  return [to('SENTINEL', 'FORGET', group, ...placeWords(whom.name))]
}

/** Some handovers go wrong: a node hangs while it is under way. */
function drawMishap(rng: Rng, fault: Fault, at: DrawnMoment): Fault[] {
  if (fault.kind !== 'failover' || !fault.isCoordinated || !rng.chance(1, 2)) return []
  const nodes = at.topology.nodes.filter(({ group }) => group === fault.group)
  const processes = free(
    at,
    nodes.filter(() => rng.chance(1, 2)).map(({ name }) => name),
  )
  if (processes.length === 0) return []
  const fromMs = fault.fromMs + between(rng, 1, 60)
  const untilMs = Math.min(fromMs + between(rng, 1_000, 9_000), at.calmMs)
  if (untilMs <= fromMs) return []
  at.occupation.occupy(processes, untilMs)
  return [{ kind: 'pause', fromMs, untilMs, processes }]
}
