import type { Topology } from '../../history/topology.ts'
import type { RunHistory } from '../world.ts'

/** A run that is over, for code that looks for what must never happen. */
export interface FinishedRun {
  readonly topology: Topology
  readonly history: RunHistory
  /** The master that all Sentinels named at the end, by group. */
  readonly masters: ReadonlyMap<string, string>
}
