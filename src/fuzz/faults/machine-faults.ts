/** Faults of processes, their hosts, clocks and disks. */
import type { Rng } from '../../base/rng.ts'
import {
  type DrawnMoment,
  everyone,
  free,
  freeHosts,
  pickFree,
  until,
  victims,
} from '../draw/targets.ts'
import { residentsOf } from '../members.ts'
import { sample } from '../odds.ts'
import { durationWord } from '../words.ts'
import { type FaultRows, type Lasting, type Momentary, nameOrList } from './fault-row.ts'

export type MachineFault =
  | (Lasting & {
      readonly kind: 'death'
      readonly how: 'kill' | 'stop'
      readonly processes: readonly string[]
      readonly disk: 'kept' | 'empty'
    })
  | (Lasting & { readonly kind: 'pause'; readonly processes: readonly string[] })
  | (Momentary & {
      readonly kind: 'stall'
      readonly processes: readonly string[]
      readonly forMs: number
    })
  | (Lasting & {
      readonly kind: 'powerLoss'
      readonly hosts: readonly string[]
      /** The processes that are started when the power is back. */
      readonly residents: readonly string[]
    })
  | (Momentary & {
      readonly kind: 'readdress'
      readonly host: string
      readonly disk: 'kept' | 'empty'
    })
  | (Momentary & { readonly kind: 'join'; readonly process: string })
  | (Momentary & { readonly kind: 'clockJump'; readonly process: string; readonly byMs: number })
  | (Lasting & { readonly kind: 'clockDrift'; readonly process: string; readonly rate: number })
  | (Lasting & {
      readonly kind: 'diskFailure'
      readonly process: string
      readonly operation: 'write' | 'sync'
    })

type Of<Kind extends MachineFault['kind']> = MachineFault & { readonly kind: Kind }

export const MACHINE_FAULTS: FaultRows<MachineFault> = {
  death: {
    begin: ({ how, processes }) =>
      how === 'kill' ? { kill: nameOrList(processes) } : { stop: nameOrList(processes) },
    end: ({ processes, disk }) => {
      const names = nameOrList(processes)
      return { restart: disk === 'kept' ? names : { process: names, disk } }
    },
    simpler: (fault) => [
      { ...fault, how: 'kill', disk: 'kept' },
      { ...fault, disk: 'kept' },
    ],
    swarm: { rank: 1, weight: 4, draw: drawDeath },
  },
  pause: {
    begin: ({ processes }) => ({ pause: nameOrList(processes) }),
    end: ({ processes }) => ({ resume: nameOrList(processes) }),
    cost: 'tilt',
    swarm: { rank: 2, weight: 3, draw: drawPause },
  },
  stall: {
    begin: ({ processes, forMs }) => ({
      stall: { process: nameOrList(processes), for: durationWord(forMs) },
    }),
    cost: 'tilt',
    swarm: { rank: 9, draw: drawStall },
  },
  powerLoss: {
    begin: ({ hosts }) => ({ 'power-loss': nameOrList(hosts) }),
    end: ({ residents }) => ({ restart: nameOrList(residents) }),
    // The connections of the host are not closed: its peers learn of it from a retransmission.
    cost: 'silence',
    restrict: (fault, left) => {
      const hosts = fault.hosts.filter((host) => left.hosts.includes(host))
      const residents = residentsOf(left, hosts)
      return hosts.length === 0 ? undefined : { ...fault, hosts, residents }
    },
    swarm: { rank: 10, weight: 3, draw: drawPowerLoss },
  },
  readdress: {
    begin: ({ host, disk }) => ({ readdress: disk === 'kept' ? host : { host, disk } }),
    swarm: { rank: 11, draw: drawReaddress },
  },
  join: {
    begin: ({ process }) => ({ start: process }),
    // A process that has been there from the start cannot join.
    restrict: (fault, { topology }) => {
      const members = [...topology.nodes, ...topology.sentinels]
      const isLate = members.some((one) => one.joinsLater && one.name === fault.process)
      return isLate ? fault : undefined
    },
  },
  clockJump: {
    begin: ({ process, byMs }) => ({ 'clock-jump': { process, by: durationWord(byMs) } }),
    cost: 'tilt',
    swarm: {
      rank: 5,
      draw: (rng, at) => {
        const process = rng.pick(everyone(at))
        return { kind: 'clockJump', fromMs: at.fromMs, process, byMs: drawJump(rng) }
      },
    },
  },
  clockDrift: {
    begin: ({ process, rate }) => ({ 'clock-drift': { process, rate } }),
    end: ({ process }) => ({ 'clock-drift': { process, rate: 1 } }),
    cost: 'tilt',
    swarm: { rank: 15, draw: drawDrift },
  },
  diskFailure: {
    begin: ({ process, operation }) => ({ 'disk-failure': { process, operation } }),
    end: ({ process }) => ({ 'disk-repair': process }),
    swarm: { rank: 6, draw: drawDiskFailure },
  },
}

function drawDeath(rng: Rng, at: DrawnMoment): Of<'death'> | undefined {
  const processes = victims(rng, at)
  if (processes.length === 0) return undefined
  const untilMs = until(rng, at, { minMs: 20, maxMs: 20_000 })
  at.occupation.occupy(processes, untilMs)
  const how = rng.pick(['kill', 'kill', 'stop'] as const)
  // A Sentinel that forgets its votes may vote twice: no protocol survives that.
  const areNodes = processes.every((name) => name.startsWith('n'))
  const disk = areNodes && rng.chance(1, 4) ? 'empty' : 'kept'
  return { kind: 'death', fromMs: at.fromMs, untilMs, how, processes, disk }
}

function drawPause(rng: Rng, at: DrawnMoment): Of<'pause'> | undefined {
  const processes = victims(rng, at)
  if (processes.length === 0) return undefined
  const untilMs = until(rng, at, { minMs: 100, maxMs: 15_000 })
  at.occupation.occupy(processes, untilMs)
  return { kind: 'pause', fromMs: at.fromMs, untilMs, processes }
}

function drawStall(rng: Rng, at: DrawnMoment): Of<'stall'> | undefined {
  const processes = victims(rng, at)
  const forMs = until(rng, at, { minMs: 100, maxMs: 6_000 }) - at.fromMs
  if (processes.length === 0) return undefined
  at.occupation.occupy(processes, at.fromMs + forMs)
  return { kind: 'stall', fromMs: at.fromMs, processes, forMs }
}

function drawPowerLoss(rng: Rng, at: DrawnMoment): Of<'powerLoss'> | undefined {
  const hosts = freeHosts(at)
  if (hosts.length === 0) return undefined
  const hit = sample(rng, hosts, rng.chance(1, 6) ? hosts.length : 1)
  const residents = residentsOf(at, hit)
  const untilMs = until(rng, at, { minMs: 200, maxMs: 20_000 })
  at.occupation.occupy(residents, untilMs)
  return { kind: 'powerLoss', fromMs: at.fromMs, untilMs, hosts: hit, residents }
}

/**
 * Only hosts on which Sentinels live alone. A master that comes back under another address is a
 * stranger to every process and stays one: what is right then is for scenarios to say, not for
 * chance. One Sentinel stays where it is, because clients look there first.
 */
function drawReaddress(rng: Rng, at: DrawnMoment): Of<'readdress'> | undefined {
  const { nodes, sentinels } = at.topology
  const fixed = [...nodes, ...sentinels.slice(0, 1)].map(({ host }) => host)
  const hosts = freeHosts(at).filter((host) => !fixed.includes(host))
  if (hosts.length === 0) return undefined
  return { kind: 'readdress', fromMs: at.fromMs, host: rng.pick(hosts), disk: 'kept' }
}

function drawJump(rng: Rng): number {
  const byMs = rng.pick([200, 1_500, 3_000, 20_000, 3_600_000])
  return rng.chance(1, 2) ? byMs : -byMs
}

function drawDrift(rng: Rng, at: DrawnMoment): Of<'clockDrift'> | undefined {
  const process = free(at, everyone(at))[0]
  if (process === undefined) return undefined
  const untilMs = until(rng, at, { minMs: 2_000, maxMs: 30_000 })
  const rate = rng.pick([0.9, 0.98, 1.02, 1.1, 1.3])
  return {
    kind: 'clockDrift',
    fromMs: at.fromMs,
    untilMs,
    process: pickFree(rng, at) ?? process,
    rate,
  }
}

/**
 * The fault must be over before the process is started again: a process that cannot save does not
 * start. A node whose file must be synced before it answers (`always`) ends with its disk, as Redis
 * does, and nothing here would start it again.
 */
function drawDiskFailure(rng: Rng, at: DrawnMoment): Of<'diskFailure'> | undefined {
  const process = pickFree(rng, at)
  if (process === undefined || endsWithItsDisk(process, at)) return undefined
  const untilMs = until(rng, at, { minMs: 500, maxMs: 20_000 })
  at.occupation.occupy([process], untilMs)
  const operation = rng.pick(['write', 'write', 'sync'] as const)
  return { kind: 'diskFailure', fromMs: at.fromMs, untilMs, process, operation }
}

function endsWithItsDisk(process: string, { topology }: DrawnMoment): boolean {
  const isNode = topology.nodes.some(({ name }) => name === process)
  return isNode && topology.settings.appendfsync === 'always'
}
