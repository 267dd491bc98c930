/** What came of loading the data from files, whichever kind of file they were in. */
import type { SavedPosition } from '../replication/history/history.ts'

/** A key that was left out because its time had passed when it was read. */
export interface ExpiredKey {
  readonly db: number
  readonly key: string
}

export interface LoadedData {
  readonly kind: 'loaded'
  /** The position of the data in a replication history; undefined if they belong to none. */
  readonly position: SavedPosition | undefined
  /** Left out because their time had passed; a node that continues from `position` still has them. */
  readonly expiredKeys: readonly ExpiredKey[]
  /** How many keys there are now, and how many were left out; for INFO and the log. */
  readonly keys: number
  readonly expired: number
  /** How many of the keys came from an RDB file, or from the base of the append-only file in this format; for INFO. */
  readonly rdbKeys: number
}

/** The files cannot be used, and nothing may overwrite them: the node does not start. */
export interface LoadRefused {
  readonly kind: 'refused'
  /** For the operator: which file, where in it, why, and what to do. One line. */
  readonly text: string
  /** The same in parts, if one file is at fault: what is wrong with it, and the way out. */
  readonly about?: { readonly path: string; readonly reason: string; readonly wayOut: string }
}

export type LoadResult = LoadedData | LoadRefused

/** What came of a command of a file that is loaded. */
export type LoadedCommand =
  | { readonly kind: 'done' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'failed'; readonly text: string }
