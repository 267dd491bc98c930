/**
 * Reads an RDB file piece by piece. The pieces are small enough that whoever asks something meanwhile
 * gets an answer, and nothing of the file counts before it has been read to its end and found sound.
 */

import type { KeyTable } from '../keyspace/key-table.ts'
import type { Entry } from '../keyspace/keyspace.ts'
import type { Usage } from '../keyspace/usage.ts'
import { type RdbContents, RdbReader } from '../rdb/rdb-reader.ts'
import { readBytes, sizeOf, type Work } from './files.ts'
import type { LoadProgress } from './load-progress.ts'

/** What one turn reads: at most a few milliseconds of work, also if it is compressed. */
const READ_BYTES = 32 * 1024

export type RdbLoad =
  /** `endOffset`: where in the file the payload ends; anything may follow. */
  | { readonly kind: 'loaded'; readonly contents: RdbContents; readonly endOffset: number }
  | { readonly kind: 'absent' }
  /** Why it cannot be used and, if it is damaged, where: half a sentence that goes on from the file's name. */
  | { readonly kind: 'unusable'; readonly reason: string }

export interface RdbLoadParts {
  /** Empty tables, one per database: what the keys are put into. */
  readonly dbs: readonly KeyTable<Entry>[]
  /** What every entry is stamped with, see Entry. */
  readonly serial: number
  /** Makes of what the file says of a key's use what it means here. */
  readonly usage: Pick<Usage, 'restored'>
  /** [rdbchecksum] A checksum that is wrong is damage. */
  readonly isVerified: boolean
  readonly progress: Pick<LoadProgress, 'expect' | 'advance'>
}

export function* loadRdb(path: string, parts: RdbLoadParts): Work<RdbLoad> {
  const size = yield* sizeOf(path)
  if (size === 'absent') return { kind: 'absent' }
  if (typeof size !== 'number') return unusable(`cannot be read: ${size.text}`)
  parts.progress.expect(size)
  return yield* readPayload(path, parts)
}

function* readPayload(path: string, parts: RdbLoadParts): Work<RdbLoad> {
  const { dbs, serial, usage, isVerified, progress } = parts
  const reader = new RdbReader(dbs, serial, usage, isVerified)
  let offset = 0
  for (;;) {
    const bytes = yield* readBytes(path, offset, READ_BYTES)
    if (typeof bytes !== 'string')
      return unusable(`cannot be read at byte ${offset}: ${bytes.text}`)
    const read = bytes === '' ? reader.ended() : reader.push(bytes)
    offset += bytes.length
    progress.advance(bytes.length)
    if (read.kind === 'damaged') return unusable(`is damaged at byte ${read.offset}: ${read.text}`)
    if (read.kind === 'done') {
      return { kind: 'loaded', contents: read.contents, endOffset: offset - read.rest.length }
    }
  }
}

function unusable(reason: string): RdbLoad {
  return { kind: 'unusable', reason }
}
