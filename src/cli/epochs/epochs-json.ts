/** What `vedette epochs` found and did, as an object for scripts. */
import type { ToldFailure } from '../report.ts'
import type { EpochReport } from './epochs-plan.ts'

export interface EpochsVerdict {
  /**
   * `unsound`: they keep Sentinels from voting, and nobody asked to lower them; `refused`: nothing was
   * lowered; `incomplete`: some Sentinels may be frozen; `unknown`: those that answered told none; `silent`: no
   * Sentinel answered.
   */
  readonly outcome:
    | 'sound'
    | 'lowered'
    | 'released'
    | 'unsound'
    | 'refused'
    | 'incomplete'
    | 'unknown'
    | 'silent'
  /** To which they were lowered. */
  readonly epoch?: number
  /** Why nothing may be lowered. */
  readonly obstacles?: readonly string[]
}

/** A Sentinel whose epochs are not known, and why. */
export interface UnknownEpochs {
  readonly address: string
  /** Undefined: it does not answer. */
  readonly program?: string
  readonly reason: string
}

/** `reports`: as the Sentinels gave them last. */
export function epochsJson(
  { outcome, epoch, obstacles = [] }: EpochsVerdict,
  reports: readonly EpochReport[],
  unknown: readonly UnknownEpochs[],
  failure: ToldFailure | undefined,
): object {
  return {
    outcome,
    ...failure,
    loweredTo: epoch ?? null,
    obstacles,
    sentinels: reports.map(({ address, myid, phase, currentEpoch, groups }) => ({
      address,
      id: myid,
      phase,
      currentEpoch,
      groups: groups.map(({ name, master, configEpoch, leaderEpoch, peers }) => ({
        ...{ name, master, configEpoch, lastVoteEpoch: leaderEpoch, peers },
      })),
    })),
    unknown: unknown.map(({ address, program = null, reason }) => ({ address, program, reason })),
  }
}
