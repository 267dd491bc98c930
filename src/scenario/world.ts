/**
 * What the runner asks of an engine. The simulated world is the first one; real sockets and real
 * processes can take its place, since nothing here says how time passes or where processes live.
 * Actions, happenings and writes are the language all of them share; the judge sees nothing else.
 */
import type { Reply } from '../resp/reply.ts'
import type { Action } from '../sim/action.ts'
import type { Address, Happening } from '../sim/happening.ts'
import type { Read, Write } from '../sim/write-log.ts'
import type { ScenarioFile } from './scenario-file.ts'

/** Virtual time, real sockets, real processes. */
export type EngineName = 'sim' | 'tcp' | 'process'

/** One way of running scenarios. */
export interface Engine {
  readonly name: EngineName
  /** Why this engine cannot run the file, in words that name the step; undefined: it can. */
  refusal(file: ScenarioFile): string | undefined
  create(file: ScenarioFile, seed: string): Promise<World>
}

export interface World {
  /**
   * Lets the world go on until `atMs` after the start of the run, or until right after the first
   * happening for which `isMet` is true, whichever comes first. Gives the time it stopped at.
   */
  runUntil(atMs: number, isMet?: (happening: Happening) => boolean): Promise<number>
  /** Does something to the world, now. */
  apply(action: Action): Promise<void>
  /** Asks a node or Sentinel, past every partition; undefined when no answer comes. */
  ask(process: string, argv: readonly string[]): Promise<Reply | undefined>
  /** The name of the process at an address, or the address itself. */
  nameOf(address: Address): string
  /** All so far, in the order of their times. */
  happenings(): readonly Happening[]
  /** All so far, in the order in which they were attempted. */
  writes(): readonly Write[]
  /** What clients read of registers, in the order of the answers. */
  reads(): readonly Read[]
  /** Leaves nothing behind. */
  close(): Promise<void>
}

/** What is known of a run when it is over: everything the judge needs. */
export interface History {
  readonly happenings: readonly Happening[]
  readonly writes: readonly Write[]
  readonly reads: readonly Read[]
  readonly nameOf: (address: Address) => string
  /** When each named step was done. */
  readonly labels: ReadonlyMap<string, number>
  readonly endMs: number
  /** Acknowledged writes each group's last master did not have; missing when there was no such master. */
  readonly missing: ReadonlyMap<string, ReadonlySet<Write>>
}
