/**
 * Hands out the ledgers of this node in bounded pieces [LEDGER], so that `vedette ledger` and `vedette incident`
 * find those of all nodes. Only reads.
 */
import type { FileFailure, Work } from '../persistence/files.ts'
import { namesIn, readBytes, sizeOf } from '../persistence/files.ts'
import type { Jobs } from '../persistence/jobs.ts'
import { isLedgerName } from './ledger-file.ts'

export interface ShelvedLedger {
  readonly name: string
  readonly bytes: number
}

export type LedgerPiece =
  | { readonly kind: 'piece'; readonly bytes: string }
  | FileFailure
  | 'absent'

export class LedgerShelf {
  readonly #jobs: Jobs
  /** Reads of one file come one after the other: see io/files/read-ahead.ts. */
  readonly #waiting: (() => void)[] = []
  #isReading = false

  constructor(jobs: Jobs) {
    this.#jobs = jobs
  }

  /** Those that are complete, in the order of their names. */
  list(answer: (ledgers: readonly ShelvedLedger[] | FileFailure) => void): void {
    this.#jobs.start(listLedgers(), answer)
  }

  /** `name` may be anything that a client says. The piece is shorter where the file ends. */
  read(name: string, offset: number, bytes: number, answer: (piece: LedgerPiece) => void): void {
    if (!isLedgerName(name)) return answer('absent')
    const start = () => {
      this.#isReading = true
      this.#jobs.start(readPiece(name, offset, bytes), (piece) => {
        this.#isReading = false
        answer(piece)
        this.#waiting.shift()?.()
      })
    }
    if (this.#isReading) this.#waiting.push(start)
    else start()
  }
}

function* listLedgers(): Work<readonly ShelvedLedger[] | FileFailure> {
  const names = yield* namesIn('')
  if ('kind' in names) return names
  const ledgers: ShelvedLedger[] = []
  for (const name of names.filter(isLedgerName).sort()) {
    const bytes = yield* sizeOf(name)
    // One that is removed meanwhile is none.
    if (typeof bytes === 'number') ledgers.push({ name, bytes })
  }
  return ledgers
}

function* readPiece(name: string, offset: number, bytes: number): Work<LedgerPiece> {
  const size = yield* sizeOf(name)
  if (typeof size !== 'number') return size
  if (offset >= size) return { kind: 'piece', bytes: '' }
  const read = yield* readBytes(name, offset, bytes)
  return typeof read === 'string' ? { kind: 'piece', bytes: read } : read
}
