export interface Rejection {
  /** The first word of the error: as long as it stays the same, we log nothing more. */
  readonly code: string
  readonly text: string
}

/** Every attempt to connect to the master since the first of these was refused. */
export interface Refused {
  /** When the first refusal came, and when the latest refused attempt began. */
  readonly sinceMs: number
  askedAtMs: number
  /** We took the refusals for proof of death, which counts until the master is well again. */
  isProof: boolean
}
