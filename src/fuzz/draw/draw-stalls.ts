/**
 * Draws a guarded cluster whose processes stop and whose paths are cut in one direction:
 * `min-replicas-to-write` limits what a master may promise then, and for how long. Nothing is slow
 * or lossy here, because the checker of that setting says nothing any more once acknowledgements
 * may be late by chance. The troubles come one after the other, each is taken back as a whole, and
 * most are longer than the lag allows.
 */
import { unreachable } from '../../base/assert.ts'
import { createRng, type Rng } from '../../base/rng.ts'
import type { Detection } from '../../history/topology.ts'
import { endOf, type Fault } from '../faults/faults.ts'
import { type PlannedGroup, plainMembers, type Setting } from '../members.ts'
import { between, majorityOf, numbers, sample, weighted } from '../odds.ts'
import { demandsOf, FIRST_FAULT_MS, type FuzzPlan } from '../plan.ts'

const TROUBLES_MAX = 6
/** Short enough that some troubles meet the effects of the one before. */
const GAP_MIN_MS = 2_000
const GAP_MAX_MS = 14_000
const LENGTH_MAX_MS = 15_000
/** Long enough for another node to be promoted. */
const DEATH_MS = 5_000
const CALM_AFTER_MS = 1_000

type Kind =
  | 'node stops'
  | 'node hangs'
  | 'replicas stop'
  | 'several stop'
  | 'node is not heard by nodes'
  | 'node does not hear nodes'
  | 'node is not heard by Sentinels'
  | 'node does not hear Sentinels'
  | 'client is not answered'
  | 'client is not heard'
  | 'node is not heard and dies'

interface Scene extends Setting {
  readonly maxLagMs: number
}

interface Span {
  readonly fromMs: number
  readonly untilMs: number
}

export function drawStalls(seed: string, detection: Detection | undefined): FuzzPlan {
  const rng = createRng(`stall/${seed}`)
  const maxLag = rng.fork('lag').pick([1, 2, 2, 3, 5])
  const topology = drawTopology(rng.fork('topology'), maxLag, detection)
  const clients = drawClients(rng.fork('clients'))
  const scene = { topology, clients, calmMs: 0, maxLagMs: maxLag * 1_000 }
  const faults = drawTroubles(rng.fork('troubles'), scene)
  const calmMs = Math.max(...faults.map(endOf)) + CALM_AFTER_MS
  const demands = demandsOf(topology.groups, clients)
  return {
    ...{ topology, clients, faults, calmMs, restMs: undefined, hasFinalDeath: false },
    ...{ ending: 'rest', demands },
  }
}

function drawTopology(
  rng: Rng,
  maxLag: number,
  detection: Detection | undefined,
): FuzzPlan['topology'] {
  const sentinels = rng.fork('sentinels').pick([3, 3, 5])
  const replicas = between(rng.fork('replicas'), 1, 3)
  const isShared = rng.fork('layout').chance(1, 3)
  const needed = rng.fork('needed').chance(1, 4) ? replicas : 1
  const guard = { 'min-replicas-to-write': needed, 'min-replicas-max-lag': maxLag }
  return {
    ...{ latencyMs: rng.fork('latency').pick([0, 1, 1, 5]), jitterMs: 1, zones: [] },
    // A node that dies here comes back with its data: what is lost was lost because a master
    // promised it.
    settings: { ...guard, appendonly: 'yes' },
    groups: [drawGroup(rng.fork('group'), sentinels, detection)],
    ...plainMembers({ nodes: replicas + 1, sentinels }, isShared),
    ...{ liars: [], password: undefined },
  }
}

function drawGroup(rng: Rng, sentinels: number, detection: Detection | undefined): PlannedGroup {
  return {
    ...{
      name: 'mymaster',
      master: 'n1',
      preFailoverHook: '',
      parallelSyncs: 1,
      refusedAfterMs: 250,
    },
    quorum: majorityOf(sentinels),
    downAfterMs: rng.fork('down-after').pick([500, 1_000, 1_000, 2_000, 5_000]),
    failoverTimeoutMs: rng.fork('failover-timeout').pick([3_000, 5_000, 10_000]),
    detection: detection ?? rng.fork('detection').pick(['ping', 'evidence']),
  }
}

/**
 * Most clients stay with their master whatever it does, and leave their commands in its buffers.
 */
function drawClients(rng: Rng): FuzzPlan['clients'] {
  return numbers(between(rng, 1, 3)).map((number) => ({
    ...{ name: `app${number}`, host: `client${number}`, group: 'mymaster' },
    operation: rng.pick(['keys', 'keys', 'set'] as const),
    pace: rng.chance(3, 4) ? { rate: between(rng, 5, 50) } : { thinkMs: between(rng, 10, 100) },
    manner: rng.chance(3, 4) ? 'ioredis' : 'prompt',
  }))
}

function drawTroubles(rng: Rng, scene: Scene): Fault[] {
  const faults: Fault[] = []
  let fromMs = FIRST_FAULT_MS + rng.fork('first').below(2_000)
  for (const number of numbers(between(rng.fork('count'), 1, TROUBLES_MAX))) {
    const own = rng.fork(`trouble/${number}`)
    const untilMs = fromMs + drawLengthMs(own.fork('length'), scene)
    const trouble = drawTrouble(own, scene, { fromMs, untilMs })
    faults.push(...trouble)
    const gapMs = between(own.fork('gap'), GAP_MIN_MS, GAP_MAX_MS)
    fromMs = Math.max(untilMs, ...trouble.map(endOf)) + gapMs
  }
  return faults
}

/** Two in three are longer than the lag and its rounding allow. */
function drawLengthMs(rng: Rng, { maxLagMs }: Scene): number {
  const enoughMs = maxLagMs + 1_500
  return rng.chance(2, 3) ? between(rng, enoughMs, LENGTH_MAX_MS) : between(rng, 200, enoughMs)
}

function drawTrouble(rng: Rng, scene: Scene, span: Span): Fault[] {
  const { nodes, sentinels } = scene.topology
  // The first master as often as all others together: it is unknown which node will be master by
  // then.
  const one = rng.fork('who').chance(1, 2) ? nodes[0] : rng.fork('whom').pick(nodes)
  const { name = '', host = '' } = one ?? {}
  const others = nodes.filter((node) => node.name !== name)
  const watchers = sentinels.map((sentinel) => sentinel.host)
  const siblings = others.map((node) => node.host)
  const own = rng.fork('trouble')
  const app = own.pick(scene.clients).host
  const kind = drawKind(rng.fork('kind'))
  switch (kind) {
    case 'node stops':
      return [{ kind: 'pause', ...span, processes: [name] }]
    case 'node hangs':
      return [hang([name], span)]
    case 'replicas stop':
      return [{ kind: 'pause', ...span, processes: others.map((node) => node.name) }]
    case 'several stop': {
      const names = [...nodes, ...sentinels].map((each) => each.name)
      const most = sample(own, names, between(own, 2, names.length))
      return [{ kind: 'pause', ...span, processes: most }]
    }
    case 'node is not heard by nodes':
      return cuts([host], siblings, span)
    case 'node does not hear nodes':
      return cuts(siblings, [host], span)
    case 'node is not heard by Sentinels':
      return cuts([host], watchers, span)
    case 'node does not hear Sentinels':
      return cuts(watchers, [host], span)
    case 'client is not answered':
      return cuts([host], [app], span)
    case 'client is not heard':
      return cuts([app], [host], span)
    case 'node is not heard and dies':
      return [...cuts([host], siblings, span), death(name, span)]
    default:
      return unreachable(kind)
  }
}

function drawKind(rng: Rng): Kind {
  return weighted<Kind>(rng, [
    [5, 'node stops'],
    [3, 'node hangs'],
    [1, 'replicas stop'],
    [2, 'several stop'],
    [4, 'node is not heard by nodes'],
    [3, 'node does not hear nodes'],
    [1, 'node is not heard by Sentinels'],
    [2, 'node does not hear Sentinels'],
    [1, 'client is not answered'],
    [1, 'client is not heard'],
    [3, 'node is not heard and dies'],
  ])
}

function hang(processes: readonly string[], { fromMs, untilMs }: Span): Fault {
  return { kind: 'stall', fromMs, processes, forMs: untilMs - fromMs }
}

/** What each host of `ones` sends to each host of `others` is lost; what the others send is not. */
function cuts(ones: readonly string[], others: readonly string[], span: Span): Fault[] {
  return [...new Set(ones)].flatMap((from) =>
    [...new Set(others)]
      .filter((to) => to !== from)
      .map((to): Fault => ({ kind: 'cut', ...span, from, to })),
  )
}

/** Right before the path is open again: only the dying master holds what it promised meanwhile. */
function death(process: string, { untilMs }: Span): Fault {
  const span = { fromMs: untilMs - 1, untilMs: untilMs + DEATH_MS }
  return { kind: 'death', ...span, how: 'kill', processes: [process], disk: 'kept' }
}
