/**
 * Faults that wear a world down instead of breaking it: disks that take seconds, memory that runs out,
 * packets that are late by seconds and then come, a Sentinel restored from a backup, clocks that drift for
 * as long as the run lasts. They have a draw of their own (draw/draw-strains.ts), so that seeds that were
 * drawn before them go on meaning the same.
 */
import type { Rng } from '../../base/rng.ts'
import type { StepInput } from '../../scenario/language/schema.ts'
import { type DrawnMoment, everyone, free } from '../draw/targets.ts'
import { hostsOf } from '../members.ts'
import { between, sample } from '../odds.ts'
import { durationWord } from '../words.ts'
import type { FaultRows, Lasting, Momentary } from './fault-row.ts'

export type StrainFault =
  | (Lasting & { readonly kind: 'slowDisk'; readonly process: string; readonly byMs: number })
  | (Lasting & {
      readonly kind: 'fullHeap'
      readonly process: string
      readonly share: number
      /** `killed`: in the end the system kills the node, and its service starts it again. */
      readonly ends: 'relieved' | 'killed'
    })
  | (Lasting & {
      readonly kind: 'latePackets'
      readonly from: string
      readonly to: string
      readonly byMs: number
    })
  | (Momentary & { readonly kind: 'backup'; readonly process: string; readonly byMs: number })
  | (Lasting & { readonly kind: 'longDrift'; readonly process: string; readonly rate: number })

type Of<Kind extends StrainFault['kind']> = StrainFault & { readonly kind: Kind }

/** The node refuses what needs memory; and it also takes no copy of the data and loads none. */
const REFUSING_SHARE = 0.8
const FULL_SHARE = 0.97

export const STRAIN_FAULTS: FaultRows<StrainFault> = {
  slowDisk: {
    begin: ({ process, byMs }) => ({ 'disk-delay': { process, by: durationWord(byMs) } }),
    end: ({ process }) => ({ 'disk-repair': process }),
    // A Sentinel that waits for its disk has looked at nothing meanwhile.
    cost: 'tilt',
    simpler: (fault) => halved(fault),
    strain: { weight: 3, draw: drawSlowDisk },
  },
  fullHeap: {
    begin: ({ process, share }) => ({ 'memory-use': { process, share } }),
    end: ({ process, ends }): StepInput =>
      ends === 'killed' ? { restart: process } : { 'memory-use': { process, share: 0 } },
    cost: 'silence',
    simpler: (fault) => [
      { ...fault, ends: 'relieved', share: REFUSING_SHARE },
      { ...fault, ends: 'relieved' },
      { ...fault, share: REFUSING_SHARE },
    ],
    strain: { weight: 2, draw: drawFullHeap },
  },
  latePackets: {
    begin: ({ from, to, byMs }) => ({ shape: { from, to, latency: durationWord(byMs) } }),
    end: ({ from, to }) => ({ shape: { from, to, loss: 0 } }),
    cost: 'silence',
    simpler: (fault) => halved(fault),
    strain: { weight: 3, draw: drawLatePackets },
  },
  backup: {
    begin: ({ process, byMs }) => ({ 'roll-back': { process, by: durationWord(byMs) } }),
    simpler: (fault) => halved(fault),
    strain: { weight: 2, draw: drawBackup },
  },
  longDrift: {
    begin: ({ process, rate }) => ({ 'clock-drift': { process, rate } }),
    end: ({ process }) => ({ 'clock-drift': { process, rate: 1 } }),
    strain: { weight: 1, draw: drawLongDrift },
  },
}

function halved<Fault extends { readonly byMs: number }>(fault: Fault): Fault[] {
  const byMs = Math.ceil(fault.byMs / 2 / 100) * 100
  return byMs < fault.byMs ? [{ ...fault, byMs }] : []
}

function drawSlowDisk(rng: Rng, at: DrawnMoment): Of<'slowDisk'> | undefined {
  const process = pick(rng, at)
  if (process === undefined) return undefined
  const byMs = rng.pick([300, 1_500, 2_500, 5_000, 8_000])
  return { kind: 'slowDisk', ...span(rng, at, 3_000, 20_000), process, byMs }
}

function drawFullHeap(rng: Rng, at: DrawnMoment): Of<'fullHeap'> | undefined {
  const names = at.topology.nodes.map(({ name }) => name)
  const process = pick(rng, at, names)
  if (process === undefined) return undefined
  const share = rng.pick([REFUSING_SHARE, FULL_SHARE])
  const ends = rng.pick(['relieved', 'killed'] as const)
  return { kind: 'fullHeap', ...span(rng, at, 1_000, 15_000), process, share, ends }
}

/** Longer than a Sentinel's patience as a rule, so that its late answer is of no use. */
function drawLatePackets(rng: Rng, at: DrawnMoment): Of<'latePackets'> | undefined {
  const [one, other] = sample(rng, hostsOf(at), 2)
  if (one === undefined || other === undefined) return undefined
  const [from, to] = rng.chance(1, 2) ? [one, other] : [other, one]
  const byMs = rng.pick([1_000, 2_500, 4_000, 7_000])
  return { kind: 'latePackets', ...span(rng, at, 500, 10_000), from, to, byMs }
}

/**
 * One Sentinel only: of several that forget, two could elect another leader in the same epoch. And never the only one:
 * no other could teach it what it missed.
 */
function drawBackup(rng: Rng, at: DrawnMoment): Of<'backup'> | undefined {
  const names = at.topology.sentinels.map(({ name }) => name)
  if (names.length < 2) return undefined
  const process = pick(rng, at, names)
  if (process === undefined) return undefined
  const byMs = rng.pick([1_000, 5_000, 20_000, 60_000])
  return { kind: 'backup', fromMs: at.fromMs, process, byMs }
}

function drawLongDrift(rng: Rng, at: DrawnMoment): Of<'longDrift'> | undefined {
  const process = pick(rng, at)
  if (process === undefined) return undefined
  const rate = rng.pick([0.99, 0.999, 1.001, 1.01])
  return { kind: 'longDrift', fromMs: at.fromMs, untilMs: at.calmMs, process, rate }
}

function span(rng: Rng, { fromMs, calmMs }: DrawnMoment, minMs: number, maxMs: number): Lasting {
  return { fromMs, untilMs: Math.min(fromMs + between(rng, minMs, maxMs), calmMs) }
}

function pick(rng: Rng, at: DrawnMoment, among?: readonly string[]): string | undefined {
  const names = free(at, everyone(at)).filter((name) => among?.includes(name) ?? true)
  return names.length === 0 ? undefined : rng.pick(names)
}
