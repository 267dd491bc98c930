/**
 * Reads an RDB file piece by piece. The pieces are small enough that clients get answers meanwhile,
 * and nothing of the file takes effect before it has been read to its end and found valid.
 */

import type { EntryTable } from '../keyspace/entry-table.ts'
import type { Usage } from '../keyspace/usage.ts'
import { faultText, type RdbContents, RdbReader } from '../rdb/rdb-reader.ts'
import { readBytes, sizeOf, type Work } from './files.ts'
import type { LoadProgress } from './load-progress.ts'
import { type LoadFault, unreadFile } from './load-refusals.ts'

/** How much one turn reads: at most a few milliseconds of work, even if it is compressed. */
const READ_BYTES = 32 * 1024

export type RdbLoad =
  /** `endOffset`: where in the file the payload ends; anything may follow. */
  | { readonly kind: 'loaded'; readonly contents: RdbContents; readonly endOffset: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unusable'; readonly fault: LoadFault }
  /** It may be valid, but there is not enough memory for it. */
  | { readonly kind: 'tooLarge'; readonly reason: string }

export interface RdbLoadParts {
  /** Empty tables for the keys, one per database. */
  readonly dbs: readonly EntryTable[]
  /** The stamp of every entry, see Entry. */
  readonly serial: number
  /** Converts what the file says about a key's usage. */
  readonly usage: Pick<Usage, 'restored'>
  /** [rdbchecksum] Whether a wrong checksum is damage. */
  readonly isVerified: boolean
  readonly progress: Pick<LoadProgress, 'expect' | 'advance' | 'onKeys'>
}

export function* loadRdb(path: string, parts: RdbLoadParts): Work<RdbLoad> {
  const size = yield* sizeOf(path)
  if (size === 'absent') return { kind: 'absent' }
  if (typeof size !== 'number') return unusable(unreadFile(size))
  parts.progress.expect(size)
  return yield* readPayload(path, parts)
}

function* readPayload(path: string, parts: RdbLoadParts): Work<RdbLoad> {
  const { dbs, serial, usage, isVerified, progress } = parts
  const reader = new RdbReader(dbs, serial, usage, isVerified)
  let offset = 0
  let keys = 0
  for (;;) {
    const bytes = yield* readBytes(path, offset, READ_BYTES)
    if (typeof bytes !== 'string') return unusable(unreadFile(bytes, offset))
    const read = bytes === '' ? reader.ended() : reader.push(bytes)
    offset += bytes.length
    const keysBefore = keys
    keys = dbs.reduce((sum, { size }) => sum + size, 0)
    const isSlowed = progress.onKeys(keys - keysBefore)
    const full = progress.advance(bytes.length)
    if (full !== undefined) return { kind: 'tooLarge', reason: full }
    if (read.kind === 'damaged') return unusable({ cause: read.cause, reason: faultText(read) })
    if (read.kind === 'done') {
      if (isSlowed) yield { kind: 'size', path }
      return { kind: 'loaded', contents: read.contents, endOffset: offset - read.rest.length }
    }
  }
}

/** For the operator: the data are not at fault, and what to do about it. */
export function tooLargeText(dir: string, path: string, reason: string): string {
  return (
    `the data cannot be loaded: ${dir}/${path} does not fit into memory: ${reason}. Nothing was changed. ` +
    'Start with a larger heap: NODE_OPTIONS=--max-old-space-size=<MB>, see docs/operations.md'
  )
}

function unusable(fault: LoadFault): RdbLoad {
  return { kind: 'unusable', fault }
}
