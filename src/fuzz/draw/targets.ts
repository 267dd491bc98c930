/** Which processes a drawn fault hits, and for how long. */
import type { Rng } from '../../base/rng.ts'
import type { BusyUntil } from '../busy-until.ts'
import type { Setting } from '../members.ts'
import { between, sample, weighted } from '../odds.ts'

export interface DrawnMoment extends Setting {
  readonly fromMs: number
  readonly occupation: BusyUntil
}

/** One process as a rule; now and then all Sentinels, all nodes, or simply all processes. */
export function victims(rng: Rng, at: DrawnMoment): string[] {
  const nodes = at.topology.nodes.map(({ name }) => name)
  const sentinels = at.topology.sentinels.map(({ name }) => name)
  const masters = at.topology.groups.map(({ master }) => master)
  const candidates = weighted<() => readonly string[]>(rng, [
    [14, () => [rng.pick(nodes)]],
    [8, () => [rng.pick(masters)]],
    [7, () => [rng.pick(sentinels)]],
    [3, () => sample(rng, everyone(at), 2)],
    [1, () => sentinels],
    [1, () => nodes],
    [1, () => everyone(at)],
  ])
  return free(at, candidates())
}

/** The processes that run from the start: those that join later have enough to do with joining. */
export function everyone({ topology }: DrawnMoment): string[] {
  const { nodes, sentinels } = topology
  return [...nodes, ...sentinels].filter((one) => !one.joinsLater).map(({ name }) => name)
}

export function free(at: DrawnMoment, names: readonly string[]): string[] {
  const known = everyone(at)
  return names.filter((name) => known.includes(name) && at.occupation.isFree(name, at.fromMs))
}

export function pickFree(rng: Rng, at: DrawnMoment): string | undefined {
  const names = free(at, everyone(at))
  return names.length === 0 ? undefined : rng.pick(names)
}

/** Hosts on which all processes run. */
export function freeHosts(at: DrawnMoment): string[] {
  const { nodes, sentinels } = at.topology
  const hosts = [...new Set([...nodes, ...sentinels].map(({ host }) => host))]
  return hosts.filter((host) => {
    const residents = [...nodes, ...sentinels].filter((one) => one.host === host)
    const names = residents.map(({ name }) => name)
    return free(at, names).length === names.length
  })
}

/**
 * One fault in three ends before any Sentinel counts the instance as down; the others go on for
 * longer.
 */
export function until(rng: Rng, at: DrawnMoment, range: { minMs: number; maxMs: number }): number {
  const downAfterMs = rng.pick(at.topology.groups).downAfterMs
  const forMs = rng.chance(1, 3)
    ? between(rng, range.minMs, downAfterMs)
    : between(rng, downAfterMs, downAfterMs + rng.pick([1_000, 5_000, range.maxMs]))
  const boundMs = Math.min(Math.max(forMs, range.minMs), range.maxMs)
  return Math.min(at.fromMs + boundMs, at.calmMs)
}
