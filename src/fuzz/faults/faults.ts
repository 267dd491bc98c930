/**
 * The faults of which a drawn run is made, each with its beginning and its end. A kind's row says
 * what is particular to it; this file has what holds for all: their steps in a file, and how they
 * are moved, shortened, thinned out and drawn.
 */
import type { Rng } from '../../base/rng.ts'
import type { DrawnMoment } from '../draw/targets.ts'
import type { StepWords } from '../words.ts'
import type { FaultRow, Lasting, Left } from './fault-row.ts'
import { MACHINE_FAULTS, type MachineFault } from './machine-faults.ts'
import { NETWORK_FAULTS, type NetworkFault, type ShapeWords } from './network-faults.ts'
import { SPOKEN_FAULTS, type SpokenFault } from './spoken-faults.ts'
import { STRAIN_FAULTS, type StrainFault } from './strain-faults.ts'

type SingleFault = MachineFault | NetworkFault | SpokenFault | StrainFault

export type Fault = SingleFault | Lull

/** Some paths are better than the weather, while something happens. */
export type Lull = Lasting & {
  readonly kind: 'lull'
  readonly ways: readonly WeatherWay[]
  readonly calm: ShapeWords
  readonly inside: readonly Fault[]
}

/** A path, in both directions, and how it is when there is no lull. */
export interface WeatherWay {
  readonly between: readonly [string, string]
  readonly weather: ShapeWords
}

type SingleKind = SingleFault['kind']
export type FaultKind = Fault['kind']

const ROWS = { ...MACHINE_FAULTS, ...NETWORK_FAULTS, ...SPOKEN_FAULTS, ...STRAIN_FAULTS }

function rowOf(kind: SingleKind): FaultRow<SingleFault> {
  return ROWS[kind] as FaultRow<SingleFault>
}

const SWARM = (Object.keys(ROWS) as SingleKind[])
  .flatMap((kind) => {
    const { swarm } = rowOf(kind)
    return swarm === undefined ? [] : [{ kind, ...swarm }]
  })
  .sort((a, b) => a.rank - b.rank)

/** The kinds of which a swarm is made; each can be switched off for a run as a whole. */
export const SWARM_KINDS: readonly SingleKind[] = SWARM.map(({ kind }) => kind)

/** How often a kind is drawn, compared with others. */
export function weightOf(kind: SingleKind): number {
  return rowOf(kind).swarm?.weight ?? 1
}

/**
 * Draws which processes the fault hits, how badly, and for how long; undefined: none is left that
 * it could hit.
 */
export function drawFault(rng: Rng, kind: SingleKind, at: DrawnMoment): Fault | undefined {
  return rowOf(kind).swarm?.draw(rng, at)
}

/** The kinds that are drawn beside the swarm. */
export const STRAIN_KINDS = (Object.keys(ROWS) as SingleKind[]).flatMap((kind) => {
  const { strain } = rowOf(kind)
  return strain === undefined ? [] : [{ kind, weight: strain.weight ?? 1 }]
})

/** As `drawFault`, for a kind that is drawn beside the swarm. */
export function drawStrain(rng: Rng, kind: SingleKind, at: DrawnMoment): Fault | undefined {
  return rowOf(kind).strain?.draw(rng, at)
}

/** The effect for which a cluster may need more time afterwards. */
export function costOf({ kind }: Fault): FaultRow<SingleFault>['cost'] {
  return kind === 'lull' ? undefined : rowOf(kind).cost
}

/** When the fault is over; for what happens at a moment, that moment. */
export function endOf(fault: Fault): number {
  if ('untilMs' in fault) return fault.untilMs
  if ('forMs' in fault) return fault.fromMs + fault.forMs
  return 'times' in fault ? fault.fromMs + (fault.times - 1) * fault.everyMs : fault.fromMs
}

/** The steps that make the fault and take it back. */
export function stepsOf(fault: Fault): readonly StepWords[] {
  if (fault.kind === 'lull') return lullSteps(fault)
  const { begin, end } = rowOf(fault.kind)
  const steps = [{ atMs: fault.fromMs, words: begin(fault) }]
  return end === undefined ? steps : [...steps, { atMs: endOf(fault), words: end(fault) }]
}

/** The faults of which it is made. */
export function partsOf(fault: Fault): readonly Fault[] {
  return fault.kind === 'lull' ? fault.inside : [fault]
}

function lullSteps({ ways, calm, inside, fromMs, untilMs }: Lull): readonly StepWords[] {
  const shape = (between: WeatherWay['between'], words: ShapeWords) => ({
    shape: { between, ...words },
  })
  return [
    ...ways.map(({ between }) => ({ atMs: fromMs, words: shape(between, calm) })),
    ...inside.flatMap(stepsOf),
    ...ways.map(({ between, weather }) => ({ atMs: untilMs, words: shape(between, weather) })),
  ]
}

/** The same fault, this much later. */
export function shifted(fault: Fault, byMs: number): Fault {
  const fromMs = fault.fromMs + byMs
  if (!('untilMs' in fault)) return { ...fault, fromMs }
  const moved = { ...fault, fromMs, untilMs: fault.untilMs + byMs }
  if (moved.kind !== 'lull') return moved
  return { ...moved, inside: moved.inside.map((one) => shifted(one, byMs)) }
}

/** The same fault for this long, if it lasts. */
export function lasting(fault: Fault, forMs: number): Fault {
  // What happens inside the lull would stay where it is.
  if (fault.kind === 'lull') return fault
  if ('forMs' in fault) return { ...fault, forMs }
  return 'untilMs' in fault ? { ...fault, untilMs: fault.fromMs + forMs } : fault
}

/** Plainer faults, and those that hit one process or host less. */
export function narrowed(fault: Fault): readonly Fault[] {
  if (fault.kind === 'lull') {
    return fewer(fault.inside).map((inside) => ({ ...fault, inside }))
  }
  const plainer = rowOf(fault.kind).simpler?.(fault) ?? []
  if ('processes' in fault) {
    return [...plainer, ...fewer(fault.processes).map((processes) => ({ ...fault, processes }))]
  }
  if (!('hosts' in fault)) return plainer
  return [...plainer, ...fewer(fault.hosts).map((hosts) => ({ ...fault, hosts }))]
}

/** All lists that leave one item out. */
function fewer<T>(items: readonly T[]): T[][] {
  return items.length < 2 ? [] : items.map((item) => items.filter((other) => other !== item))
}

/** What is left of the fault for the processes and hosts that are left; undefined: nothing. */
export function restricted(fault: Fault, left: Left): Fault | undefined {
  if (fault.kind === 'lull') {
    const inside = fault.inside.flatMap((one) => restricted(one, left) ?? [])
    const ways = fault.ways.filter(({ between }) => areIn(between, left.hosts))
    return inside.length === 0 ? undefined : { ...fault, ways, inside }
  }
  const { restrict } = rowOf(fault.kind)
  return restrict === undefined ? restrictNames(fault, left) : restrict(fault, left)
}

/** The fields by which faults name processes and hosts. */
interface NamingFields {
  readonly kind: string
  readonly hosts?: readonly string[]
  readonly process?: string
  readonly host?: string
  readonly peer?: string | undefined
  readonly from?: string
  readonly to?: string | readonly string[] | undefined
  readonly between?: readonly string[] | undefined
}

function restrictNames(fault: SingleFault, { names, hosts }: Left): Fault | undefined {
  const { process, host, peer, from, to, between = [] }: NamingFields = fault
  if (!areIn([process], names) || !areIn([host, peer, from, to, ...between].flat(), hosts)) {
    return undefined
  }
  if ('processes' in fault) {
    const processes = fault.processes.filter((name) => names.includes(name))
    return processes.length === 0 ? undefined : { ...fault, processes }
  }
  if (!('hosts' in fault)) return fault
  const hit = fault.hosts.filter((name) => hosts.includes(name))
  return hit.length === 0 ? undefined : { ...fault, hosts: hit }
}

function areIn(names: readonly (string | undefined)[], known: readonly string[]): boolean {
  return names.every((name) => name === undefined || known.includes(name))
}
