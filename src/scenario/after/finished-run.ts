import type { Topology } from '../../sim/topology.ts'
import type { History } from '../world.ts'

/** A run that is over, for those who look for what must never happen. */
export interface FinishedRun {
  readonly topology: Topology
  readonly history: History
  /** Whom all Sentinels named at the end, by group. */
  readonly masters: ReadonlyMap<string, string>
}
