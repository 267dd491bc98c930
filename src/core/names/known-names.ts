import type { Hello } from '../discovery/hello-format.ts'

/**
 * What is known about host names. Bounded: names that no instance uses any more are dropped, see
 * `names.ts`.
 */
export interface Names {
  /** By the name in lower case. */
  readonly known: Map<string, KnownName>
  /** How many questions have no answer yet. */
  underWay: number
  /** From this many names on, we look for unused ones. */
  sweepAt: number
  /** Hosts that could not be used; each is reported once. */
  readonly complaints: Set<string>
}

export interface KnownName {
  /** The IP address of the last answer that had one; a later failure does not take it away. */
  address: string | undefined
  /** Monotonic milliseconds of the last question. */
  askedAtMs: number
  /** Whether that question has no answer yet. */
  isAsked: boolean
  /** Whether there has been an answer: an address, or that there is none. */
  isAnswered: boolean
  /** Why the last answer had no address, as it was logged. */
  failure: string | undefined
  /** By group: the last hello that could not be judged before this name is resolved. */
  readonly heldHellos: Map<string, Hello>
}

export const SWEEP_AT_LEAST = 64

export function noNames(): Names {
  return { known: new Map(), underWay: 0, sweepAt: SWEEP_AT_LEAST, complaints: new Set() }
}
