/**
 * What the runner asks of an engine. The simulated world is the first one; real sockets and real
 * processes can take its place, since nothing here says how time passes or where processes live.
 * Actions, happenings and writes are the language all of them share; the judge sees nothing else.
 */
import type { Action } from '../sim/action.ts'
import type { Address, Happening } from '../sim/happening.ts'
import type { Write } from '../sim/write-log.ts'

export interface World {
  /** Lets the world go on until `atMs` after the start of the run. */
  runUntil(atMs: number): Promise<void>
  /** Does something to the world, now. */
  apply(action: Action): Promise<void>
  /** Which of these keys a node holds now; undefined when it does not answer. */
  keysAt(node: string, keys: readonly string[]): Promise<ReadonlySet<string> | undefined>
  /** The name of the process at an address, or the address itself. */
  nameOf(address: Address): string
  /** All so far, in the order of their times. */
  happenings(): readonly Happening[]
  /** All so far, in the order in which they were attempted. */
  writes(): readonly Write[]
  /** Leaves nothing behind. */
  close(): Promise<void>
}

/** What is known of a run when it is over: everything the judge needs. */
export interface History {
  readonly happenings: readonly Happening[]
  readonly writes: readonly Write[]
  readonly nameOf: (address: Address) => string
  /** When each named step was done. */
  readonly labels: ReadonlyMap<string, number>
  readonly endMs: number
  /** What each group's last master held at the end, by group; missing when there was no such master. */
  readonly finalKeys: ReadonlyMap<string, ReadonlySet<string>>
}
