/**
 * Draws a healthy cluster on a noisy network, see noise-rules.ts. No process dies for good or is
 * away for long: every failover here is needless.
 */
import { createRng, type Rng } from '../../base/rng.ts'
import type { Detection } from '../../history/topology.ts'
import type { Fault, WeatherWay } from '../faults/faults.ts'
import { type PlannedGroup, plainMembers } from '../members.ts'
import { LOSS_MAX, lossySentinelsMax, watchedWays, weatherJitterMs } from '../noise-rules.ts'
import { between, sample } from '../odds.ts'
import { type CalmDemand, FIRST_FAULT_MS, type FuzzPlan } from '../plan.ts'
import { durationWord } from '../words.ts'
import { drawSpells, type Weather } from './draw-spells.ts'

const LATENCY_MS = 1
/** By then everything that follows from the last trouble has happened. */
const REST_MS = 5_000
/** Each of these events needs a failover, or an attempt at one; each raises the epoch. */
const ELECTION_EVENTS = [
  '+try-failover',
  '+new-epoch',
  '+vote-for-leader',
  '+switch-master',
] as const

/**
 * The same seed gives the same noise, whatever the detection, so that two runs of it can be
 * compared.
 */
export function drawNoise(seed: string, detection: Detection | undefined): FuzzPlan {
  const rng = createRng(`noise/${seed}`)
  const topology = drawTopology(rng.fork('topology'), detection)
  const weather = drawWeather(rng.fork('weather'), topology)
  const calmMs = FIRST_FAULT_MS + between(rng.fork('calm'), 45, 105) * 1_000
  const spells = drawSpells(rng.fork('spells'), { topology, clients: [], calmMs }, weather)
  return {
    topology,
    clients: [
      {
        ...{ name: 'app1', host: 'client1', group: 'mymaster', operation: 'keys' },
        pace: { rate: 5 },
        manner: 'prompt',
      },
    ],
    faults: [...weatherFaults(weather, calmMs), ...spells],
    calmMs,
    restMs: REST_MS,
    hasFinalDeath: false,
    ending: 'limit',
    demands: ELECTION_EVENTS.map((event): CalmDemand => ({ kind: 'never', event })),
  }
}

function drawTopology(rng: Rng, detection: Detection | undefined): FuzzPlan['topology'] {
  const sentinels = rng.fork('sentinels').pick([3, 3, 5])
  const replicas = between(rng.fork('replicas'), 1, 3)
  const isShared = rng.fork('layout').chance(1, 2)
  return {
    // A node that comes back without its data is more than noise, and so is one that hands over as it ends.
    ...{ latencyMs: LATENCY_MS, jitterMs: 1, zones: [] },
    settings: { appendonly: 'yes', 'shutdown-failover': 'no' },
    groups: [drawGroup(rng.fork('group'), sentinels, detection)],
    ...plainMembers({ nodes: replicas + 1, sentinels }, isShared),
    ...{ liars: [], password: undefined },
  }
}

function drawGroup(rng: Rng, sentinels: number, detection: Detection | undefined): PlannedGroup {
  return {
    ...{ name: 'mymaster', master: 'n1', parallelSyncs: 1, failoverTimeoutMs: 10_000 },
    quorum: rng.fork('quorum').pick(sentinels === 3 ? [2, 2, 3] : [2, 3, 3]),
    downAfterMs: rng.fork('down-after').pick([1_000, 1_000, 2_000, 3_000, 5_000, 10_000]),
    refusedAfterMs: rng.fork('refused-after').pick([100, 250, 250, 250, 500]),
    preFailoverHook: '',
    detection: detection ?? rng.fork('detection').pick(['ping', 'evidence']),
  }
}

/** The weather is always lossy; delays are drawn up to what the rules allow. */
function drawWeather(rng: Rng, topology: FuzzPlan['topology']): Weather {
  const group = topology.groups[0] as PlannedGroup
  const share = rng.pick([0, 0.2, 0.5, 1, 1])
  const jitter = durationWord(Math.floor(weatherJitterMs(group) * share))
  const dry = { latency: `${LATENCY_MS}ms`, jitter }
  const usual = { ...dry, loss: LOSS_MAX }
  const ways = watchedWays(topology)
  const lossy = sample(rng.fork('lossy'), ways, lossySentinelsMax(group))
  const watched = ways.map(
    (way): WeatherWay => ({ between: way, weather: lossy.includes(way) ? usual : dry }),
  )
  return { usual, watched }
}

function weatherFaults({ usual, watched }: Weather, untilMs: number): Fault[] {
  const always = { kind: 'shape', fromMs: FIRST_FAULT_MS - 2_000, untilMs } as const
  const others = watched.filter(({ weather }) => weather !== usual)
  return [
    { ...always, between: undefined, shape: usual },
    ...others.map((way): Fault => ({ ...always, between: way.between, shape: way.weather })),
  ]
}
