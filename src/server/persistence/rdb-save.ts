/**
 * Writes an RDB file while commands go on: a slice of the snapshot, the disk, the next slice. No more
 * than one slice waits for the disk at any time. The file at `path` is the old one until the new one is
 * complete and synced, whatever happens in between.
 */
import type { Keyspace } from '../keyspace/keyspace.ts'
import { Snapshot, type SnapshotOptions } from '../rdb/snapshot.ts'
import { change, type FileFailure, pause, type Work } from './files.ts'
import type { SavePace } from './save-pace.ts'
import type { UnreadDump } from './unread-dump.ts'

/** How much one turn writes: well under a millisecond of work. */
const SLICE_BYTES = 64 * 1024
/** The size of one request to the disk; a value can be larger than a slice. */
const APPEND_BYTES = 1024 * 1024

/** A snapshot whose bytes are pulled. */
export class SnapshotSource {
  readonly #snapshot: Snapshot
  readonly #pace: SavePace
  #pieces: string[] = []
  #isGivenUp = false

  /** Fixes the moment. */
  constructor(
    keyspace: Keyspace,
    aux: readonly (readonly [string, string])[],
    options: SnapshotOptions,
    pace: SavePace,
  ) {
    this.#pace = pace
    this.#snapshot = new Snapshot(keyspace, aux, (bytes) => this.#pieces.push(bytes), options)
  }

  /** How many keys there were at that moment. */
  get keysTotal(): number {
    return this.#snapshot.keysTotal
  }

  get keysTaken(): number {
    return this.#snapshot.keysTaken
  }

  get isGivenUp(): boolean {
    return this.#isGivenUp
  }

  /** The result is no longer wanted. */
  giveUp(): void {
    this.#isGivenUp = true
    this.#pieces = []
    this.#snapshot.stop()
  }

  /** When the next slice may be taken. Monotonic; what is given up waits for nothing. */
  get untilMs(): number {
    return this.#isGivenUp ? 0 : this.#pace.untilMs
  }

  /** About a slice more, in pieces; undefined if that was all. */
  next(): readonly string[] | undefined {
    if (this.#snapshot.isOver) return undefined
    this.#pace.advance(this.#snapshot, SLICE_BYTES)
    const pieces = this.#pieces
    this.#pieces = []
    return pieces
  }
}

export type SaveEnd =
  | { readonly kind: 'saved' }
  | { readonly kind: 'givenUp' }
  | { readonly kind: 'failed'; readonly failure: FileFailure }

/** Writes the new file beside the old one and then replaces that. A failure leaves nothing behind. */
export function* saveRdb(
  source: SnapshotSource,
  temp: string,
  path: string,
  unreadDump: UnreadDump,
): Work<SaveEnd> {
  const failure =
    (yield* writeSnapshot(source, temp)) ??
    (source.isGivenUp ? undefined : yield* unreadDump.setAside(path)) ??
    (yield* moveInPlace(source, temp, path))
  if (failure === undefined && !source.isGivenUp) return { kind: 'saved' }
  const wasGivenUp = source.isGivenUp
  source.giveUp()
  yield* change({ kind: 'remove', path: temp })
  return failure === undefined || wasGivenUp ? { kind: 'givenUp' } : { kind: 'failed', failure }
}

/** Writes a file, and syncs it unless it was given up meanwhile. */
export function* writeSnapshot(
  source: SnapshotSource,
  path: string,
): Work<FileFailure | undefined> {
  const failure = yield* change({ kind: 'create', path })
  if (failure !== undefined) return failure
  while (!source.isGivenUp) {
    const pieces = source.next()
    if (pieces === undefined) return yield* change({ kind: 'sync', path })
    for (const bytes of pieces) {
      const failed = yield* append(source, path, bytes)
      if (failed !== undefined) return failed
    }
    yield* pause(() => source.untilMs)
  }
  return undefined
}

function* append(
  source: SnapshotSource,
  path: string,
  bytes: string,
): Work<FileFailure | undefined> {
  for (let at = 0; at < bytes.length && !source.isGivenUp; at += APPEND_BYTES) {
    const part = bytes.slice(at, at + APPEND_BYTES)
    const failure = yield* change({ kind: 'append', path, bytes: part })
    if (failure !== undefined) return failure
  }
  return undefined
}

function* moveInPlace(
  source: SnapshotSource,
  from: string,
  to: string,
): Work<FileFailure | undefined> {
  return source.isGivenUp ? undefined : yield* change({ kind: 'rename', from, to })
}
