/**
 * From a seed to a whole run: which processes there are, with which options, which clients write,
 * what goes wrong, and what must follow. Safety first: some time of faults under which nothing may
 * ever be promised twice. Then everything is healed, and the cluster has to come to rest.
 */
import { unreachable } from '../../base/assert.ts'
import { createRng, type Rng } from '../../base/rng.ts'
import type { Detection } from '../../history/topology.ts'
import { isBearable } from '../liar-rules.ts'
import { isWriteOnly, type PlannedClient, type PlannedTopology } from '../members.ts'
import { isNoise } from '../noise-rules.ts'
import { between, numbers } from '../odds.ts'
import { demandsOf, FIRST_FAULT_MS, type FuzzPlan } from '../plan.ts'
import { isCoveredByPromise } from '../strict-rules.ts'
import { drawFaults } from './draw-faults.ts'
import { drawLiar } from './draw-liar.ts'
import { drawLongLife } from './draw-long-life.ts'
import { drawNoise } from './draw-noise.ts'
import { drawOperators } from './draw-operators.ts'
import { drawShared, drawStrict } from './draw-shared.ts'
import { drawStalls } from './draw-stalls.ts'
import { drawStrains } from './draw-strains.ts'
import { drawTopology } from './draw-topology.ts'

/** How long faults come: from a short scare to a bad minute. */
const FAULTY_MS = [8_000, 20_000, 30_000, 30_000, 45_000, 60_000]

/**
 * `faults`: everything that may go wrong; `noise`: nothing that is a reason to fail over; `stall`:
 * stopped processes and one-way cuts, while clients write to guarded masters; `liar`: a liar on the
 * network; `long-life`: weeks of one cluster; `shared`: clients of a group fight for the same keys; `strict`: and it loses none of
 * their writes; `operators`: groups are removed, added again and reset in the middle of it all.
 */
export type FuzzProfile =
  | ('faults' | 'noise' | 'stall' | 'liar' | 'long-life' | 'shared' | 'strict')
  | 'operators'
const NO_FINALE = { restMs: undefined, hasFinalDeath: false }

/** What a run is drawn from. */
export interface Origin {
  readonly seed: string
  readonly profile: FuzzProfile
  /** The detection of every group; undefined: as the seed has it. */
  readonly detection: Detection | undefined
  /** How long a long life is; undefined: a month. */
  readonly days?: number | undefined
}

const MONTH_DAYS = 30

export function drawRun({ seed, profile, detection, days = MONTH_DAYS }: Origin): FuzzPlan {
  switch (profile) {
    case 'faults':
      return detectingBy(drawPlan(seed), detection)
    case 'noise':
      return drawNoise(seed, detection)
    case 'stall':
      return drawStalls(seed, detection)
    case 'liar':
      return detectingBy(drawLiar(seed), detection)
    case 'long-life':
      return detectingBy(drawLongLife(seed, days), detection)
    case 'shared':
      return detectingBy(drawShared(seed), detection)
    case 'strict':
      return detectingBy(drawStrict(seed), detection)
    case 'operators':
      return detectingBy(drawOperators(seed), detection)
    default:
      return unreachable(profile)
  }
}

/** Whether a smaller plan still satisfies the rules of its profile. */
export function isStill(profile: Origin['profile'], plan: FuzzPlan): boolean {
  if (profile === 'liar') return isBearable(plan)
  if (profile === 'strict') return isCoveredByPromise(plan)
  return profile !== 'noise' || isNoise(plan)
}

function detectingBy(plan: FuzzPlan, detection: Detection | undefined): FuzzPlan {
  if (detection === undefined) return plan
  const groups = plan.topology.groups.map((group) => ({ ...group, detection }))
  return { ...plan, topology: { ...plan.topology, groups } }
}

/**
 * The same seed gives the same plan for ever; what the run itself draws comes from the same seed.
 */
export function drawPlan(seed: string): FuzzPlan {
  const rng = createRng(`fuzz/${seed}`)
  const topology = drawTopology(rng.fork('topology'))
  const drawn = drawClients(rng.fork('clients'), topology)
  const proxied = withProxies(rng.fork('proxies'), withRivals(rng.fork('rivals'), drawn))
  const halved = withHalfCloses(rng.fork('half closes'), proxied)
  const clients = withPipelines(rng.fork('pipelines'), halved)
  const calmMs = FIRST_FAULT_MS + rng.fork('calm').pick(FAULTY_MS)
  const setting = { topology, clients, calmMs }
  const common = drawFaults(rng.fork('faults'), setting)
  const strains = drawStrains(rng.fork('strains'), setting, common)
  const faults = [...common, ...strains].sort((a, b) => a.fromMs - b.fromMs)
  const demands = demandsOf(topology.groups, clients)
  const ending = rng.fork('ending').chance(1, 8) ? 'limit' : 'rest'
  return { topology, clients, faults, calmMs, ending, demands, ...NO_FINALE }
}

/**
 * Draws the clients. Their load is light: a run is drawn for its faults, and each write costs time.
 */
const CLIENTS_MAX = 4

function drawClients(rng: Rng, topology: PlannedTopology): PlannedClient[] {
  const { groups, nodes, sentinels } = topology
  const count = Math.min(CLIENTS_MAX, groups.length + rng.below(3))
  const boxes = [...nodes, ...sentinels].map(({ host }) => host)
  return numbers(count).map((number) => ({
    name: `app${number}`,
    // A client beside a Sentinel or a node shares the fate of that host; alone it has a machine of
    // its own.
    host: rng.chance(1, 3) ? rng.pick(boxes) : `client${number}`,
    group: groups[(number - 1) % groups.length]?.name ?? '',
    operation: rng.pick(['keys', 'set', 'counter', 'register', 'data', 'data', 'data'] as const),
    pace: rng.chance(1, 2) ? { rate: between(rng, 2, 20) } : { thinkMs: between(rng, 20, 300) },
    manner: 'prompt',
  }))
}

/** In one run of this many, clients of the same group use the same keys, if there are two. */
const RIVAL_RUNS = 5

/** Those clients keep their host and their pace, and they draw from a stream of their own, as proxies do. */
function withRivals(rng: Rng, clients: readonly PlannedClient[]): PlannedClient[] {
  const groups = [...new Set(clients.map(({ group }) => group))]
  const contested = groups.filter(
    (name) => clients.filter(({ group }) => group === name).length > 1,
  )
  if (contested.length === 0 || !rng.fork('any').chance(1, RIVAL_RUNS)) return [...clients]
  const chosen = rng.fork('group').pick(contested)
  const rivals = clients
    .filter(({ group }) => group === chosen)
    .slice(0, 2 + rng.fork('more').below(2))
  return clients.map((client) =>
    rivals.includes(client) ? { ...client, operation: 'shared' } : client,
  )
}

const PROXIED_RUNS = 3

/**
 * In one run of three, clients have proxies. They draw from a stream of their own, so that all other draws of a seed
 * are as they would be without them.
 */
function withProxies(rng: Rng, clients: readonly PlannedClient[]): PlannedClient[] {
  if (!rng.fork('any').chance(1, PROXIED_RUNS)) return [...clients]
  return clients.map((client) => {
    // The answers of the others are judged on the understanding that a connection leads to one node.
    const hasProxy = isWriteOnly(client) && rng.fork(client.name).chance(3, 4)
    return hasProxy ? { ...client, hasProxy } : client
  })
}

/**
 * Half of the clients behind proxies that only write at a steady rate send several writes at once, and a few of the
 * others: so many that they still write once a second.
 */
function withPipelines(rng: Rng, clients: readonly PlannedClient[]): PlannedClient[] {
  return clients.map((client) => {
    const own = rng.fork(client.name)
    const mostAtOnce = 'rate' in client.pace ? Math.floor(client.pace.rate) : 1
    const isMeant = own.chance(1, client.hasProxy === true ? 2 : 6)
    if (!isMeant || mostAtOnce < 2 || !isWriteOnly(client)) return client
    return { ...client, pipeline: Math.min(own.pick([2, 4, 8]), mostAtOnce) }
  })
}

const HALF_CLOSING_RUNS = 4

/** In one run of four, clients close their half of a connection now and then. */
function withHalfCloses(rng: Rng, clients: readonly PlannedClient[]): PlannedClient[] {
  if (!rng.fork('any').chance(1, HALF_CLOSING_RUNS)) return [...clients]
  return clients.map((client) => {
    return rng.fork(client.name).chance(3, 4) ? { ...client, halfCloses: true } : client
  })
}
