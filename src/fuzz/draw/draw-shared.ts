/**
 * Draws a group whose clients fight for the same keys, under everything at once: deaths, stalls, power cuts,
 * full disks, partitions of every shape, one-way cuts, jumping clocks, a Sentinel from a backup, failovers by
 * chance and by order. So every answer is judged, beside the answers that other clients had.
 */
import { createRng, type Rng } from '../../base/rng.ts'
import {
  type PlannedClient,
  type PlannedGroup,
  type PlannedTopology,
  plainMembers,
} from '../members.ts'
import { between, majorityOf, numbers } from '../odds.ts'
import { demandsOf, FIRST_FAULT_MS, type FuzzPlan } from '../plan.ts'
import { withinPromise } from '../strict-rules.ts'
import { drawFaults } from './draw-faults.ts'
import { drawStrains } from './draw-strains.ts'

/** How long a run is watched when nothing need work in the end. */
const WILD_REST_MS = 20_000

/** How long faults come. Short runs, many of them: answers contradict each other after one failover or two. */
const FAULTY_MS = [8_000, 12_000, 20_000, 30_000]

export function drawShared(seed: string): FuzzPlan {
  const rng = createRng(`shared/${seed}`)
  return drawAround(rng, drawTopology(rng.fork('topology')))
}

/** The same for a strict group. In every third run anything may die at any time, and nothing need work in the end. */
export function drawStrict(seed: string): FuzzPlan {
  const rng = createRng(`strict/${seed}`)
  const topology = drawStrictTopology(rng.fork('topology'))
  const drawn = drawAround(rng, topology)
  const isWild = rng.fork('wild').chance(1, 3)
  const demands: FuzzPlan['demands'] = isWild
    ? [{ kind: 'anything', group: 'mymaster' }]
    : drawn.demands
  const ending = isWild ? { ending: 'limit' as const, restMs: WILD_REST_MS } : {}
  const plan = { ...drawn, ...ending, demands }
  return { ...plan, faults: withinPromise(plan) }
}

function drawAround(rng: Rng, topology: PlannedTopology): FuzzPlan {
  const clients = drawClients(rng.fork('clients'), topology)
  const calmMs = FIRST_FAULT_MS + rng.fork('calm').pick(FAULTY_MS)
  const setting = { topology, clients, calmMs }
  const common = drawFaults(rng.fork('faults'), setting)
  const strains = drawStrains(rng.fork('strains'), setting, common)
  const all = [...common, ...strains].sort((a, b) => a.fromMs - b.fromMs)
  return {
    ...{ ...setting, faults: all, ending: 'rest', restMs: undefined, hasFinalDeath: false },
    demands: demandsOf(topology.groups, clients),
  }
}

/** How the same run goes with another replication: for comparisons. */
export const REPLICATIONS = ['async', 'min-replicas', 'strict'] as const
export type ComparedReplication = (typeof REPLICATIONS)[number]

export function replicatedBy(replication: ComparedReplication, plan: FuzzPlan): FuzzPlan {
  if (replication === 'strict') return plan
  const { topology } = plan
  const groups = topology.groups.map(
    ({ replication: _, writeQuorum: __, reads: ___, ...group }) => group,
  )
  const guard = {
    'min-replicas-to-write': Math.floor(topology.nodes.length / 2),
    'min-replicas-max-lag': 1,
  }
  const settings = { ...topology.settings, ...(replication === 'async' ? {} : guard) }
  return { ...plan, topology: { ...topology, groups, settings } }
}

/** Three to five voters. With a write quorum beyond the majority fewer of them are needed for a promotion. */
function drawStrictTopology(rng: Rng): PlannedTopology {
  const voters = rng.fork('size').pick([3, 3, 3, 4, 5])
  const majority = majorityOf(voters)
  const isWide = rng.fork('wide').chance(1, 5)
  const topology = drawTopology(rng, voters)
  const strict = {
    replication: 'strict' as const,
    ...(isWide ? { writeQuorum: between(rng.fork('needed'), majority, voters) } : {}),
    ...(rng.fork('reading').chance(1, 2) ? { reads: 'linearizable' as const } : {}),
  }
  const sync = rng.fork('sync').chance(1, 2) ? { appendfsync: 'always' } : {}
  return {
    ...topology,
    groups: topology.groups.map((group) => ({ ...group, ...strict })),
    settings: { appendonly: 'yes', ...sync },
  }
}

function drawTopology(rng: Rng, nodes = rng.fork('nodes').pick([2, 3, 3, 4])): PlannedTopology {
  const sentinels = rng.fork('sentinels').pick([3, 3, 3, 5])
  const isShared = rng.fork('layout').chance(1, 2)
  const members = plainMembers({ nodes, sentinels }, isShared)
  return {
    ...{
      latencyMs: rng.fork('latency').pick([0, 1, 1, 5]),
      jitterMs: rng.fork('jitter').pick([0, 1, 5]),
    },
    ...{ zones: [], liars: [], password: undefined },
    settings: drawSettings(rng.fork('settings'), nodes),
    groups: [drawGroup(rng.fork('group'), sentinels)],
    ...members,
    nodes: members.nodes.map((node, at) => {
      const isPreferred = rng.fork(`priority/${at + 1}`).chance(1, 6)
      return isPreferred ? { ...node, settings: { 'replica-priority': 5 } } : node
    }),
  }
}

function drawSettings(rng: Rng, nodes: number): PlannedTopology['settings'] {
  const guard = { 'min-replicas-to-write': between(rng.fork('needed'), 1, nodes - 1) }
  return {
    ...(rng.fork('guard').chance(1, 3) ? { ...guard, 'min-replicas-max-lag': 1 } : {}),
    appendonly: 'yes',
    ...(rng.fork('sync').chance(1, 2) ? { appendfsync: 'always' } : {}),
  }
}

function drawGroup(rng: Rng, sentinels: number): PlannedGroup {
  return {
    ...{ name: 'mymaster', master: 'n1', preFailoverHook: '', parallelSyncs: 1 },
    quorum: majorityOf(sentinels),
    downAfterMs: rng.fork('down-after').pick([500, 1_000, 1_000, 2_000]),
    failoverTimeoutMs: rng.fork('failover-timeout').pick([3_000, 5_000]),
    refusedAfterMs: rng.fork('refused-after').pick([100, 250]),
    detection: rng.fork('detection').pick(['ping', 'evidence'] as const),
  }
}

/** Some live beside a node: cut off with it, they go on with a master that was replaced. */
function drawClients(rng: Rng, { nodes, sentinels }: PlannedTopology): PlannedClient[] {
  const boxes = [...nodes, ...sentinels].map(({ host }) => host)
  return numbers(between(rng, 2, 4)).map((number) => ({
    ...{ name: `app${number}`, group: 'mymaster', manner: 'prompt' as const },
    host: rng.chance(1, 2) ? rng.pick(boxes) : `client${number}`,
    operation: number <= 2 ? 'shared' : rng.pick(['shared', 'keys', 'data'] as const),
    pace: rng.chance(1, 4) ? { rate: between(rng, 5, 30) } : { thinkMs: between(rng, 10, 120) },
  }))
}
