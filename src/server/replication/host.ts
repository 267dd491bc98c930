/**
 * What replication asks of the data node it lives in. The node owns sessions, keys and commands;
 * replication owns the history of changes, the replicas that read it and the link to the master.
 */
import type { Moment } from '../../base/clock.ts'
import type { Rng } from '../../base/rng.ts'
import type { Reply } from '../../resp/reply.ts'
import type { FunctionStore } from '../functions.ts'
import type { Keyspace } from '../keyspace/keyspace.ts'
import type { SnapshotTurn } from '../persistence/snapshot-turn.ts'
import type { ConnectionId, NodePort } from '../port.ts'
import type { Session } from '../sessions/session.ts'
import type { Settings } from '../settings/settings.ts'

/** Where the commands of our master's stream are run. */
export interface StreamTarget {
  /** The database the stream has selected. */
  db: number
  /** Between MULTI and EXEC. */
  readonly isInTransaction: boolean
  /** Runs one command: no reply, no read-only check, expiry ignored, never propagated by itself. */
  apply(argv: readonly string[]): void
  /** Forgets an open transaction. */
  reset(): void
}

export interface ReplicationHost {
  readonly port: NodePort
  readonly keyspace: Keyspace
  readonly functions: FunctionStore
  readonly settings: Settings
  readonly rng: Rng
  readonly streamTarget: StreamTarget
  readonly snapshotTurn: SnapshotTurn
  /** The moment of the current input. */
  readonly now: Moment
  /** The keys a command names, as far as its words tell. */
  keysOf(argv: readonly string[]): readonly string[]
  /** Ids of connections we open: negative, decreasing. */
  nextOutgoingId(): ConnectionId
  /** Flushes, closes and forgets a session. */
  closeSession(id: ConnectionId): void
  /** Throws blocked clients out with -UNBLOCKED. */
  unblockForRoleChange(): void
  /** The role is gone for good: its clients may be sent away, but for the one that wanted it. */
  demoted(by: Session | undefined): void
  /** Commands are held back, for whatever reason: the offset is to stand still. */
  readonly isPaused: boolean
  /** Holds writes back until `releaseWrites`, whatever CLIENT PAUSE says. */
  holdWrites(): void
  releaseWrites(): void
  /** Ends a WAIT. */
  unblock(session: Session, reply: Reply): void
  /** Suspends a session until `unblock`; at `deadlineMs` (monotonic) it is answered by `onTimeout`. */
  block(session: Session, deadlineMs: number | undefined, onTimeout: () => Reply): void
}
