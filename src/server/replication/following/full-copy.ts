/**
 * A full copy on its way to us, and the moment it replaces our own data: not before all of it has
 * arrived and is sound, and not before the ledger of what it replaces is on disk, or has used up
 * its time.
 */
import { parseInt64 } from '../../../base/decimal.ts'
import type { LedgerKeeper } from '../../ledger/ledger-keeper.ts'
import type { NodeLogLevel } from '../../port.ts'
import type { RdbContents } from '../../rdb/rdb-reader.ts'
import { noteOfMaster, type ReplicationState } from '../state.ts'
import type { HistoryPosition } from './handshake.ts'
import { PayloadTransfer } from './payload-transfer.ts'

/**
 * How long a finished copy waits for the ledger. If it waited longer, the node would fall out of
 * step.
 */
const KEEPING_TIMEOUT_MS = 5000

type Log = (level: NodeLogLevel, text: string) => void

export class FullCopy {
  /** The position that the copy stands for; undefined: the master does not say. */
  readonly position: HistoryPosition | undefined
  readonly transfer: PayloadTransfer
  readonly #state: ReplicationState
  readonly #keeper: LedgerKeeper
  readonly #log: Log
  #contents: RdbContents | undefined
  /** The bytes of the stream that followed the copy. */
  #rest: string[] = []
  /**
   * Monotonic. When the copy waits for the ledger no longer; undefined: the copy is not complete.
   */
  #untilMs: number | undefined

  constructor(
    state: ReplicationState,
    keeper: LedgerKeeper,
    log: Log,
    position: HistoryPosition | undefined,
  ) {
    const { keyspace } = state.node
    this.#state = state
    this.#keeper = keeper
    this.#log = log
    this.position = position
    const { serial, usage } = keyspace
    this.transfer = new PayloadTransfer(keyspace.newTables(), serial, usage)
    const place = position === undefined ? 'no place' : `${position.id}:${position.offset}`
    noteOfMaster(state, (from) => ({ kind: 'copyBegun', from, place }))
    log('notice', `full resynchronisation to ${place}`)
  }

  /** Monotonic. When to look at the copy again even if nothing arrives. */
  get untilMs(): number | undefined {
    return this.#untilMs
  }

  get isReady(): boolean {
    if (this.#untilMs === undefined) return false
    return !this.#keeper.isBusy || this.#state.node.now.monoMs >= this.#untilMs
  }

  /** Returns the reason why the copy has failed; undefined: it goes on. */
  push(bytes: string): string | undefined {
    const full = this.#state.node.heap.fullness()
    if (full !== undefined) return `its copy does not fit beside the data there are: ${full}`
    if (this.#contents !== undefined) {
      this.#rest.push(bytes)
      return undefined
    }
    const progress = this.transfer.push(bytes)
    if (progress.kind === 'failed') return progress.reason
    if (progress.kind === 'more') return undefined
    this.#contents = progress.contents
    this.#rest.push(progress.rest)
    this.#untilMs = this.#state.node.now.monoMs + KEEPING_TIMEOUT_MS
    return undefined
  }

  /**
   * Replaces the dataset, which was served until now. Returns the bytes of the stream that followed
   * the copy.
   */
  adopt(): readonly string[] {
    const { node, history, replicas } = this.#state
    const contents = this.#contents
    if (contents === undefined) return []
    if (this.#keeper.isBusy)
      this.#log('warning', 'what it replaces is not on disk after all this time')
    replicas.historyReplaced()
    node.keyspace.replaceAll(contents.dbs, contents.expires)
    node.stats.unappliedCommands = 0
    this.#takeFunctions(contents)
    node.streamTarget.reset()
    node.streamTarget.db = this.#streamDb(contents)
    if (this.position === undefined) history.beginAt(0)
    else history.adopt(this.position.id, this.position.offset)
    return this.#rest
  }

  #takeFunctions({ functions, notices }: RdbContents): void {
    const { functions: store } = this.#state.node
    for (const notice of notices) this.#log('warning', notice)
    store.clear()
    for (const source of functions) {
      const parsed = store.add(source)
      if (!parsed.ok) this.#log('warning', `a function library was left out: ${parsed.error}`)
    }
  }

  #streamDb(contents: RdbContents): number {
    const db = parseInt64(contents.aux.get('repl-stream-db') ?? '0')
    return typeof db === 'number' && contents.dbs[db] !== undefined ? db : 0
  }
}
