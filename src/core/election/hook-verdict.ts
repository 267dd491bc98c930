/** What the operator's hook says about a failover that is about to begin; see hook-gate.ts. */
import type { Address } from '../../base/ip.ts'
import type { InquiryId } from '../ids.ts'

/** What the hook is told. Texts are byte strings. */
export interface HookRequest {
  readonly group: string
  readonly master: Address
  /** The epoch in which we would stand. */
  readonly epoch: number
  readonly downForMs: number
  readonly quorum: number
  readonly replicas: readonly Address[]
  /** Our run id. */
  readonly by: string
}

/** The state of a group whose hook has been asked since its master is O_DOWN. */
export interface HookVerdict {
  /** `asked`: there is no answer yet. */
  readonly kind: 'asked' | 'allowed' | 'refused'
  readonly inquiry: InquiryId
  readonly sinceMs: number
  /** Until when we wait for the answer, may stand on it, or do not ask again. */
  readonly untilMs: number
  /** How often it has refused in a row, which lengthens the pause. */
  readonly refusals: number
  /** Why it refused last, so that the same reason is announced once. */
  readonly reason: string
}
