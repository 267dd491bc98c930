/**
 * Draws what operators do while all is well, and what goes wrong just when they have ordered a handover.
 */
import type { Rng } from '../../base/rng.ts'
import { placeWords } from '../../history/action.ts'
import type { Fault } from '../faults/faults.ts'
import type { Setting } from '../members.ts'
import { between } from '../odds.ts'
import { type DrawnMoment, free } from './targets.ts'

/** All Sentinels know all instances by then, and find them again before the first fault. */
const QUIET_MS = { from: 4_000, to: 6_000 }

/**
 * A Sentinel forgets everything and finds it again (RESET), or is told to forget a process that is well, which it
 * refuses. In a partition either could leave it with a majority of its own: operators are told to do that in quiet
 * times.
 */
export function drawQuietOrders(rng: Rng, { topology }: Setting): Fault[] {
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
export function drawMishap(rng: Rng, fault: Fault, at: DrawnMoment): Fault[] {
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
