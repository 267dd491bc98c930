/** What came of loading the data from files, whichever kind of file they were in. */
import type { SavedPosition } from './host.ts'

/** A key whose time had passed when it was read, and which was therefore left out. */
export interface ExpiredKey {
  readonly db: number
  readonly key: string
}

export interface LoadedData {
  readonly kind: 'loaded'
  /** Where the data stand in a replication history; undefined: in none. */
  readonly position: SavedPosition | undefined
  /** Left out because their time had passed; whoever continues from `position` still has them. */
  readonly expiredKeys: readonly ExpiredKey[]
  /** How many keys there are now, and how many were left out, for INFO and the log. */
  readonly keys: number
  readonly expired: number
}

/** The files cannot be used, and nothing may be written over them: the node does not start. */
export interface LoadRefused {
  readonly kind: 'refused'
  /** For the operator: which file, where in it, why, and what to do. One line. */
  readonly text: string
}

export type LoadResult = LoadedData | LoadRefused
