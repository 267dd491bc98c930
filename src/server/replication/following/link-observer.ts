/** What the link tells the rest of replication. */
export interface LinkObserver {
  /** Bytes of the stream that have been applied. `db`: the database selected before them. */
  feed(bytes: string, db: number): void
  /** The history changes under the replicas attached to us: they have to ask again. */
  historyReplaced(): void
  /** The master is to be asked to become one, see failover.ts. */
  readonly isHandingOver: boolean
  /** It has been asked for its stream. */
  syncRequested(): void
  /** It lets us have its stream. */
  syncGranted(): void
  /** It does not. True: there is nobody to follow any more. */
  syncRefused(reason: string): boolean
}
