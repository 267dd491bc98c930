/** What saving and loading ask of the data node they live in. */
import type { Moment } from '../../base/clock.ts'
import type { Rng } from '../../base/rng.ts'
import type { FunctionStore } from '../functions.ts'
import type { Stats } from '../info/stats.ts'
import type { Keyspace } from '../keyspace/keyspace.ts'
import type { OutputGate } from '../sessions/output-gate.ts'
import type { Settings } from '../settings/settings.ts'

/** Where the data stand in a replication history, as an RDB file keeps it. */
export interface SavedPosition {
  readonly id: string
  /** Bytes of the history whose effects are in the data. */
  readonly offset: number
  /** The database that commands of the stream are for if they do not select one. */
  readonly streamDb: number
}

/** What came of a command of a file that is loaded. */
export type LoadedCommand =
  | { readonly kind: 'done' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'failed'; readonly text: string }

export interface PersistenceHost {
  /** Holds back what is not kept yet. */
  readonly port: OutputGate
  readonly keyspace: Keyspace
  readonly functions: FunctionStore
  readonly settings: Settings
  readonly stats: Stats
  readonly rng: Rng
  /** The moment of the present turn. */
  readonly now: Moment
  readonly startedAt: Moment
  isReplica(): boolean
  /** Where the data stand at this moment; undefined: nobody could continue from them. */
  position(): SavedPosition | undefined
  /** Runs one command read from a file: no gate, no reply, nothing told to replicas. */
  applyLoaded(argv: readonly string[]): LoadedCommand
  /** The data are loaded; undefined: they stand in no history. */
  loaded(position: SavedPosition | undefined): void
  /** After `loaded`: whoever continues from there has this key still, and we have not. */
  tellExpired(db: number, key: string): void
}
