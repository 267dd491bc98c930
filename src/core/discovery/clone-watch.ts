/** What a Sentinel knows of hellos with its own id, see clones.ts. */
export interface CloneWatch {
  /** Each `host:port` that our own hellos have named since the start. */
  readonly announced: Set<string>
  /** By the address that the other hellos with our id name. */
  readonly sightings: Map<string, Sighting>
}

export interface Sighting {
  /** Since when it has been heard without a long silence, and when last. */
  sinceMs: number
  lastMs: number
  /** Said in the log, once for each address. */
  isTold: boolean
}
