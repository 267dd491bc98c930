/**
 * Draws what operators do to a group while it is in trouble: they remove it and monitor it again, reset a Sentinel in
 * the middle of a failover, order a handover while a disk is full, and give the place of a dead replica to the master
 * of another deployment. Nothing need work in the end: a group that was added again under an old address may have no
 * master to fail over. What may never happen counts all the same.
 *
 * The quorum is a majority: a Sentinel that was reset knows fewer peers for a while, and would need fewer votes.
 */
import { createRng, type Rng } from '../../base/rng.ts'
import { placeWords } from '../../history/action.ts'
import { GROUP_OPTIONS } from '../../history/topology.ts'
import type { Fault } from '../faults/faults.ts'
import {
  type PlannedClient,
  type PlannedGroup,
  type PlannedTopology,
  plainMembers,
} from '../members.ts'
import { between, majorityOf, numbers, weighted } from '../odds.ts'
import { FIRST_FAULT_MS, type FuzzPlan } from '../plan.ts'
import { drawFaults } from './draw-faults.ts'

const FAULTY_MS = [12_000, 20_000, 30_000]
const REST_MS = 15_000
const DEEDS_MAX = 6
const OWN = 'mymaster'
/** The deployment that gets the place of a replica. */
const FOREIGN = 'other'
const RESOLVE = 'resolve-hostnames'
/** Another name for our own. */
const ALIAS = 'renamed'

export function drawOperators(seed: string): FuzzPlan {
  const rng = createRng(`operators/${seed}`)
  const topology = drawTopology(rng.fork('topology'))
  const clients = drawClients(rng.fork('clients'))
  const calmMs = FIRST_FAULT_MS + rng.fork('calm').pick(FAULTY_MS)
  const common = drawFaults(rng.fork('faults'), { topology, clients, calmMs })
  const isNamedTwice = topology.groups.length === 1 && rng.fork('alias').chance(1, 3)
  const setting = { topology, clients, calmMs, common, isNamedTwice }
  const deeds = numbers(between(rng.fork('count'), 2, DEEDS_MAX)).flatMap((number) =>
    drawDeed(rng.fork(`deed/${number}`), setting),
  )
  const reuse = drawReuse(rng.fork('reuse'), setting)
  const names = drawNames(rng.fork('names'), setting)
  const faults = [...common, ...deeds, ...reuse, ...names, ...drawAlias(rng.fork('alias'), setting)]
  return {
    ...{ topology, clients, calmMs, ending: 'limit', restMs: REST_MS, hasFinalDeath: false },
    faults: faults.sort((a, b) => a.fromMs - b.fromMs),
    demands: [{ kind: 'anything', group: OWN }],
  }
}

function drawTopology(rng: Rng): PlannedTopology {
  const sentinels = rng.fork('sentinels').pick([3, 3, 5])
  const nodes = rng.fork('nodes').pick([3, 3, 4])
  const members = plainMembers({ nodes, sentinels }, rng.fork('layout').chance(1, 2))
  const own = drawGroup(rng.fork('group'), sentinels)
  const isReused = rng.fork('reused').chance(1, 3)
  const spare = { name: `n${nodes + 1}`, host: `node${nodes + 1}`, group: FOREIGN }
  return {
    ...{
      latencyMs: rng.fork('latency').pick([0, 1, 5]),
      jitterMs: rng.fork('jitter').pick([0, 1]),
    },
    ...{ zones: [], liars: [], password: undefined, settings: { appendonly: 'yes' }, ...members },
    groups: isReused ? [own, { ...own, name: FOREIGN, master: spare.name }] : [own],
    nodes: isReused
      ? [...members.nodes, { ...spare, replicaOf: undefined, settings: {}, joinsLater: false }]
      : members.nodes,
  }
}

function drawGroup(rng: Rng, sentinels: number): PlannedGroup {
  return {
    ...{ name: OWN, master: 'n1', preFailoverHook: '', parallelSyncs: 1 },
    quorum: majorityOf(sentinels),
    downAfterMs: rng.fork('down-after').pick([500, 1_000, 2_000]),
    failoverTimeoutMs: rng.fork('failover-timeout').pick([3_000, 5_000]),
    refusedAfterMs: 250,
    detection: rng.fork('detection').pick(['ping', 'evidence'] as const),
  }
}

function drawClients(rng: Rng): PlannedClient[] {
  const pace = { thinkMs: between(rng, 50, 200) }
  return [
    {
      ...{ name: 'app1', host: 'client1', group: OWN, operation: 'shared', manner: 'prompt' },
      pace,
    },
  ]
}

interface Scene {
  readonly topology: PlannedTopology
  readonly calmMs: number
  readonly common: readonly Fault[]
  /** The group has two names, see `drawAlias`. */
  readonly isNamedTwice: boolean
}

function drawDeed(rng: Rng, scene: Scene): Fault[] {
  const fromMs = drawMoment(rng.fork('moment'), scene)
  const deed = weighted(rng.fork('deed'), [
    // Under another master one of the two names would be another group, and nothing could be said of both.
    [scene.isNamedTwice ? 0 : 3, drawAgain],
    [2, drawReset],
    [2, drawResetMidway],
    [1, drawOrderUnsaved],
  ])
  return deed(rng, scene, fromMs)
}

/** Half of the time while the group is busy with something that went wrong. */
function drawMoment(rng: Rng, { topology, calmMs, common }: Scene): number {
  const alarming = common.filter(({ kind }) => ['death', 'pause', 'powerLoss'].includes(kind))
  if (alarming.length === 0 || rng.chance(1, 2)) return between(rng, FIRST_FAULT_MS, calmMs - 1_000)
  const { downAfterMs = 0 } = topology.groups[0] ?? {}
  return rng.pick(alarming).fromMs + between(rng, 0, downAfterMs + 1_500)
}

/** REMOVE and MONITOR, at one Sentinel or at all of them; now and then the Sentinel is restarted in between. */
function drawAgain(rng: Rng, { topology }: Scene, fromMs: number): Fault[] {
  const all = topology.sentinels.map(({ name }) => name)
  const meant = rng.fork('all').chance(1, 3) ? all : [rng.fork('one').pick(all)]
  const backMs = fromMs + rng.fork('gap').pick([0, 5, 300, 3_000])
  const isRestarted = backMs > fromMs + 5 && rng.fork('restart').chance(1, 2)
  const members = topology.nodes.filter(({ group }) => group === OWN)
  const { name: master = '' } =
    rng.fork('master').pick([members[0], rng.fork('any').pick(members)]) ?? {}
  return meant.flatMap((sentinel): Fault[] => [
    command(fromMs, sentinel, 'REMOVE', OWN),
    ...(isRestarted ? [restart(fromMs + 50, sentinel)] : []),
    ...monitored(backMs, sentinel, topology.groups[0], placeWords(master)),
  ])
}

function drawReset(rng: Rng, { topology }: Scene, fromMs: number): Fault[] {
  return [command(fromMs, rng.fork('at').pick(topology.sentinels).name, 'RESET', OWN)]
}

/** The leader of a failover is reset before all replicas follow the new master. */
function drawResetMidway(rng: Rng, { topology }: Scene, fromMs: number): Fault[] {
  const sentinel = rng.fork('at').pick(topology.sentinels).name
  const isCoordinated = rng.fork('how').chance(1, 3)
  return [
    { kind: 'failover', fromMs, sentinel, group: OWN, isCoordinated },
    command(fromMs + between(rng.fork('reset'), 50, 4_000), sentinel, 'RESET', OWN),
  ]
}

/** A handover is ordered at a Sentinel whose disk is full. */
function drawOrderUnsaved(rng: Rng, { topology, common }: Scene, fromMs: number): Fault[] {
  const sentinel = rng.fork('at').pick(topology.sentinels).name
  const untilMs = fromMs + 3_000
  const isTaken = common.some((one) => one.kind === 'diskFailure' && one.process === sentinel)
  if (isTaken) return []
  return [
    { kind: 'diskFailure', fromMs, untilMs, process: sentinel, operation: 'write' },
    command(fromMs + 100, sentinel, 'FLUSHCONFIG'),
    { kind: 'failover', fromMs: fromMs + 300, sentinel, group: OWN, isCoordinated: true },
  ]
}

/**
 * The master of the other deployment is a replica of ours at first. It dies, and what comes up at its place is empty
 * and a master, which all Sentinels are told to monitor.
 */
function drawReuse(rng: Rng, { topology, calmMs }: Scene): Fault[] {
  const foreign = topology.groups.find(({ name }) => name === FOREIGN)
  if (foreign === undefined) return []
  const spare = foreign.master
  const sentinels = topology.sentinels.map(({ name }) => name)
  const fromMs = between(rng.fork('from'), FIRST_FAULT_MS, calmMs - 6_000)
  const untilMs = fromMs + between(rng.fork('for'), 100, 4_000)
  const toldMs = between(rng.fork('told'), fromMs, untilMs)
  return [
    ...sentinels.map((one) => command(1_500, one, 'REMOVE', FOREIGN)),
    { kind: 'command', fromMs: 2_000, process: spare, argv: ['REPLICAOF', ...placeWords('n1')] },
    { kind: 'death', how: 'kill', fromMs, untilMs, processes: [spare], disk: 'empty' },
    ...sentinels.flatMap((one) => monitored(toldMs, one, foreign, placeWords(spare))),
  ]
}

/**
 * In one run of three the group is monitored by the name of its master's host, at one Sentinel or at all, while the
 * others and the nodes go on by addresses: one node is known under two names. All announce addresses, by which checkers
 * know nodes. The host gets another address then, or that of a Sentinel does.
 */
function drawNames(rng: Rng, { topology, calmMs }: Scene): Fault[] {
  if (!rng.fork('any').chance(1, 3)) return []
  const [master] = topology.nodes
  if (master === undefined) return []
  const all = topology.sentinels.map(({ name }) => name)
  const meant = rng.fork('all').chance(1, 2) ? all : [rng.fork('one').pick(all)]
  const place = [master.host, placeWords(master.name)[1]] as const
  const fromMs = between(rng.fork('from'), FIRST_FAULT_MS, calmMs - 4_000)
  const movesMs = between(rng.fork('moves'), fromMs + 1_000, calmMs - 1_000)
  const host = rng.fork('host').pick([master.host, rng.fork('peer').pick(topology.sentinels).host])
  return [
    ...meant.flatMap((sentinel) => [
      setting(fromMs, sentinel, RESOLVE, 'yes'),
      command(fromMs + 10, sentinel, 'REMOVE', OWN),
      ...monitored(fromMs + 20, sentinel, topology.groups[0], place),
    ]),
    { kind: 'readdress', fromMs: movesMs, host, disk: 'kept' },
  ]
}

/**
 * In one run of three of a single deployment all Sentinels, or all but one, monitor it under a second name as well, mostly
 * before anything goes wrong, and may be told to forget that one later.
 */
function drawAlias(rng: Rng, { topology, calmMs, isNamedTwice }: Scene): Fault[] {
  const [own] = topology.groups
  if (own === undefined || !isNamedTwice) return []
  const alias = { ...own, name: ALIAS }
  const all = topology.sentinels.map(({ name }) => name)
  const left = rng.fork('left').pick([undefined, undefined, rng.fork('one').pick(all)])
  const lateMs = between(rng.fork('late'), FIRST_FAULT_MS, calmMs - 4_000)
  const fromMs = rng.fork('from').pick([1_500, 1_500, lateMs])
  const endMs = between(rng.fork('end'), fromMs + 2_000, calmMs)
  const isRemoved = rng.fork('removed').chance(1, 3)
  const meant = all.filter((name) => name !== left)
  return meant.flatMap((sentinel) => [
    ...monitored(fromMs, sentinel, alias, placeWords(own.master)),
    ...(isRemoved ? [command(endMs, sentinel, 'REMOVE', ALIAS)] : []),
  ])
}

function setting(fromMs: number, sentinel: string, name: string, value: string): Fault {
  return command(fromMs, sentinel, 'CONFIG', 'SET', name, value)
}

function command(fromMs: number, process: string, ...words: string[]): Fault {
  return { kind: 'command', fromMs, process, argv: ['SENTINEL', ...words] }
}

function restart(fromMs: number, process: string): Fault {
  const untilMs = fromMs + 100
  return { kind: 'death', how: 'kill', fromMs, untilMs, processes: [process], disk: 'kept' }
}

/** MONITOR, and the options that the topology gives the group. */
function monitored(
  fromMs: number,
  sentinel: string,
  group: PlannedGroup | undefined,
  place: readonly [host: string, port: string],
): Fault[] {
  if (group === undefined) return []
  const { name } = group
  const { downAfterMs, failoverTimeoutMs } = GROUP_OPTIONS
  const options = [
    ...[downAfterMs.name, String(group.downAfterMs)],
    ...[failoverTimeoutMs.name, String(group.failoverTimeoutMs)],
  ]
  return [
    command(fromMs, sentinel, 'MONITOR', name, ...place, String(group.quorum)),
    command(fromMs, sentinel, 'SET', name, ...options),
  ]
}
