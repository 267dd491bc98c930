/**
 * From a seed to a whole run: who is there, by which rules, who writes, what goes wrong, and what must
 * come of it. Safety first: some time of faults under which nothing may ever be promised twice. Then
 * everything is healed, and the cluster has to come to rest.
 */
import { createRng } from '../base/rng.ts'
import type { Detection } from '../sim/topology.ts'
import { drawClients } from './draw-clients.ts'
import { drawFaults } from './draw-faults.ts'
import { drawNoise } from './draw-noise.ts'
import { drawTopology } from './draw-topology.ts'
import { isNoise } from './noise-rules.ts'
import { type Demand, FIRST_FAULT_MS, type Plan } from './plan.ts'

/** How long faults come: from a short scare to a bad minute. */
const FAULTY_MS = [8_000, 20_000, 30_000, 30_000, 45_000, 60_000]

/** What a run is drawn from. */
export interface Origin {
  readonly seed: string
  /** `faults`: everything that may go wrong; `noise`: nothing that is a reason to fail over. */
  readonly profile: 'faults' | 'noise'
  /** Of every group; undefined: as the seed has it. */
  readonly detection: Detection | undefined
}

export function drawRun({ seed, profile, detection }: Origin): Plan {
  return profile === 'noise' ? drawNoise(seed, detection) : detectingBy(drawPlan(seed), detection)
}

/** A smaller plan still is what its profile says. */
export function isStill(profile: Origin['profile'], plan: Plan): boolean {
  return profile === 'faults' || isNoise(plan)
}

function detectingBy(plan: Plan, detection: Detection | undefined): Plan {
  if (detection === undefined) return plan
  const groups = plan.topology.groups.map((group) => ({ ...group, detection }))
  return { ...plan, topology: { ...plan.topology, groups } }
}

/** The same seed gives the same plan for ever; what the run itself draws comes from the same seed. */
export function drawPlan(seed: string): Plan {
  const rng = createRng(`fuzz/${seed}`)
  const topology = drawTopology(rng.fork('topology'))
  const clients = drawClients(rng.fork('clients'), topology)
  const calmMs = FIRST_FAULT_MS + rng.fork('calm').pick(FAULTY_MS)
  const faults = drawFaults(rng.fork('faults'), { topology, clients, calmMs })
  const demands = demandsOf(topology.groups, clients)
  const ending = rng.fork('ending').chance(1, 8) ? 'limit' : 'rest'
  return { topology, clients, faults, calmMs, restMs: undefined, ending, demands }
}

function demandsOf(groups: Plan['topology']['groups'], clients: Plan['clients']): Demand[] {
  return [
    ...groups.flatMap(({ name }): Demand[] => [
      { kind: 'converges', group: name },
      { kind: 'staysConverged', group: name },
    ]),
    ...clients.map(({ name }): Demand => ({ kind: 'writesWork', client: name })),
    { kind: 'settles' },
  ]
}
