/** What reports draw: one lane per process, with what it was at every moment and what happened to it. */
import type { LaneState } from './lane-state.ts'

export type LaneKind = 'node' | 'sentinel' | 'client'

export interface LaneModel {
  /** Those of one host stand together; hosts come in the order in which the file names them. */
  readonly lanes: readonly Lane[]
  /** What was done to the world. */
  readonly faults: readonly Mark[]
  readonly violations: readonly (Mark & { readonly process: string | undefined })[]
  readonly endMs: number
}

export interface Lane {
  readonly name: string
  readonly kind: LaneKind
  readonly host: string
  readonly group: string | undefined
  /** Without gaps, from 0 to the end of the run. */
  readonly spans: readonly Span[]
  /** In the order of their times. */
  readonly moments: readonly Moment[]
}

export interface Span {
  readonly fromMs: number
  readonly untilMs: number
  readonly state: LaneState
}

export interface Mark {
  readonly atMs: number
  readonly text: string
}

/** What a moment is about, for those who draw it in colour. */
export type Topic = 'suspicion' | 'election' | 'promotion' | 'switch' | 'tilt' | 'state' | 'other'

export interface Moment {
  readonly atMs: number
  readonly topic: Topic
  /** A few words, from the longest to the shortest; each alone says it. */
  readonly labels: readonly [string, ...string[]]
  /** The whole of it. */
  readonly text: string
  /** It helps to understand the course of the run; the others only complete it. */
  readonly isKey: boolean
  /** It came so often, up to `untilMs`, and is told once. */
  readonly count: number
  readonly untilMs: number
}

/** A moment that came once. */
export type Single = Omit<Moment, 'count' | 'untilMs'>

/** What a lane is made of before repetition is taken out of it. */
export interface Course {
  readonly spans: readonly Span[]
  readonly moments: readonly Single[]
}
