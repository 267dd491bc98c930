/** Draws who writes. Loads are light: what a run is drawn for are faults, and each write costs time. */
import type { Rng } from '../base/rng.ts'
import { between, numbers } from './odds.ts'
import type { PlannedClient, PlannedTopology } from './plan.ts'

const CLIENTS_MAX = 4

export function drawClients(rng: Rng, topology: PlannedTopology): PlannedClient[] {
  const { groups, nodes, sentinels } = topology
  const count = Math.min(CLIENTS_MAX, groups.length + rng.below(3))
  const boxes = [...nodes, ...sentinels].map(({ host }) => host)
  return numbers(count).map((number) => ({
    name: `app${number}`,
    // Beside a Sentinel or a node it shares the fate of that host; alone it is a machine of its own.
    host: rng.chance(1, 3) ? rng.pick(boxes) : `client${number}`,
    group: groups[(number - 1) % groups.length]?.name ?? '',
    operation: rng.pick(['keys', 'keys', 'set', 'counter', 'register'] as const),
    pace: rng.chance(1, 2) ? { rate: between(rng, 2, 20) } : { thinkMs: between(rng, 20, 300) },
  }))
}
