/**
 * Full resynchronisation: gives replicas a snapshot of the dataset and then the stream from the moment
 * the snapshot stands for.
 *
 * One snapshot runs at a time. It serves everybody who waits when it begins, and who comes soon enough
 * after (see transfer.ts); others wait for the next. It is written slice by slice, as fast as the slowest
 * connection takes it. What had to be spooled is delivered when the snapshot is over, to each replica at
 * its own pace, while the next snapshot may run.
 */
import type { Rng } from '../../../base/rng.ts'
import { earliest } from '../../earliest.ts'
import type { Jobs } from '../../persistence/jobs.ts'
import { REDIS_VERSION } from '../../version.ts'
import type { History } from '../history/history.ts'
import type { Stream } from '../history/stream.ts'
import type { ReplicationHost } from '../host.ts'
import { sendFiltered } from './filtered-payload.ts'
import type { ReplicaPeer } from './replica-peer.ts'
import type { Replicas } from './replicas.ts'
import { removeOldSpools, Spool, spoolPath } from './spool.ts'
import { SpoolDelivery } from './spool-delivery.ts'
import { Transfer, type TransferParts } from './transfer.ts'

const DRAIN_POLL_MS = 5

export interface FullSyncParts {
  readonly host: ReplicationHost
  readonly history: History
  readonly replicas: Replicas
  readonly stream: Stream
  readonly files: Jobs
  /** The database that commands of the stream are for if they do not select one. */
  readonly streamDb: () => number
}

export class FullSync {
  readonly #parts: FullSyncParts
  readonly #transferParts: TransferParts
  readonly #rng: Rng
  /** In the order they came. */
  readonly #waiting = new Set<ReplicaPeer>()
  #startAtMs = 0
  #transfer: Transfer | undefined
  #deliveries: SpoolDelivery[] = []
  #continueAtMs = 0
  /** Names of all there have been. */
  readonly #spools = new Set<string>()

  constructor(parts: FullSyncParts) {
    const { host, history, replicas } = parts
    this.#parts = parts
    this.#rng = host.rng.fork('payload-mark')
    this.#transferParts = { host, history, replicas, newSpool: () => this.#newSpool() }
  }

  request(peer: ReplicaPeer): void {
    if (peer.wants !== 'all') return sendFiltered(this.#parts, this.#rng, this.#aux(), peer)
    if (this.#transfer?.join(peer) === true) return
    const { settings, now } = this.#parts.host
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
    const nowMs = this.#parts.host.now.monoMs
    if (this.#isDue(nowMs) && this.#parts.host.snapshotTurn.take('transfer')) this.#begin()
    if (nowMs < this.#continueAtMs) return
    if (this.#transfer !== undefined) this.#advance(this.#transfer)
    for (const delivery of [...this.#deliveries]) delivery.advance()
    this.#clearDeliveries()
    if (this.#deliveries.length > 0) this.#continueAtMs = nowMs + DRAIN_POLL_MS
  }

  nextWakeUpMs(): number | undefined {
    const isBusy = this.#transfer !== undefined || this.#deliveries.length > 0
    const mayBegin = this.#waiting.size > 0 && this.#parts.host.snapshotTurn.isFree
    return earliest(
      isBusy ? this.#continueAtMs : undefined,
      mayBegin && this.#transfer === undefined ? this.#startAtMs : undefined,
    )
  }

  /** A newline says that we are alive; it is legal only while no byte of the payload is out. */
  everySecond(): void {
    const { port } = this.#parts.host
    for (const peer of [...this.#waiting, ...(this.#transfer?.counted ?? [])]) {
      port.write(peer.connection.id, '\n')
    }
  }

  #isDue(nowMs: number): boolean {
    return this.#transfer === undefined && this.#waiting.size > 0 && nowMs >= this.#startAtMs
  }

  #begin(): void {
    const peers = [...this.#waiting]
    this.#waiting.clear()
    // The newcomers do not know which database the stream has selected.
    this.#parts.stream.forgetDb()
    this.#transfer = new Transfer(this.#transferParts, this.#rng, this.#aux(), peers)
    this.#continueAtMs = this.#parts.host.now.monoMs
  }

  #aux(): [string, string][] {
    const { history, streamDb } = this.#parts
    return [
      ['redis-ver', REDIS_VERSION],
      ['redis-bits', '64'],
      ['repl-stream-db', String(streamDb())],
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
    else if (!hasAdvanced) this.#continueAtMs = this.#parts.host.now.monoMs + DRAIN_POLL_MS
  }

  #abandonCounted(transfer: Transfer, reason: string): void {
    for (const peer of [...transfer.counted]) {
      this.#parts.replicas.drop(peer, `its snapshot cannot be written: ${reason}`)
    }
    if (this.#transfer !== transfer) return
    transfer.abandonSpool()
  }

  #finish(transfer: Transfer): void {
    const { host, replicas } = this.#parts
    const { spool, counted } = transfer
    this.#endTransfer()
    if (spool === undefined) return
    if (counted.size === 0) return spool.remove()
    for (const peer of counted) {
      this.#deliveries.push(new SpoolDelivery(host, replicas, peer, spool))
    }
  }

  #endTransfer(): void {
    this.#transfer = undefined
    this.#parts.host.snapshotTurn.release('transfer')
  }

  /** A file goes when nobody reads it any more. */
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
    const { files, host } = this.#parts
    if (this.#spools.size === 0) {
      files.start(
        removeOldSpools((path) => this.#spools.has(path)),
        () => undefined,
      )
    }
    const path = spoolPath(host.now.wallMs, this.#spools.size)
    this.#spools.add(path)
    return new Spool(files, path)
  }
}
