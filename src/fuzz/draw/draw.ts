/**
 * From a seed to a whole run: which processes there are, with which options, which clients write,
 * what goes wrong, and what must follow. Safety first: some time of faults under which nothing may
 * ever be promised twice. Then everything is healed, and the cluster has to come to rest.
 */
import { unreachable } from '../../base/assert.ts'
import { createRng, type Rng } from '../../base/rng.ts'
import type { Detection } from '../../history/topology.ts'
import { BusyUntil } from '../busy-until.ts'
import { drawFault, type Fault, SWARM_KINDS, weightOf } from '../faults/faults.ts'
import { isBearable } from '../liar-rules.ts'
import type { PlannedClient, PlannedTopology, Setting } from '../members.ts'
import { isNoise } from '../noise-rules.ts'
import { between, numbers, weighted } from '../odds.ts'
import { demandsOf, FIRST_FAULT_MS, type FuzzPlan } from '../plan.ts'
import { drawLiar } from './draw-liar.ts'
import { drawLongLife } from './draw-long-life.ts'
import { drawNoise } from './draw-noise.ts'
import { drawMishap, drawQuietOrders } from './draw-orders.ts'
import { drawStalls } from './draw-stalls.ts'
import { drawStrains } from './draw-strains.ts'
import { drawTopology } from './draw-topology.ts'

/** How long faults come: from a short scare to a bad minute. */
const FAULTY_MS = [8_000, 20_000, 30_000, 30_000, 45_000, 60_000]

/**
 * `faults`: everything that may go wrong; `noise`: nothing that is a reason to fail over; `stall`:
 * stopped processes and one-way cuts, while clients write to guarded masters; `liar`: a liar on the
 * network; `long-life`: weeks of one cluster.
 */
export type FuzzProfile = 'faults' | 'noise' | 'stall' | 'liar' | 'long-life'
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
    default:
      return unreachable(profile)
  }
}

/** Whether a smaller plan still satisfies the rules of its profile. */
export function isStill(profile: Origin['profile'], plan: FuzzPlan): boolean {
  if (profile === 'liar') return isBearable(plan)
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
  const clients = withProxies(rng.fork('proxies'), drawClients(rng.fork('clients'), topology))
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

const PROXIED_RUNS = 3

/**
 * In one run of three, clients have proxies. They draw from a stream of their own, so that all other draws of a seed
 * are as they would be without them.
 */
function withProxies(rng: Rng, clients: readonly PlannedClient[]): PlannedClient[] {
  if (!rng.fork('any').chance(1, PROXIED_RUNS)) return [...clients]
  // The answers of the others are judged on the understanding that a connection leads to one node.
  const isBearable = ({ operation }: PlannedClient) =>
    ['keys', 'set', 'counter'].includes(operation)
  return clients.map((client) => {
    const hasProxy = isBearable(client) && rng.fork(client.name).chance(3, 4)
    return hasProxy ? { ...client, hasProxy } : client
  })
}

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
function drawFaults(rng: Rng, setting: Setting): Fault[] {
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
