/**
 * Draws what goes wrong. Swarm style: each run has its own few kinds of faults, its own pace and its own
 * length, since a run with everything at once is one kind of run only, and not the one that finds most.
 * Every kind has a least duration, so that the cluster gets time to react, and then some are shorter
 * than down-after and some longer: nobody may notice the first, everybody must notice the second.
 */
import type { Rng } from '../base/rng.ts'
import { drawFault } from './draw-fault.ts'
import { FAULT_KINDS, type Fault, type SwarmKind } from './fault.ts'
import { Occupation } from './occupation.ts'
import { between, weighted } from './odds.ts'
import { FIRST_FAULT_MS, type Setting } from './plan.ts'

const FAULTS_MAX = 60
/** Two hellos of everybody, and some time. */
const JOINING_MS = 5_000
/** Kinds that are drawn more or less often than others in a run that has them. */
const WEIGHT_MAX = 6
/** These make the cluster act; the others mostly make that harder. */
const GRAVITY: Partial<Readonly<Record<SwarmKind, number>>> = {
  ...{ death: 4, pause: 3, partition: 3, powerLoss: 3 },
  ...{ failover: 2, cut: 2 },
}

export function drawFaults(rng: Rng, setting: Setting): Fault[] {
  const swarm = drawSwarm(rng.fork('swarm'))
  const gapMs = rng.fork('gap').pick([700, 1_500, 4_000, 8_000])
  const occupation = new Occupation()
  const faults = drawJoins(rng.fork('joins'), setting)
  let fromMs = FIRST_FAULT_MS + rng.fork('first').below(2_000)
  for (let number = 0; number < FAULTS_MAX && fromMs < setting.calmMs - 500; number++) {
    const own = rng.fork(`fault/${number}`)
    const kind = weighted(own.fork('kind'), swarm)
    const fault = drawFault(own, kind, { ...setting, fromMs, occupation })
    if (fault !== undefined) faults.push(fault)
    fromMs += drawGap(own.fork('gap'), setting, gapMs)
  }
  return faults.sort((a, b) => a.fromMs - b.fromMs)
}

function drawSwarm(rng: Rng): (readonly [number, SwarmKind])[] {
  const kinds = FAULT_KINDS.filter((kind) => kind !== 'join')
  const share = rng.pick([2, 3, 5])
  const chosen = kinds.filter(() => rng.chance(share, 8))
  const some = chosen.length === 0 ? [rng.pick(kinds)] : chosen
  return some.map((kind) => [between(rng, 1, WEIGHT_MAX) * (GRAVITY[kind] ?? 1), kind])
}

/** Most come at some time; some while the cluster is busy with the one before, which is when it hurts. */
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
 * Who is said to join later does so while all is well. A Sentinel that joins beside one other in the
 * middle of a partition knows no more than that one, and two of two are a majority to it: Sentinel's
 * discovery has no answer to that, and operators are told to add Sentinels in quiet times.
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
