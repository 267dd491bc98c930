/** What strict replication has the rest of the node do, and asks of it: the role, and the link to the master. */
import type { Address } from '../../../base/ip.ts'
import type { Reply } from '../../../resp/reply.ts'

export interface StrictRole {
  /** The node follows a master, or is to. */
  isFollower(): boolean
  /** Ends the link to the master for now, so that the history stands still. */
  freeze(): void
  acknowledge(): void
  promote(why: string): void
  readonly handover: PreparedHandover
}

interface PreparedHandover {
  /** Sends clients to the heir, and calls back when it has everything, or with the reason why it has not. */
  prepare(heir: Address, limitMs: number, onEnd: (refusal?: Reply) => void): void
  /** The node is no master any more. */
  endPreparation(reason: string): void
}

export const NO_ROLE: StrictRole = {
  isFollower: () => false,
  freeze: () => undefined,
  acknowledge: () => undefined,
  promote: () => undefined,
  handover: { prepare: () => undefined, endPreparation: () => undefined },
}
