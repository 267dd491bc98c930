import type { Hello } from '../hello-text.ts'

/** What is known of host names. Bounded: what no instance uses any more is dropped, see `names.ts`. */
export interface Names {
  /** By the name in lower case. */
  readonly known: Map<string, KnownName>
  /** Questions without an answer. */
  underWay: number
  /** From this many names on, those that nobody uses are looked for. */
  sweepAt: number
  /** Hosts that could not be used, each complained of once. */
  readonly complaints: Set<string>
}

export interface KnownName {
  /** The IP address of the last answer that had one; a later failure does not take it away. */
  address: string | undefined
  /** Monotonic milliseconds of the last question. */
  askedAtMs: number
  /** That question has no answer yet. */
  isAsked: boolean
  /** There has been an answer, an address or the news that there is none. */
  isAnswered: boolean
  /** Why the last answer was none, as it was logged. */
  failure: string | undefined
  /** By group: the last hello that could not be judged before this name is answered. */
  readonly heldHellos: Map<string, Hello>
}

export const SWEEP_AT_LEAST = 64

export function noNames(): Names {
  return { known: new Map(), underWay: 0, sweepAt: SWEEP_AT_LEAST, complaints: new Set() }
}
