/** Draws one fault of a given kind: whom it hits, how badly, and for how long. */
import { unreachable } from '../base/assert.ts'
import type { Rng } from '../base/rng.ts'
import type { Fault, ShapeWords, SwarmKind } from './fault.ts'
import type { Occupation } from './occupation.ts'
import { between, sample, weighted } from './odds.ts'
import { hostsOf, type PlannedNode, residentsOf, type Setting } from './plan.ts'

export interface Moment extends Setting {
  readonly fromMs: number
  readonly occupation: Occupation
}

/** Undefined: there is nobody left whom it could hit. */
export function drawFault(rng: Rng, kind: SwarmKind, at: Moment): Fault | undefined {
  const { fromMs } = at
  switch (kind) {
    case 'death':
      return drawDeath(rng, at)
    case 'pause':
      return drawPause(rng, at)
    case 'stall':
      return drawStall(rng, at)
    case 'powerLoss':
      return drawPowerLoss(rng, at)
    case 'readdress':
      return drawReaddress(rng, at)
    case 'join':
      return undefined
    case 'partition':
    case 'cut':
    case 'hold':
    case 'shape':
    case 'reset':
      return drawNetworkFault(rng, kind, at)
    case 'clockJump':
      return { kind, fromMs, process: rng.pick(everyone(at)), byMs: drawJump(rng) }
    case 'clockDrift':
      return drawDrift(rng, at)
    case 'diskFailure':
      return drawDiskFailure(rng, at)
    case 'failover': {
      const sentinel = rng.pick(at.topology.sentinels).name
      const group = rng.pick(at.topology.groups).name
      return { kind, fromMs, sentinel, group, isCoordinated: rng.chance(1, 2) }
    }
    case 'command':
      return drawCommand(rng, at)
    default:
      return unreachable(kind)
  }
}

function drawDeath(rng: Rng, at: Moment): Fault | undefined {
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

function drawPause(rng: Rng, at: Moment): Fault | undefined {
  const processes = victims(rng, at)
  if (processes.length === 0) return undefined
  const untilMs = until(rng, at, { minMs: 100, maxMs: 15_000 })
  at.occupation.occupy(processes, untilMs)
  return { kind: 'pause', fromMs: at.fromMs, untilMs, processes }
}

function drawStall(rng: Rng, at: Moment): Fault | undefined {
  const processes = victims(rng, at)
  const forMs = until(rng, at, { minMs: 100, maxMs: 6_000 }) - at.fromMs
  if (processes.length === 0) return undefined
  at.occupation.occupy(processes, at.fromMs + forMs)
  return { kind: 'stall', fromMs: at.fromMs, processes, forMs }
}

function drawPowerLoss(rng: Rng, at: Moment): Fault | undefined {
  const hosts = freeHosts(at)
  if (hosts.length === 0) return undefined
  const hit = sample(rng, hosts, rng.chance(1, 6) ? hosts.length : 1)
  const residents = residentsOf(at, hit)
  const untilMs = until(rng, at, { minMs: 200, maxMs: 20_000 })
  at.occupation.occupy(residents, untilMs)
  return { kind: 'powerLoss', fromMs: at.fromMs, untilMs, hosts: hit, residents }
}

/**
 * Only where Sentinels live alone. A master that comes back under another address is a stranger to
 * everybody and stays one: what is right then is for scenarios to say, not for chance. One Sentinel
 * stays where it is, for that is where clients look first.
 */
function drawReaddress(rng: Rng, at: Moment): Fault | undefined {
  const { nodes, sentinels } = at.topology
  const fixed = [...nodes, ...sentinels.slice(0, 1)].map(({ host }) => host)
  const hosts = freeHosts(at).filter((host) => !fixed.includes(host))
  if (hosts.length === 0) return undefined
  return { kind: 'readdress', fromMs: at.fromMs, host: rng.pick(hosts), disk: 'kept' }
}

function drawNetworkFault(
  rng: Rng,
  kind: 'partition' | 'cut' | 'hold' | 'shape' | 'reset',
  at: Moment,
): Fault | undefined {
  const hosts = hostsOf(at)
  const [one, other] = shuffled(rng, hosts)
  if (one === undefined || other === undefined) return undefined
  const { fromMs } = at
  const untilMs = until(rng, at, { minMs: 300, maxMs: 20_000 })
  if (kind === 'partition') return { kind, fromMs, untilMs, groups: drawSides(rng, hosts) }
  if (kind === 'cut' || kind === 'hold') return { kind, fromMs, untilMs, from: one, to: other }
  if (kind === 'reset') {
    return { kind, fromMs, host: one, peer: rng.chance(1, 2) ? other : undefined }
  }
  const ends = rng.chance(1, 3) ? undefined : ([one, other] as const)
  return { kind, fromMs, untilMs, between: ends, shape: drawShape(rng) }
}

/** Two sides, at times three; hosts in none of those named are one more. */
function drawSides(rng: Rng, hosts: readonly string[]): string[][] {
  const first = sample(rng, hosts, between(rng, 1, Math.max(1, hosts.length - 1)))
  const rest = hosts.filter((host) => !first.includes(host))
  if (rest.length < 2 || rng.chance(3, 4)) return [first]
  return [first, sample(rng, rest, between(rng, 1, rest.length - 1))]
}

function drawShape(rng: Rng): ShapeWords {
  return rng.pick<ShapeWords>([
    { latency: `${rng.pick([20, 80, 300])}ms`, jitter: '20ms' },
    { loss: rng.pick([0.02, 0.1, 0.3]) },
    { duplication: rng.pick([0.05, 0.3]) },
    { bandwidth: rng.pick([2_000, 20_000, 200_000]) },
    { loss: 0.05, latency: '50ms' },
  ])
}

function drawJump(rng: Rng): number {
  const byMs = rng.pick([200, 1_500, 3_000, 20_000, 3_600_000])
  return rng.chance(1, 2) ? byMs : -byMs
}

function drawDrift(rng: Rng, at: Moment): Fault | undefined {
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

/** It must be over before the process is started again: whoever cannot save does not start. */
function drawDiskFailure(rng: Rng, at: Moment): Fault | undefined {
  const process = pickFree(rng, at)
  if (process === undefined) return undefined
  const untilMs = until(rng, at, { minMs: 500, maxMs: 20_000 })
  at.occupation.occupy([process], untilMs)
  const operation = rng.pick(['write', 'write', 'sync'] as const)
  return { kind: 'diskFailure', fromMs: at.fromMs, untilMs, process, operation }
}

function drawCommand(rng: Rng, at: Moment): Fault {
  const { fromMs } = at
  const { nodes, groups, sentinels } = at.topology
  const node = rng.pick(nodes).name
  // Nobody would put one right that no Sentinel knows, as it is behind another replica.
  const known = nodes.filter((one) => groups.some(({ master }) => isNear(one, master)))
  const sentinel = rng.pick(sentinels).name
  return rng.pick<Fault>([
    { kind: 'command', fromMs, process: node, argv: ['CLIENT', 'KILL', 'TYPE', 'normal'] },
    { kind: 'command', fromMs, process: node, argv: ['CLIENT', 'KILL', 'TYPE', 'replica'] },
    { kind: 'command', fromMs, process: rng.pick(known).name, argv: ['REPLICAOF', 'NO', 'ONE'] },
    { kind: 'command', fromMs, process: sentinel, argv: ['SENTINEL', 'FLUSHCONFIG'] },
  ])
}

function isNear(node: PlannedNode, master: string): boolean {
  return node.name === master || node.replicaOf === master
}

/** One as a rule; now and then all Sentinels, all nodes, or simply everybody. */
function victims(rng: Rng, at: Moment): string[] {
  const nodes = at.topology.nodes.map(({ name }) => name)
  const sentinels = at.topology.sentinels.map(({ name }) => name)
  const masters = at.topology.groups.map(({ master }) => master)
  const candidates = weighted<() => readonly string[]>(rng, [
    [14, () => [rng.pick(nodes)]],
    [8, () => [rng.pick(masters)]],
    [7, () => [rng.pick(sentinels)]],
    [3, () => sample(rng, everyone(at), 2)],
    [1, () => sentinels],
    [1, () => nodes],
    [1, () => everyone(at)],
  ])
  return free(at, candidates())
}

/** Whoever is there from the start: those that join later have enough to do with that. */
function everyone({ topology }: Moment): string[] {
  const { nodes, sentinels } = topology
  return [...nodes, ...sentinels].filter((one) => !one.joinsLater).map(({ name }) => name)
}

function free(at: Moment, names: readonly string[]): string[] {
  const known = everyone(at)
  return names.filter((name) => known.includes(name) && at.occupation.isFree(name, at.fromMs))
}

function pickFree(rng: Rng, at: Moment): string | undefined {
  const names = free(at, everyone(at))
  return names.length === 0 ? undefined : rng.pick(names)
}

/** Hosts whose inhabitants all run. */
function freeHosts(at: Moment): string[] {
  const { nodes, sentinels } = at.topology
  const hosts = [...new Set([...nodes, ...sentinels].map(({ host }) => host))]
  return hosts.filter((host) => {
    const residents = [...nodes, ...sentinels].filter((one) => one.host === host)
    const names = residents.map(({ name }) => name)
    return free(at, names).length === names.length
  })
}

/** Half of them end before anybody counts it as down, half of them go on for longer. */
function until(rng: Rng, at: Moment, range: { minMs: number; maxMs: number }): number {
  const downAfterMs = rng.pick(at.topology.groups).downAfterMs
  const forMs = rng.chance(1, 3)
    ? between(rng, range.minMs, downAfterMs)
    : between(rng, downAfterMs, downAfterMs + rng.pick([1_000, 5_000, range.maxMs]))
  const boundMs = Math.min(Math.max(forMs, range.minMs), range.maxMs)
  return Math.min(at.fromMs + boundMs, at.calmMs)
}

function shuffled<T>(rng: Rng, items: readonly T[]): T[] {
  const left = [...items]
  return items.map(() => left.splice(rng.below(left.length), 1)[0] as T)
}
