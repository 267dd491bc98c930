/**
 * A full copy on its way to us, and the moment it takes the place of what we have: not before all of it has
 * arrived and is sound, and not before the ledger of what it replaces is written, or has had its time.
 */
import { parseInt64 } from '../../../base/decimal.ts'
import type { LedgerKeeper } from '../../ledger/ledger-keeper.ts'
import type { NodeLogLevel } from '../../port.ts'
import type { RdbContents } from '../../rdb/rdb-reader.ts'
import type { History } from '../history/history.ts'
import type { ReplicationHost } from '../host.ts'
import type { HistoryPosition } from './handshake.ts'
import { PayloadTransfer } from './payload-transfer.ts'

/** So long a copy waits for the disk to keep what it replaces. Longer, the node would stay out of step. */
const KEEPING_TIMEOUT_MS = 5000

export interface FullCopyParts {
  readonly host: ReplicationHost
  readonly history: History
  readonly keeper: LedgerKeeper
  /** The history changes under the replicas attached to us. */
  historyReplaced(): void
  log(level: NodeLogLevel, text: string): void
}

export class FullCopy {
  /** What it stands for; undefined: the master does not say. */
  readonly position: HistoryPosition | undefined
  readonly transfer: PayloadTransfer
  readonly #parts: FullCopyParts
  #contents: RdbContents | undefined
  /** What followed it. */
  #rest: string[] = []
  /** Monotonic. When it waits no longer; undefined: it has not arrived. */
  #untilMs: number | undefined

  constructor(parts: FullCopyParts, position: HistoryPosition | undefined) {
    const { keyspace } = parts.host
    this.#parts = parts
    this.position = position
    const { serial, usage } = keyspace
    this.transfer = new PayloadTransfer(keyspace.newTables(), serial, usage)
  }

  /** Monotonic. When something has to be done although nothing arrives. */
  get untilMs(): number | undefined {
    return this.#untilMs
  }

  get isReady(): boolean {
    if (this.#untilMs === undefined) return false
    return !this.#parts.keeper.isBusy || this.#parts.host.now.monoMs >= this.#untilMs
  }

  /** Gives the reason why nothing will come of it; undefined: all is well. */
  push(bytes: string): string | undefined {
    if (this.#contents !== undefined) {
      this.#rest.push(bytes)
      return undefined
    }
    const progress = this.transfer.push(bytes)
    if (progress.kind === 'failed') return progress.reason
    if (progress.kind === 'more') return undefined
    this.#contents = progress.contents
    this.#rest.push(progress.rest)
    this.#untilMs = this.#parts.host.now.monoMs + KEEPING_TIMEOUT_MS
    return undefined
  }

  /** The old dataset was served until now; from here on we are where the master was. Gives what followed. */
  adopt(): readonly string[] {
    const { host, history, keeper } = this.#parts
    const contents = this.#contents
    if (contents === undefined) return []
    if (keeper.isBusy)
      this.#parts.log('warning', 'what it replaces is not on disk after all this time')
    this.#parts.historyReplaced()
    host.keyspace.replaceAll(contents.dbs, contents.expires)
    this.#takeFunctions(contents)
    host.streamTarget.reset()
    host.streamTarget.db = this.#streamDb(contents)
    if (this.position === undefined) history.beginAt(0)
    else history.adopt(this.position.id, this.position.offset)
    return this.#rest
  }

  #takeFunctions({ functions, notices }: RdbContents): void {
    const { host, log } = this.#parts
    for (const notice of notices) log('warning', notice)
    host.functions.clear()
    for (const source of functions) {
      const parsed = host.functions.add(source)
      if (!parsed.ok) log('warning', `a function library was left out: ${parsed.error}`)
    }
  }

  #streamDb(contents: RdbContents): number {
    const db = parseInt64(contents.aux.get('repl-stream-db') ?? '0')
    return typeof db === 'number' && contents.dbs[db] !== undefined ? db : 0
  }
}
