/**
 * A run that was drawn from a seed, before it is written as a scenario. A scenario is a flat list
 * of steps; here a fault still knows its own end, so that it can be removed, or shortened, without
 * leaving a process that no step starts again.
 */
import type { EventName } from '../history/happening.ts'
import type { Fault } from './faults/faults.ts'
import type { Setting } from './members.ts'

export interface FuzzPlan extends Setting {
  readonly faults: readonly Fault[]
  /** How long to watch the run after that at least; undefined: as long as the demands ask for. */
  readonly restMs: number | undefined
  /** When all that is over, the master of the first group dies alone, for the last time. */
  readonly hasFinalDeath: boolean
  /**
   * When the demands are checked. `rest`: as soon as the cluster has come to rest, and stayed so
   * for a while; `limit`: when all the time it may take is over. The first takes less time to play,
   * the second also sees what comes back later.
   */
  readonly ending: 'rest' | 'limit'
  /** What this run must show, beyond what must hold in every run. */
  readonly demands: readonly CalmDemand[]
}

/**
 * No fault comes before this. Sentinels ask for INFO every ten seconds: until then they may not
 * know a replica that came up after their first question, and if the master is replaced in that
 * time no Sentinel ever tells the replica so. Redis Sentinel has the same gap; a run that falls
 * into it says nothing else.
 */
export const FIRST_FAULT_MS = 12_000

/** What must hold in the calm. Each is one line of the scenario's expectations. */
export type CalmDemand =
  | { readonly kind: 'converges'; readonly group: string }
  | { readonly kind: 'staysConverged'; readonly group: string }
  | { readonly kind: 'writesWork'; readonly client: string }
  /** When the clients have stopped, every node holds what its master holds. */
  | { readonly kind: 'settles' }
  /** Writes return in the time the configuration gives, after the final death. */
  | { readonly kind: 'failsOver'; readonly group: string }
  /** No Sentinel publishes this event, ever. */
  | { readonly kind: 'never'; readonly event: EventName }
  /** Next to nothing: for a file that is about what must hold in every run. */
  | { readonly kind: 'anything'; readonly group: string }

/** What must hold in the calm for every group and every client. */
export function demandsOf(
  groups: FuzzPlan['topology']['groups'],
  clients: FuzzPlan['clients'],
): CalmDemand[] {
  return [
    ...groups.flatMap(({ name }): CalmDemand[] => [
      { kind: 'converges', group: name },
      { kind: 'staysConverged', group: name },
    ]),
    ...clients.map(({ name }): CalmDemand => ({ kind: 'writesWork', client: name })),
    { kind: 'settles' },
  ]
}

/**
 * Whether the plan has a line of expectations: coming to rest is a step that waits, and no
 * expectation.
 */
export function hasExpectation({ demands, ending }: FuzzPlan): boolean {
  return demands.some(({ kind }) => ending === 'limit' || kind !== 'converges')
}
