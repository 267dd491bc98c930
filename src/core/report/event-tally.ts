/**
 * The figures a Sentinel keeps about its own events, for monitoring; tally.ts fills them in. The machine
 * decides nothing by them.
 */
import { type Histogram, newHistogram } from '../../base/histogram.ts'
import { EVENT_NAMES, type EventName } from '../event-table.ts'

/** The phases of a failover in their order, and the event that ends each. */
export const PHASE_ENDS = {
  detected: '+sdown',
  agreed: '+odown',
  elected: '+elected-leader',
  promoted: '+promoted-slave',
  reconfigured: '+failover-end',
  switched: '+switch-master',
} as const satisfies Readonly<Record<string, EventName>>

export type FailoverPhase = keyof typeof PHASE_ENDS

export const FAILOVER_PHASES = Object.keys(PHASE_ENDS) as readonly FailoverPhase[]

/** `observer`: another Sentinel led the failover. */
export type FailoverPart = 'leader' | 'observer'

export const FAILOVER_PARTS: readonly FailoverPart[] = ['leader', 'observer']

/** Seconds: a round trip on one machine, up to a master that could not be replaced for a while. */
const PHASE_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
/** Seconds: a whole failover waits for one down-after at least. */
const WHOLE_BOUNDS = [0.1, 0.25, 0.5, 1, 2, 3, 5, 7.5, 10, 15, 30, 60, 120]

export interface EventTally {
  /** How often each event was announced. */
  readonly announced: Map<EventName, number>
  readonly phases: Readonly<Record<FailoverPart, Readonly<Record<FailoverPhase, Histogram>>>>
  /** From the first answer that the master owed to the moment we named its successor. */
  readonly whole: Readonly<Record<FailoverPart, Histogram>>
  /** Goes with its group. */
  readonly groups: WeakMap<object, GroupTally>
}

export interface GroupTally {
  /** Changes of the master that this Sentinel told its clients. */
  switches: number
  /** How many of them this Sentinel led. */
  led: number
  /** Failovers of its own that came to nothing. */
  givenUp: number
  /** The master was S_DOWN and answered again, and nothing came of it. */
  falseAlarms: number
  /** The last switch; undefined: none since this process started. */
  last: PastFailover | undefined
  incident: OpenIncident | undefined
}

/** What is known of a failover once it is over. */
export interface PastFailover {
  readonly part: FailoverPart
  /** When the switch happened. */
  readonly wallMs: number
  /** Phases that this Sentinel did not see are missing. */
  readonly durationsMs: ReadonlyMap<FailoverPhase, number>
}

/** The master is down, or being replaced. */
export interface OpenIncident {
  readonly beganAtMs: number
  /** When each phase ended. */
  readonly ends: Map<FailoverPhase, number>
}

export function newTally(): EventTally {
  return {
    announced: new Map(EVENT_NAMES.map((name) => [name, 0])),
    phases: { leader: phaseHistograms(), observer: phaseHistograms() },
    whole: { leader: newHistogram(WHOLE_BOUNDS), observer: newHistogram(WHOLE_BOUNDS) },
    groups: new WeakMap(),
  }
}

function phaseHistograms(): Readonly<Record<FailoverPhase, Histogram>> {
  const entries = FAILOVER_PHASES.map((phase) => [phase, newHistogram(PHASE_BOUNDS)])
  return Object.fromEntries(entries) as Record<FailoverPhase, Histogram>
}
