/**
 * Draws a long life: one cluster for thirty days, in which something rare goes wrong every few hours and every
 * fault is over before the next one. What must hold is that nothing piles up: machines and state files are
 * measured in calm hours, and are as large after a month as they were after a day (the checker "machines stay
 * small"). Clocks drift for hours here. In quiet times the Sentinels look less often (SENTINEL DEBUG), since a month
 * of PINGs is no news and takes most of the time; the faults find them at that pace.
 */
import { createRng, type Rng } from '../../base/rng.ts'
import { BusyUntil } from '../busy-until.ts'
import { drawFault, drawStrain, type Fault, type SWARM_KINDS } from '../faults/faults.ts'
import { type PlannedTopology, plainMembers, type Setting } from '../members.ts'
import { between, numbers, weighted } from '../odds.ts'
import type { FuzzPlan } from '../plan.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const GROUP = 'mymaster'
/** In a shorter life measures come more often than once a day, so that there are enough of them. */
const MEASURES_MIN = 12
/** A fault and all that follows from it. */
const EPISODE_MS = 10 * 60_000
/** What the Sentinels take their time for. A PING every five seconds is enough for a down-after of ten. */
const PERIODS = ['ping-period', '5000', 'publish-period', '20000', 'info-period', '30000']

type Kind = (typeof SWARM_KINDS)[number]

const KINDS: readonly (readonly [number, Kind])[] = [
  ...([
    [6, 'death'],
    [3, 'pause'],
    [2, 'stall'],
    [3, 'partition'],
    [2, 'cut'],
    [2, 'powerLoss'],
    [3, 'failover'],
  ] as const),
  ...([
    [2, 'clockJump'],
    [1, 'hold'],
    [2, 'reset'],
    [1, 'diskFailure'],
  ] as const),
]
const STRAINS: readonly (readonly [number, Kind])[] = [
  [2, 'slowDisk'],
  [2, 'fullHeap'],
  [2, 'latePackets'],
  [1, 'backup'],
]

export function drawLongLife(seed: string, days: number): FuzzPlan {
  const rng = createRng(`long-life/${seed}`)
  const topology = drawTopology(rng.fork('topology'))
  const clients = [
    {
      ...{ name: 'app1', host: 'client1', group: GROUP, operation: 'counter' as const },
      ...{ pace: { thinkMs: 60_000 }, manner: 'prompt' as const },
    },
  ]
  const calmMs = days * DAY_MS
  const setting = { topology, clients, calmMs }
  const faults = [
    ...episodes(rng.fork('episodes'), setting),
    ...drifts(rng.fork('drifts'), setting),
    ...measures(setting),
  ]
  return {
    ...{ topology, clients, calmMs, restMs: undefined, hasFinalDeath: false, ending: 'rest' },
    faults: faults.sort((a, b) => a.fromMs - b.fromMs),
    demands: [
      { kind: 'converges', group: GROUP },
      { kind: 'staysConverged', group: GROUP },
      { kind: 'settles' },
    ],
  }
}

function drawTopology(rng: Rng): PlannedTopology {
  const replicas = between(rng, 1, 2)
  return {
    ...{ latencyMs: 1, jitterMs: 1, zones: [], liars: [], password: undefined },
    // Small enough to be full after a day, so that only what really grows is seen to grow.
    settings: {
      ...{ appendonly: 'yes', 'auto-aof-rewrite-min-size': '16kb', 'repl-backlog-size': '16kb' },
      ...{ 'repl-ping-replica-period': 10 },
    },
    groups: [
      {
        ...{ name: GROUP, master: 'n1', preFailoverHook: '', parallelSyncs: 1, quorum: 2 },
        ...{ downAfterMs: 10_000, failoverTimeoutMs: 20_000, refusedAfterMs: 500 },
        detection: rng.pick(['ping', 'evidence'] as const),
      },
    ],
    ...plainMembers({ nodes: replicas + 1, sentinels: 3 }, true),
  }
}

/** One fault, or two that overlap, every six hours or so; the processes are busy until it is over. */
function episodes(rng: Rng, setting: Setting): Fault[] {
  const faults: Fault[] = []
  let fromMs = HOUR_MS
  for (let number = 0; fromMs + EPISODE_MS < setting.calmMs - HOUR_MS; number++) {
    const own = rng.fork(`episode/${number}`)
    const moment = { ...setting, calmMs: fromMs + EPISODE_MS, occupation: new BusyUntil() }
    for (const part of numbers(own.chance(1, 4) ? 2 : 1)) {
      const draws = own.fork(`part/${part}`)
      const at = { ...moment, fromMs: fromMs + between(draws, 0, part * 10_000) }
      const isStrain = draws.chance(1, 5)
      const drawn = isStrain
        ? drawStrain(draws, weighted(draws, STRAINS), at)
        : drawFault(draws, weighted(draws, KINDS), at)
      if (drawn !== undefined) faults.push(kept(drawn))
      if (drawn !== undefined && 'process' in drawn) {
        moment.occupation.occupy([drawn.process], moment.calmMs)
      }
    }
    fromMs += between(own.fork('gap'), 2 * HOUR_MS, 10 * HOUR_MS)
  }
  return faults
}

/** A node that comes back without its data is another story. */
function kept(fault: Fault): Fault {
  return fault.kind === 'death' ? { ...fault, disk: 'kept' } : fault
}

/** One clock at a time is wrong, for hours, and by seconds in the end. */
function drifts(rng: Rng, { topology, calmMs }: Setting): Fault[] {
  const names = [...topology.nodes, ...topology.sentinels].map(({ name }) => name)
  const found: Fault[] = []
  let fromMs = between(rng, HOUR_MS, DAY_MS)
  while (fromMs < calmMs - 12 * HOUR_MS) {
    const untilMs = fromMs + between(rng, 2, 10) * HOUR_MS
    const rate = rng.pick([0.995, 0.9995, 1.0005, 1.005])
    found.push({ kind: 'longDrift', fromMs, untilMs, process: rng.pick(names), rate })
    fromMs = untilMs + between(rng, HOUR_MS, 3 * DAY_MS)
  }
  return found
}

/** With each measure the Sentinels are told again to take their time: those that were restarted do not. */
function measures({ topology, calmMs }: Setting): Fault[] {
  const everyMs = Math.min(DAY_MS, Math.floor(calmMs / MEASURES_MIN / 60_000) * 60_000)
  const found: Fault[] = []
  for (let fromMs = 1_800_000; fromMs < calmMs; fromMs += everyMs) {
    found.push({ kind: 'measure', fromMs })
    for (const { name } of topology.sentinels) {
      const argv = ['SENTINEL', 'DEBUG', ...PERIODS]
      found.push({ kind: 'command', fromMs: fromMs + 1_000, process: name, argv })
    }
  }
  return found
}
