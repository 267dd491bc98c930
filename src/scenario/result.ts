/**
 * The outcome of one run of a scenario: what the reports show, and nothing a report has to work
 * out.
 */
import type { Happening } from '../history/happening.ts'
import type { EngineName } from './world.ts'

export interface ScenarioResult {
  readonly file: string
  readonly name: string
  readonly story: string
  readonly seed: string
  readonly engine: EngineName
  /** Whose programs ran: `Vedette`, `redis-server and redis-sentinel 7.0.15`. */
  readonly programs: string
  readonly verdict: 'passed' | 'failed' | 'skipped'
  /** Why the engine did not run the scenario; undefined: it did. */
  readonly skipped?: string
  readonly expectations: readonly JudgedExpectation[]
  /** What the checkers found: things that must never happen, whatever the scenario expects. */
  readonly violations: readonly Violation[]
  readonly facts: Facts
  readonly timeline: readonly TimelineEntry[]
  readonly endMs: number
  /** How far a world in real time was behind the clock at the worst moment: what it made late is no fault of the cluster. */
  readonly latestMs?: number
}

export interface JudgedExpectation {
  readonly text: string
  readonly passed: boolean
  /** When the expectation came true, if it had to come true. */
  readonly metAtMs: number | undefined
  /** What was found instead, or how it went. */
  readonly finding: string
}

export interface Violation {
  readonly atMs: number
  readonly checker: string
  readonly text: string
}

export interface TimelineEntry {
  readonly atMs: number
  readonly process: string | undefined
  readonly kind: Happening['kind']
  readonly text: string
}

export interface Facts {
  readonly groups: readonly GroupFacts[]
}

export interface GroupFacts {
  readonly group: string
  /** The master that all running Sentinels named at the end. */
  readonly finalMaster: string | undefined
  readonly failovers: number
  readonly writes: RunWriteFacts
  /** Longest time without any acknowledged write, from the first one to the end of the run. */
  readonly longestOutageMs: number
  /** Longest time in which two nodes acknowledged writes, without a break. */
  readonly dualWritesMs: number
  /** All times together in which two nodes acknowledged writes: what two writable masters cost. */
  readonly dualWritesTotalMs: number
  /** When each client was without acknowledged writes for longer than its pace explains. */
  readonly outages: readonly Outage[]
  /**
   * Acknowledged writes that the final master does not have; undefined when there is no such
   * master.
   */
  readonly lost: LostWrites | undefined
  readonly staleReads: StaleReads
  /** Undefined: no client of the group shares keys. */
  readonly shared?: SharedFacts | undefined
  /** Undefined: the quorum can be reached. */
  readonly unreachableQuorum?: UnreachableQuorum | undefined
}

/** More than there are Sentinels: no failover by itself, whatever happens. */
export interface UnreachableQuorum {
  readonly quorum: number
  readonly sentinels: number
}

/** Keys that were touched together have one history; see `history/shared`. */
export interface SharedFacts {
  readonly histories: number
  /** How many histories have no linear order. */
  readonly anomalies: number
  /** How many histories have too many possible orders to decide. */
  readonly undecided: number
}

export interface Outage {
  readonly client: string
  readonly fromMs: number
  readonly untilMs: number
}

export interface RunWriteFacts {
  readonly attempted: number
  readonly acknowledged: number
  /** By the code of the error. */
  readonly refused: Readonly<Record<string, number>>
  /** Never answered: it is unknown whether the writes were done. */
  readonly unknown: number
}

/**
 * The same writes, divided twice: by the standing of the node that promised them, at that moment,
 * and by why they are gone. `loss-causes.ts` says how the cause is found.
 */
export interface LostWrites {
  /** Promised by the rightful master, with a majority of the Sentinels in reach. */
  readonly byMajority: number
  /** Promised by a master that could not reach a majority of the Sentinels. */
  readonly byCutOff: number
  /** Promised by a master that another node had replaced already. */
  readonly byDeposed: number

  /** Not yet replicated to the node that was promoted. */
  readonly asynchronous: number
  /** Promised by a master that was cut off or already replaced. */
  readonly splitBrain: number
  /** A master came back without its data, or a node that had come back so was promoted. */
  readonly emptyRestart: number
}

/**
 * Reads of a register that gave an older value than one whose write had been acknowledged before
 * the read was sent.
 */
export interface StaleReads {
  /** Reads answered by a node that was no longer the master, or not yet. */
  readonly fromDeposed: number
  /** Reads that the rightful master answered: the newer value is lost. */
  readonly afterLoss: number
}
