/** The faults a drawn run is made of, each with its beginning and its end, and their steps in a file. */
import { unreachable } from '../base/assert.ts'
import type { StepWords } from './words.ts'
import { durationWord } from './words.ts'

export type Fault = { readonly fromMs: number } & (
  | Lasting
  | { readonly kind: 'stall'; readonly processes: readonly string[]; readonly forMs: number }
  | { readonly kind: 'join'; readonly process: string }
  | { readonly kind: 'readdress'; readonly host: string; readonly disk: 'kept' | 'empty' }
  | { readonly kind: 'reset'; readonly host: string; readonly peer: string | undefined }
  | { readonly kind: 'clockJump'; readonly process: string; readonly byMs: number }
  | {
      readonly kind: 'failover'
      readonly sentinel: string
      readonly group: string
      readonly isCoordinated: boolean
    }
  | { readonly kind: 'command'; readonly process: string; readonly argv: readonly string[] }
)

/** What goes on until it is ended. */
export type Lasting = { readonly untilMs: number } & (
  | {
      readonly kind: 'death'
      readonly how: 'kill' | 'stop'
      readonly processes: readonly string[]
      readonly disk: 'kept' | 'empty'
    }
  | { readonly kind: 'pause'; readonly processes: readonly string[] }
  | {
      readonly kind: 'powerLoss'
      readonly hosts: readonly string[]
      /** Who is started when the power is back. */
      readonly residents: readonly string[]
    }
  | { readonly kind: 'partition'; readonly groups: readonly (readonly string[])[] }
  | { readonly kind: 'cut' | 'hold'; readonly from: string; readonly to: string }
  /** A cut that is taken back without taking back anything else. */
  | {
      readonly kind: 'deaf'
      readonly from: string
      readonly to: string
      /** How the way is afterwards. */
      readonly after: ShapeWords
    }
  /** Some ways are better than the weather, while something happens. */
  | {
      readonly kind: 'lull'
      readonly ways: readonly WeatherWay[]
      readonly calm: ShapeWords
      readonly inside: readonly Fault[]
    }
  | {
      readonly kind: 'shape'
      /** Undefined: every way there is. */
      readonly between: readonly [string, string] | undefined
      readonly shape: ShapeWords
    }
  | { readonly kind: 'clockDrift'; readonly process: string; readonly rate: number }
  | { readonly kind: 'diskFailure'; readonly process: string; readonly operation: 'write' | 'sync' }
)

/** A way, in both directions, and how it is when there is no lull. */
export interface WeatherWay {
  readonly between: readonly [string, string]
  readonly weather: ShapeWords
}

export interface ShapeWords {
  readonly latency?: string
  readonly jitter?: string
  readonly loss?: number
  readonly duplication?: number
  readonly bandwidth?: number
}

export type FaultKind = Fault['kind']
/** What noise alone is made of is drawn by rules of its own, see noise-rules.ts. */
export type SwarmKind = Exclude<FaultKind, 'deaf' | 'lull'>

/** What a swarm is made of, in the order one meets them; each can be switched off for a run as a whole. */
export const FAULT_KINDS: readonly SwarmKind[] = [
  ...(['death', 'pause', 'partition', 'cut', 'clockJump', 'diskFailure', 'failover'] as const),
  ...(['command', 'stall', 'powerLoss', 'readdress', 'join', 'hold', 'shape', 'reset'] as const),
  'clockDrift',
]

/** When it is over; for what happens at a moment, that moment. */
export function endOf(fault: Fault): number {
  if (fault.kind === 'stall') return fault.fromMs + fault.forMs
  return 'untilMs' in fault ? fault.untilMs : fault.fromMs
}

/** The steps that make the fault and take it back. */
export function stepsOf(fault: Fault): readonly StepWords[] {
  if (fault.kind === 'lull') return lullSteps(fault)
  const end = endWords(fault)
  const begin = { atMs: fault.fromMs, words: beginWords(fault) }
  return end === undefined ? [begin] : [begin, { atMs: endOf(fault), words: end }]
}

/** The faults it is made of. */
export function partsOf(fault: Fault): readonly Fault[] {
  return fault.kind === 'lull' ? fault.inside : [fault]
}

function lullSteps(lull: Lull): readonly StepWords[] {
  const { ways, calm, inside } = lull
  const shape = (between: WeatherWay['between'], words: ShapeWords) => ({
    shape: { between, ...words },
  })
  return [
    ...ways.map(({ between }) => ({ atMs: lull.fromMs, words: shape(between, calm) })),
    ...inside.flatMap(stepsOf),
    ...ways.map(({ between, weather }) => ({
      atMs: lull.untilMs,
      words: shape(between, weather),
    })),
  ]
}

type Lull = Fault & { readonly kind: 'lull' }

function beginWords(fault: Exclude<Fault, Lull>): StepWords['words'] {
  switch (fault.kind) {
    case 'death':
      return { [fault.how]: nameOrList(fault.processes) }
    case 'pause':
      return { pause: nameOrList(fault.processes) }
    case 'stall':
      return { stall: { process: nameOrList(fault.processes), for: durationWord(fault.forMs) } }
    case 'powerLoss':
      return { 'power-loss': nameOrList(fault.hosts) }
    case 'readdress':
      return { readdress: fault.disk === 'kept' ? fault.host : { host: fault.host, disk: 'empty' } }
    case 'join':
      return { start: fault.process }
    case 'partition':
      return { partition: fault.groups }
    case 'cut':
    case 'hold':
      return { [fault.kind]: { from: fault.from, to: fault.to } }
    case 'deaf':
      return { shape: { from: fault.from, to: fault.to, loss: 1 } }
    case 'shape':
      return { shape: { ...betweenWords(fault.between), ...fault.shape } }
    case 'reset':
      return {
        reset: fault.peer === undefined ? fault.host : { host: fault.host, peer: fault.peer },
      }
    case 'clockJump':
      return { 'clock-jump': { process: fault.process, by: durationWord(fault.byMs) } }
    case 'clockDrift':
      return { 'clock-drift': { process: fault.process, rate: fault.rate } }
    case 'diskFailure':
      return { 'disk-failure': { process: fault.process, operation: fault.operation } }
    case 'failover':
      return { failover: failoverWords(fault) }
    case 'command':
      return { command: { to: fault.process, argv: fault.argv } }
    default:
      return unreachable(fault)
  }
}

/** Undefined: it needs no end, or the heal of everything is its end. */
function endWords(fault: Exclude<Fault, Lull>): StepWords['words'] | undefined {
  switch (fault.kind) {
    case 'death':
      return { restart: restartWords(fault.processes, fault.disk) }
    case 'pause':
      return { resume: nameOrList(fault.processes) }
    case 'powerLoss':
      return { restart: nameOrList(fault.residents) }
    case 'partition':
    case 'cut':
    case 'shape':
      return { heal: true }
    case 'deaf':
      return { shape: { from: fault.from, to: fault.to, ...fault.after } }
    case 'hold':
      return { release: true }
    case 'clockDrift':
      return { 'clock-drift': { process: fault.process, rate: 1 } }
    case 'diskFailure':
      return { 'disk-repair': fault.process }
    default:
      return undefined
  }
}

function betweenWords(between: readonly [string, string] | undefined): { between?: unknown } {
  return between === undefined ? {} : { between }
}

function restartWords(processes: readonly string[], disk: 'kept' | 'empty'): unknown {
  return disk === 'kept' ? nameOrList(processes) : { process: nameOrList(processes), disk }
}

function nameOrList(names: readonly string[]): unknown {
  return names.length === 1 ? names[0] : names
}

function failoverWords({ sentinel, group, isCoordinated }: Fault & { readonly kind: 'failover' }) {
  return { at: sentinel, group, ...(isCoordinated ? { coordinated: true } : {}) }
}
