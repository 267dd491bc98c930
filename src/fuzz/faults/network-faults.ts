/** Faults of the paths between hosts. */
import type { Rng } from '../../base/rng.ts'
import type { StepInput } from '../../scenario/language/schema.ts'
import { type DrawnMoment, until } from '../draw/targets.ts'
import { hostsOf } from '../members.ts'
import { between, sample } from '../odds.ts'
import type { FaultRows, Lasting, Momentary } from './fault-row.ts'

export type ShapeWords = Omit<NonNullable<StepInput['shape']>, 'from' | 'to' | 'between'>

export type NetworkFault =
  | (Lasting & {
      readonly kind: 'partition'
      readonly groups: readonly (readonly string[])[]
    })
  | (Lasting & { readonly kind: 'cut' | 'hold'; readonly from: string; readonly to: string })
  /** A cut that is taken back without taking back anything else. */
  | (Lasting & {
      readonly kind: 'deaf'
      readonly from: string
      readonly to: string
      /** The shape of the path afterwards. */
      readonly after: ShapeWords
    })
  | (Lasting & {
      readonly kind: 'shape'
      /** Undefined: every path. */
      readonly between: readonly [string, string] | undefined
      readonly shape: ShapeWords
    })
  | (Momentary & {
      readonly kind: 'reset'
      readonly host: string
      readonly peer: string | undefined
    })

export const NETWORK_FAULTS: FaultRows<NetworkFault> = {
  partition: {
    begin: ({ groups }) => ({ partition: groups }),
    end: () => ({ heal: true }),
    cost: 'silence',
    simpler: (fault) =>
      fault.groups.flatMap((side, at) =>
        side.map((host) => ({
          ...fault,
          groups: fault.groups.with(
            at,
            side.filter((other) => other !== host),
          ),
        })),
      ),
    restrict: (fault, { hosts }) => {
      const groups = fault.groups.flatMap((side) => {
        const left = side.filter((host) => hosts.includes(host))
        return left.length === 0 ? [] : [left]
      })
      const isWhole = groups.length === 0 || groups[0]?.length === hosts.length
      return isWhole ? undefined : { ...fault, groups }
    },
    swarm: {
      rank: 3,
      weight: 3,
      draw: (rng, at) => {
        const drawn = drawEnds(rng, at)
        if (drawn === undefined) return undefined
        const { span, hosts } = drawn
        return { kind: 'partition', ...span, groups: drawSides(rng, hosts) }
      },
    },
  },
  cut: {
    begin: ({ from, to }) => ({ cut: { from, to } }),
    end: () => ({ heal: true }),
    cost: 'silence',
    swarm: { rank: 4, weight: 2, draw: (rng, at) => drawOneWay(rng, at, 'cut') },
  },
  hold: {
    begin: ({ from, to }) => ({ hold: { from, to } }),
    end: () => ({ release: true }),
    cost: 'silence',
    swarm: { rank: 12, draw: (rng, at) => drawOneWay(rng, at, 'hold') },
  },
  deaf: {
    begin: ({ from, to }) => ({ shape: { from, to, loss: 1 } }),
    end: ({ from, to, after }) => ({ shape: { from, to, ...after } }),
  },
  shape: {
    begin: ({ between, shape }) => ({
      shape: { ...(between === undefined ? {} : { between }), ...shape },
    }),
    end: () => ({ heal: true }),
    cost: 'silence',
    swarm: {
      rank: 13,
      draw: (rng, at) => {
        const drawn = drawEnds(rng, at)
        if (drawn === undefined) return undefined
        const ends = rng.chance(1, 3) ? undefined : ([drawn.one, drawn.other] as const)
        return { kind: 'shape', ...drawn.span, between: ends, shape: drawShape(rng) }
      },
    },
  },
  reset: {
    begin: ({ host, peer }) => ({ reset: peer === undefined ? host : { host, peer } }),
    swarm: {
      rank: 14,
      draw: (rng, at) => {
        const drawn = drawEnds(rng, at)
        if (drawn === undefined) return undefined
        const peer = rng.chance(1, 2) ? drawn.other : undefined
        return { kind: 'reset', fromMs: at.fromMs, host: drawn.one, peer }
      },
    },
  },
}

/** Two hosts, and for how long. */
function drawEnds(rng: Rng, at: DrawnMoment) {
  const hosts = hostsOf(at)
  const [one, other] = shuffled(rng, hosts)
  if (one === undefined || other === undefined) return undefined
  const untilMs = until(rng, at, { minMs: 300, maxMs: 20_000 })
  return { hosts, one, other, span: { fromMs: at.fromMs, untilMs } }
}

function drawOneWay<Kind extends 'cut' | 'hold'>(rng: Rng, at: DrawnMoment, kind: Kind) {
  const drawn = drawEnds(rng, at)
  return drawn && { kind, ...drawn.span, from: drawn.one, to: drawn.other }
}

/** Two sides, at times three; hosts that are in none of them form one more. */
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

function shuffled<T>(rng: Rng, items: readonly T[]): T[] {
  const left = [...items]
  return items.map(() => left.splice(rng.below(left.length), 1)[0] as T)
}
