/**
 * A scenario as the runner and the judge see it: which processes there are, what is done to them,
 * and what has to follow. `parse.ts` makes it from a file; nothing in it refers to a name that does
 * not exist.
 */
import type { Action } from '../history/action.ts'
import type { EventName } from '../history/happening.ts'
import type { Topology } from '../history/topology.ts'

export interface ScenarioFile {
  /** The file's name, as reports show it. */
  readonly file: string
  readonly name: string
  readonly story: string
  readonly topology: Topology
  /** In the order in which they are done. */
  readonly steps: readonly Step[]
  readonly expectations: readonly Expectation[]
  /** How long to run at least; undefined: as long as the expectations ask for. */
  readonly durationMs: number | undefined
}

export interface Step {
  /** Its place in the file, from 1 on: all steps of a repetition have that of the repetition. */
  readonly number: number
  readonly when: When
  /** The name by which expectations and later steps refer to this moment. */
  readonly label: string | undefined
  /** The group whose master, leader and promoted replica the step's roles mean. */
  readonly group: string
  /**
   * Done one after the other, at the same moment. Empty: the step only names the moment. A role
   * (`roles.ts`) may stand in place of the name of a process or a host.
   */
  readonly actions: readonly Action[]
}

export type When =
  /** At once if that moment has passed. */
  | { readonly kind: 'at'; readonly time: TimeRef }
  /**
   * `plusMs` after the condition came true, which must happen within `withinMs` of the step before.
   */
  | {
      readonly kind: 'after'
      readonly condition: Condition
      readonly plusMs: number
      readonly withinMs: number
    }

/**
 * What a step can wait for. Moments count from the step before on; a state may be reached already.
 */
export type Condition =
  | { readonly kind: 'state'; readonly claim: StateClaim }
  | { readonly kind: 'moment'; readonly claim: MomentClaim }

/** A moment: this long after a step, or after the start of the run if there is no label. */
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

/**
 * What is true or false at every moment of a run. Sentinels and nodes that are not running do not
 * count.
 */
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
  /** The node is connected to that master; undefined: to the master that the Sentinels name. */
  | {
      readonly kind: 'replica'
      readonly group: string
      readonly node: string
      readonly of: string | undefined
    }
  /** The node reports this role itself; a replica's link to its master need not be up. */
  | { readonly kind: 'role'; readonly node: string; readonly role: 'master' | 'replica' }
  /**
   * All running Sentinels name the same master and config epoch, that node says that it is one, and
   * every other running node of the group is connected to it.
   */
  | { readonly kind: 'converged'; readonly group: string }
  /** The last write that the node answered got an error with this code. */
  | { readonly kind: 'refusesWrites'; readonly node: string; readonly code: string }

/**
 * What happens, or does not, at a moment: at each named process, or at any process if none is
 * named.
 */
export type MomentClaim =
  /** A write requested after the beginning of the window is acknowledged. */
  | {
      readonly kind: 'writesWork'
      /** Undefined: of any group. */
      readonly group: string | undefined
      readonly clients: readonly string[] | undefined
    }
  /** The Sentinel counts itself elected, or leads a failover that an operator asked for. */
  | { readonly kind: 'leader'; readonly group: string; readonly at: readonly string[] | undefined }
  | EventClaim

export interface EventClaim {
  readonly kind: 'event'
  readonly name: EventName
  /** Undefined: whatever group it is about. */
  readonly group: string | undefined
  readonly at: readonly string[] | undefined
  /** Part of the payload; addresses of processes may be written as their names. */
  readonly matching: string | undefined
}

/** A part of the run; undefined: from its start, to its end. */
export interface RunPart {
  readonly after: TimeRef | undefined
  readonly until: TimeRef | undefined
}

export interface Bounds {
  readonly atLeast: number
  /** Undefined: any number. */
  readonly atMost: number | undefined
}

/** What is counted or measured over the run, or over a part of it. */
export type TotalClaim =
  | ({
      readonly kind: 'lostWrites'
      readonly group: string
      readonly acknowledgedBy: 'majority' | 'minority' | 'any'
      /** Undefined: any. */
      readonly cause: LossCause | undefined
    } & Bounds)
  | ({ readonly kind: 'failovers'; readonly group: string } & Bounds)
  | { readonly kind: 'dualWrites'; readonly group: string; readonly atMostMs: number }
  /** Reads of a register that gave an older value than one acknowledged before. */
  | ({ readonly kind: 'staleReads'; readonly group: string } & Bounds)
  /** Histories of shared keys that have no linear order. */
  | ({ readonly kind: 'anomalies'; readonly group: string } & Bounds)
  /**
   * The longest time without an acknowledged write: of the whole group, or of each of these
   * clients.
   */
  | ({
      readonly kind: 'outage'
      readonly group: string
      readonly clients: readonly string[] | undefined
      readonly atMostMs: number
    } & RunPart)
  /**
   * After the end, when the clients have stopped: all running processes agree on master, config
   * epoch and roles, and the nodes hold the same data.
   */
  | { readonly kind: 'settled'; readonly withinMs: number }
  /** How often the event is published, by all Sentinels or those that the claim names together. */
  | ({ readonly kind: 'events'; readonly event: EventClaim } & Bounds & RunPart)

/**
 * Why an acknowledged write is gone: it was not replicated yet, there were two masters, or a master
 * began anew.
 */
export type LossCause = 'asynchronous' | 'split-brain' | 'empty-restart'
