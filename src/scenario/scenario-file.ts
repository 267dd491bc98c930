/**
 * A scenario as the runner and the judge see it: who is there, what is done to them, and what has to
 * come of it. `parse.ts` makes it out of a file; nothing in it refers to a name that does not exist.
 */
import type { Action } from '../sim/action.ts'
import type { Topology } from '../sim/topology.ts'

export interface ScenarioFile {
  /** The file's name, as reports show it. */
  readonly file: string
  readonly name: string
  readonly story: string
  readonly topology: Topology
  /** In the order of their times. */
  readonly steps: readonly Step[]
  readonly expectations: readonly Expectation[]
  /** How long to run at least; undefined: as long as the expectations ask for. */
  readonly durationMs: number | undefined
}

export interface Step {
  /** Since the start of the run. */
  readonly atMs: number
  /** The name expectations know this moment by. */
  readonly label: string | undefined
  readonly action: Action
}

/** A moment: so long after a step, or after the start of the run when there is no label. */
export interface TimeRef {
  readonly label: string | undefined
  readonly offsetMs: number
}

export type Expectation =
  | { readonly kind: 'state'; readonly claim: StateClaim; readonly timing: StateTiming }
  | { readonly kind: 'moment'; readonly claim: MomentClaim; readonly timing: MomentTiming }
  | { readonly kind: 'total'; readonly claim: TotalClaim }

/** True from some moment before the deadline on, until the deadline at least. */
export interface Within {
  readonly kind: 'within'
  readonly after: TimeRef
  readonly withinMs: number
}

/** At every moment, or at none, from `after` to `until`; undefined: to the end of the run. */
export interface Throughout {
  readonly kind: 'always' | 'never'
  readonly after: TimeRef
  readonly until: TimeRef | undefined
}

export type StateTiming = Within | Throughout
export type MomentTiming = Within | (Throughout & { readonly kind: 'never' })

/** What is true or false at every moment of a run. Sentinels and nodes that are not running do not count. */
export type StateClaim =
  /** All these Sentinels name the same node as master, and it is (or is not) this one. */
  | {
      readonly kind: 'master'
      readonly group: string
      readonly node: string
      readonly negated: boolean
      readonly accordingTo: readonly string[]
    }
  /** Exactly one of these nodes is a master, as they say themselves. */
  | { readonly kind: 'oneMaster'; readonly among: readonly string[] }
  /** The node is connected to that master; undefined: to whom the Sentinels name. */
  | {
      readonly kind: 'replica'
      readonly group: string
      readonly node: string
      readonly of: string | undefined
    }
  /** The last write that the node answered got an error with this code. */
  | { readonly kind: 'refusesWrites'; readonly node: string; readonly code: string }

/** What happens at a moment, or does not: at each of those named, or at anyone when nobody is named. */
export type MomentClaim =
  /** A write asked for after the beginning of the window is acknowledged. */
  | { readonly kind: 'writesWork'; readonly clients: readonly string[] | undefined }
  | {
      readonly kind: 'event'
      readonly name: string
      readonly at: readonly string[] | undefined
      /** Part of the payload; addresses of processes may be written as their names. */
      readonly matching: string | undefined
    }

/** What is counted over the whole run. */
export type TotalClaim =
  | {
      readonly kind: 'lostWrites'
      readonly group: string
      readonly atMost: number
      readonly acknowledgedBy: 'majority' | 'minority' | 'any'
    }
  | { readonly kind: 'failovers'; readonly group: string; readonly atMost: number }
  | { readonly kind: 'dualWrites'; readonly group: string; readonly atMostMs: number }
