/** What a peer says about our master when we confer; it promises nothing. */
export interface Counsel {
  readonly atMs: number
  /** The peer's connections to the master are refused. */
  readonly refused: boolean
  /** The epoch in which we wanted to be elected, and whether the peer would vote for us. */
  readonly epoch: number
  readonly granted: boolean
}
