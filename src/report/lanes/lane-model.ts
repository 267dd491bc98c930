/** What reports draw: one lane per process, with what it was at every moment and what happened to it. */
import type { EventTopic } from '../../history/happening.ts'
import type { LaneState } from './lane-state.ts'

export type LaneKind = 'node' | 'sentinel' | 'client'

export interface LaneModel {
  /** Lanes of one host are together; hosts come in the order in which the file names them. */
  readonly lanes: readonly Lane[]
  /** What was done to the world. */
  readonly faults: readonly LaneMark[]
  readonly violations: readonly (LaneMark & { readonly process: string | undefined })[]
  readonly endMs: number
}

export interface Lane {
  readonly name: string
  readonly kind: LaneKind
  readonly host: string
  /** Without gaps, from 0 to the end of the run. */
  readonly spans: readonly LaneSpan[]
  /** What records tell of it beside its state, such as what only some Sentinels hold of it; there are none in a run that was watched from outside. */
  readonly remarks: readonly LaneRemark[]
  /** In the order of their times. */
  readonly moments: readonly LaneMoment[]
}

export interface LaneSpan {
  readonly fromMs: number
  readonly untilMs: number
  readonly state: LaneState
}

export interface LaneRemark {
  readonly fromMs: number
  readonly untilMs: number
  readonly text: string
}

export interface LaneMark {
  readonly atMs: number
  readonly text: string
}

/** What a moment is about; decides its colour. */
export type LaneTopic = EventTopic | 'state'

export interface LaneMoment {
  readonly atMs: number
  readonly topic: LaneTopic
  /** A few words, from the longest form to the shortest; each is complete. */
  readonly labels: readonly [string, ...string[]]
  /** The full text. */
  readonly text: string
  /** Whether it helps to understand the course of the run; other moments only complete it. */
  readonly isKey: boolean
  /** It occurred this many times, up to `untilMs`, and is shown once. */
  readonly count: number
  readonly untilMs: number
}

/** A moment that occurred once. */
export type Single = Omit<LaneMoment, 'count' | 'untilMs'>

/** A lane before repetitions are collapsed. */
export interface RawLane {
  readonly spans: readonly LaneSpan[]
  readonly moments: readonly Single[]
}
