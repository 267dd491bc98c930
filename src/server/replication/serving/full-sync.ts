/**
 * Full resynchronisation: gives replicas a snapshot of the dataset and then the stream from the
 * moment the snapshot stands for.
 *
 * One snapshot runs at a time. It serves all replicas that wait when it begins, and those that come
 * soon enough after (see transfer.ts); others wait for the next, and so do those that read another
 * form of RDB. It is written slice by slice, as fast as the slowest connection takes it. A spooled
 * payload is delivered when the snapshot is over, to each replica at its own pace, while the next
 * snapshot may run.
 */
import type { Rng } from '../../../base/rng.ts'
import { earliest } from '../../earliest.ts'
import type { Jobs } from '../../persistence/jobs.ts'
import { crc64 } from '../../rdb/crc64.ts'
import { RDB_END, rdbFunction, rdbHeader } from '../../rdb/rdb-writer.ts'
import { REDIS_VERSION } from '../../version.ts'
import { encodePayloadHeader, MARK_LENGTH } from '../payload-header.ts'
import { isReplica, type ReplicationState } from '../state.ts'
import type { ReplicaPeer } from './replica-peer.ts'
import { Spool, SpoolDelivery, spoolPath } from './spool.ts'
import { readersLike, reads, Transfer } from './transfer.ts'

const DRAIN_POLL_MS = 5

export class FullSync {
  readonly #state: ReplicationState
  readonly #files: Jobs
  readonly #rng: Rng
  /** In the order the replicas came. */
  readonly #waiting = new Set<ReplicaPeer>()
  #startAtMs = 0
  #transfer: Transfer | undefined
  #begunAtMs = 0
  #deliveries: SpoolDelivery[] = []
  #continueAtMs = 0
  /** How many spools there have been. */
  #spools = 0

  constructor(state: ReplicationState, files: Jobs) {
    this.#state = state
    this.#files = files
    this.#rng = state.node.rootRng.fork('payload-mark')
  }

  request(peer: ReplicaPeer): void {
    if (peer.wants !== 'all') return this.#sendFiltered(peer)
    if (this.#transfer?.join(peer) === true) return
    const { settings, now } = this.#state.node
    const delayMs = 1000 * settings.int('repl-diskless-sync-delay')
    if (this.#waiting.size === 0) this.#startAtMs = now.monoMs + delayMs
    peer.phase = 'waiting'
    this.#waiting.add(peer)
    const enough = settings.int('repl-diskless-sync-max-replicas')
    if (enough > 0 && this.#waiting.size >= enough) this.#startAtMs = now.monoMs
  }

  forget(peer: ReplicaPeer): void {
    this.#waiting.delete(peer)
    for (const delivery of this.#deliveries) if (delivery.peer === peer) delivery.stop()
    this.#clearDeliveries()
    const transfer = this.#transfer
    if (transfer?.forget(peer) !== true || !transfer.isDeserted) return
    transfer.stop()
    this.#endTransfer()
  }

  wake(): void {
    const nowMs = this.#state.node.now.monoMs
    if (this.#isDue(nowMs) && this.#state.node.snapshotTurn.take('transfer')) this.#begin()
    if (nowMs < this.#continueAtMs) return
    if (this.#transfer !== undefined) this.#advance(this.#transfer)
    for (const delivery of [...this.#deliveries]) delivery.advance()
    this.#clearDeliveries()
    if (this.#deliveries.length > 0) this.#continueAtMs = nowMs + DRAIN_POLL_MS
  }

  nextWakeUpMs(): number | undefined {
    const isBusy = this.#transfer !== undefined || this.#deliveries.length > 0
    const mayBegin = this.#waiting.size > 0 && this.#state.node.snapshotTurn.isFree
    return earliest(
      isBusy ? this.#continueAtMs : undefined,
      mayBegin && this.#transfer === undefined ? this.#startAtMs : undefined,
    )
  }

  /** A newline says that we are alive; it is legal only before the first byte of the payload. */
  everySecond(): void {
    const { replicas } = this.#state
    for (const peer of [...this.#waiting, ...(this.#transfer?.counted ?? [])]) {
      replicas.send(peer, '\n')
    }
  }

  #isDue(nowMs: number): boolean {
    return this.#transfer === undefined && this.#waiting.size > 0 && nowMs >= this.#startAtMs
  }

  #begin(): void {
    const [first] = this.#waiting
    if (first === undefined) return
    const readers = readersLike(first, this.#state.node.keyspace)
    const peers = [...this.#waiting].filter((peer) => reads(peer, readers))
    for (const peer of peers) this.#waiting.delete(peer)
    // The new replicas do not know which database the stream has selected.
    this.#state.stream.forgetDb()
    const newSpool = () => this.#newSpool()
    this.#transfer = new Transfer(this.#state, newSpool, this.#rng, this.#aux(), peers, readers)
    this.#begunAtMs = this.#state.node.now.monoMs
    this.#continueAtMs = this.#begunAtMs
  }

  /**
   * REPLCONF rdb-filter-only: a payload without any key, for tools that want the functions only, or
   * want to see that the connection works. It needs no snapshot. Only replicas that can read a
   * marked payload get it: others were refused before.
   */
  #sendFiltered(peer: ReplicaPeer): void {
    const { node, history, replicas, stream } = this.#state
    const mark = this.#rng.hex(MARK_LENGTH)
    const functions = peer.wants === 'functions' ? [...node.functions.all()].map(rdbFunction) : []
    const body = rdbHeader(this.#aux()) + functions.join('') + RDB_END
    const header = encodePayloadHeader({ kind: 'mark', mark })
    const line = peer.preSync ? '' : `+FULLRESYNC ${history.id} ${history.offset}\r\n`
    replicas.send(peer, line + header + body + crc64(body) + mark)
    peer.heldFromOffset = history.offset
    // If the replica stays, it does not know which database the stream has selected.
    stream.forgetDb()
    peer.phase = 'loading'
    if (peer.rdbOnly) replicas.drop(peer, 'it wanted the snapshot only')
  }

  #aux(): [string, string][] {
    const { history, node } = this.#state
    // The database for commands of the stream that come before the next SELECT.
    const streamDb = isReplica(this.#state) ? node.streamTarget.db : 0
    return [
      ['redis-ver', REDIS_VERSION],
      ['redis-bits', '64'],
      ['repl-stream-db', String(streamDb)],
      ['repl-id', history.id],
      ['repl-offset', String(history.offset)],
    ]
  }

  #advance(transfer: Transfer): void {
    const failure = transfer.spool?.failure
    if (failure !== undefined) return this.#abandonCounted(transfer, failure.text)
    const hasAdvanced = transfer.advance()
    if (this.#transfer !== transfer) return
    if (transfer.isOver) this.#finish(transfer)
    else if (!hasAdvanced) this.#continueAtMs = this.#state.node.now.monoMs + DRAIN_POLL_MS
  }

  #abandonCounted(transfer: Transfer, reason: string): void {
    for (const peer of [...transfer.counted]) {
      this.#state.replicas.drop(peer, `its snapshot cannot be written: ${reason}`)
    }
    if (this.#transfer !== transfer) return
    transfer.abandonSpool()
  }

  #finish(transfer: Transfer): void {
    const { node, replicas } = this.#state
    const { spool, counted } = transfer
    this.#endTransfer()
    if (spool === undefined) return
    if (counted.size === 0) return spool.remove()
    for (const peer of counted) {
      this.#deliveries.push(new SpoolDelivery(node, replicas, peer, spool))
    }
  }

  #endTransfer(): void {
    const { now, snapshotTurn } = this.#state.node
    this.#transfer = undefined
    snapshotTurn.lastBackgroundMs = now.monoMs - this.#begunAtMs
    snapshotTurn.release('transfer')
  }

  /** Removes a file when no delivery reads it any more. */
  #clearDeliveries(): void {
    const over = this.#deliveries.filter(({ isOver }) => isOver)
    if (over.length === 0) return
    this.#deliveries = this.#deliveries.filter(({ isOver }) => !isOver)
    const needed = new Set(this.#deliveries.map(({ spool }) => spool))
    for (const spool of new Set(over.map((delivery) => delivery.spool))) {
      if (!needed.has(spool)) spool.remove()
    }
  }

  #newSpool(): Spool {
    const { processId } = this.#state.node.port.processFacts()
    return new Spool(this.#files, spoolPath(processId, ++this.#spools))
  }
}
