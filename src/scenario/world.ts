/**
 * What the runner requires of an engine. The simulated world is the first one; real sockets and
 * real processes can take its place, since nothing here says how time passes or where processes
 * live. Actions, happenings and writes are the language that all of them share; the judge sees
 * nothing else.
 */

import type { Address } from '../base/ip.ts'
import type { Action } from '../history/action.ts'
import type { Happening } from '../history/happening.ts'
import type { Question, Read, Write } from '../history/writes.ts'
import type { Reply } from '../resp/reply.ts'
import type { ScenarioFile } from './scenario-file.ts'

/** Virtual time, real sockets, real processes. */
export type EngineName = 'sim' | 'tcp' | 'process'

/** One way of running scenarios. */
export interface Engine {
  readonly name: EngineName
  /** Whose programs run, with their version where they are not ours: for reports. */
  readonly programs: string
  /** Why this engine cannot run the file, in words that name the step; undefined: it can. */
  refusal(file: ScenarioFile): string | undefined
  create(file: ScenarioFile, seed: string): Promise<World>
}

export interface World {
  /**
   * Runs until `atMs` after the start of the run, or until right after the first happening for
   * which `isMet` is true, whichever comes first. Returns the time at which it stopped.
   */
  runUntil(atMs: number, isMet?: (happening: Happening) => boolean): Promise<number>
  /** Applies an action to the world, now. */
  apply(action: Action): Promise<void>
  /**
   * Asks a node or Sentinel, past every partition; undefined if no answer comes. The commands
   * `before` go out on the same connection, and their replies are ignored.
   */
  ask(
    process: string,
    argv: readonly string[],
    before?: readonly (readonly string[])[],
  ): Promise<Reply | undefined>
  /** The name of the process at an address, or the address itself. */
  nameOf(address: Address): string
  /** All so far, in order of time. */
  happenings(): readonly Happening[]
  /** All so far, in the order in which they were attempted. */
  writes(): readonly Write[]
  /** What clients read of registers, in the order of the answers. */
  reads(): readonly Read[]
  /** How far a world in real time was behind the clock at the worst moment so far; undefined: it does not know, or has no clock. */
  latestMs(): number | undefined
  /** What clients asked about their own databases, in the order in which they asked. */
  questions(): readonly Question[]
  /** Ends every process and removes everything the world made. */
  close(): Promise<void>
}

/** What is known about a run when it is over: everything the judge needs. */
export interface RunHistory {
  readonly happenings: readonly Happening[]
  readonly writes: readonly Write[]
  readonly reads: readonly Read[]
  readonly questions: readonly Question[]
  readonly nameOf: (address: Address) => string
  /** When each named step was done. */
  readonly labels: ReadonlyMap<string, number>
  readonly endMs: number
  /**
   * Acknowledged writes that each group's last master did not have; missing if there was no such
   * master.
   */
  readonly missing: ReadonlyMap<string, ReadonlySet<Write>>
}
