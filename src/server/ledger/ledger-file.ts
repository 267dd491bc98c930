/**
 * Writes one ledger file as work on files, and keeps the folder of ledgers small. The file gets its
 * final name when it is complete and synced: every file with that name is a whole ledger.
 */
import { change, namesIn, sizeOf, type Work } from '../persistence/files.ts'
import { Crc64 } from '../rdb/crc64.ts'
import { type LedgerFacts, renderCounts, renderHeader } from './ledger-format.ts'
import { hexOf } from './ledger-numbers.ts'
import type { LostCommands } from './lost-commands.ts'

/** How much one request writes; reading that much of the stream takes a few milliseconds. */
const CHUNK_BYTES = 256 * 1024
/**
 * How many pieces of the stream (16 KiB or one command each) are read in one go, whether there are writes in
 * them or not.
 */
const PIECES_AT_ONCE = 16

const NAME = /^lost-writes-[0-9a-f]{8}-\d+-(\d+)\.ledger$/
const TEMPORARY = /^temp-lost-writes-\d+\.ledger$/

export function ledgerName({ history, from, writtenAtMs }: LedgerFacts): string {
  return `lost-writes-${history.slice(0, 8)}-${from}-${writtenAtMs}.ledger`
}

export function isLedgerName(name: string): boolean {
  return NAME.test(name)
}

export function temporaryName(number: number): string {
  return `temp-lost-writes-${number}.ledger`
}

/** `none`: the lost part contained no write. */
export type Kept = 'kept' | 'none' | { readonly kind: 'failed'; readonly text: string }

export function* writeLedger(
  facts: LedgerFacts,
  commands: LostCommands,
  temporary: string,
): Work<Kept> {
  const first = yield* nextChunk(commands, temporary)
  if (first === '') return 'none'
  const written = yield* writeWhole(temporary, facts, commands, first)
  if (written === undefined) return 'kept'
  yield* change({ kind: 'remove', path: temporary })
  return { kind: 'failed', text: written.text }
}

function* writeWhole(path: string, facts: LedgerFacts, commands: LostCommands, first: string) {
  const crc = new Crc64()
  const append = (bytes: string) => {
    crc.update(bytes)
    return change({ kind: 'append', path, bytes })
  }
  let failure = yield* change({ kind: 'create', path })
  failure ??= yield* append(renderHeader(facts))
  for (let bytes = first; failure === undefined && bytes !== ''; ) {
    failure = yield* append(bytes)
    bytes = yield* nextChunk(commands, path)
  }
  failure ??= yield* append(renderCounts(commands.count, commands.keys))
  failure ??= yield* change({ kind: 'append', path, bytes: `${hexOf(crc.digest())}\n` })
  failure ??= yield* change({ kind: 'sync', path })
  failure ??= yield* change({ kind: 'rename', from: path, to: ledgerName(facts) })
  return failure
}

/** Empty if there are no more. Other work gets a turn while it reads: any request allows that. */
function* nextChunk(commands: LostCommands, path: string): Work<string> {
  let bytes = ''
  for (let pieces = 1; !commands.isOver && bytes.length < CHUNK_BYTES; pieces++) {
    bytes += commands.next()
    if (pieces % PIECES_AT_ONCE === 0) yield* sizeOf(path)
  }
  return bytes
}

export interface LedgerLimits {
  readonly files: number
  /** The size of all ledgers together. */
  readonly bytes: number
}

/**
 * Removes the oldest ledgers until the limits hold, though never `newest`, and the temporary files of a
 * killed process. `inUse`: temporary names that are being written. Returns the ledgers it removed.
 */
export function* removeOldLedgers(
  limits: LedgerLimits,
  newest: string,
  inUse: ReadonlySet<string>,
): Work<readonly string[]> {
  const names = yield* namesIn('')
  if ('kind' in names) return []
  for (const path of names) {
    if (TEMPORARY.test(path) && !inUse.has(path)) yield* change({ kind: 'remove', path })
  }
  const removed: string[] = []
  let bytes = 0
  for (const [at, path] of newestFirst(names, newest).entries()) {
    const size = yield* sizeOf(path)
    bytes += typeof size === 'number' ? size : 0
    if (at === 0 || (at < limits.files && bytes <= limits.bytes)) continue
    yield* change({ kind: 'remove', path })
    removed.push(path)
  }
  return removed
}

function newestFirst(names: readonly string[], newest: string): string[] {
  const others = names.filter((name) => NAME.test(name) && name !== newest)
  const writtenAtMs = (name: string) => Number(NAME.exec(name)?.[1])
  return [newest, ...others.sort((a, b) => writtenAtMs(b) - writtenAtMs(a))]
}
