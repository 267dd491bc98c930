/**
 * What there is to know about one kind of fault. Drawing and shrinking it needs nothing but its
 * row.
 */
import type { Rng } from '../../base/rng.ts'
import type { StepInput } from '../../scenario/language/schema.ts'
import type { DrawnMoment } from '../draw/targets.ts'
import type { PlannedMembers } from '../members.ts'

export interface FaultRow<Fault> {
  /** How a scenario file begins the fault. */
  readonly begin: (fault: Fault) => StepInput
  /** Absent: the fault needs no end. */
  readonly end?: (fault: Fault) => StepInput
  /** Absent: only the rules of certain profiles draw it. */
  readonly swarm?: FaultDrawing<Fault>
  /** How the kind is drawn beside the swarm, in few runs. */
  readonly strain?: Omit<FaultDrawing<Fault>, 'rank'>
  /** The effect for which a cluster may need more time afterwards. */
  readonly cost?: 'tilt' | 'silence'
  /**
   * Plainer and smaller faults, for shrinking. Faults that name fewer processes or hosts are made
   * without this.
   */
  readonly simpler?: (fault: Fault) => readonly Fault[]
  /**
   * What is left of the fault when some processes or hosts are gone; undefined: it hits none that
   * are left. Absent: names that are gone are removed from lists, and a fault with an empty list,
   * or whose single name is gone, is dropped.
   */
  readonly restrict?: (fault: Fault, left: Left) => Fault | undefined
}

export interface FaultDrawing<Fault> {
  /**
   * Swarms are drawn in this order: changing it changes every seed. A new kind takes the next
   * number.
   */
  readonly rank: number
  /**
   * How often the kind is drawn in runs that have it; 1 if absent. More for kinds that make the
   * cluster act.
   */
  readonly weight?: number
  /** Undefined: no process is left that it could hit. */
  readonly draw: (rng: Rng, at: DrawnMoment) => Fault | undefined
}

export type FaultRows<Fault extends { readonly kind: string }> = {
  readonly [Kind in Fault['kind']]: FaultRow<Fault & { readonly kind: Kind }>
}

/** What is left of a cluster. */
export interface Left extends PlannedMembers {
  /** Names of nodes and Sentinels. */
  readonly names: readonly string[]
  readonly hosts: readonly string[]
}

/** What happens at a moment. */
export interface Momentary {
  readonly fromMs: number
}

/** What goes on until it is ended. */
export interface Lasting extends Momentary {
  readonly untilMs: number
}

export function nameOrList(names: readonly string[]): string | readonly string[] {
  const [only = ''] = names
  return names.length === 1 ? only : names
}
