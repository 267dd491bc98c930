export interface Rejection {
  /** The first word of the error: as long as it stays the same, we log nothing more. */
  readonly code: string
  readonly text: string
}
