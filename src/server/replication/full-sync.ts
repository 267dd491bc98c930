/**
 * Full resynchronisation: gives replicas a snapshot of the dataset and then the stream from the moment
 * the snapshot stands for.
 *
 * One snapshot runs at a time and serves everybody who waits when it begins; who comes later waits for
 * the next. It is written slice by slice, as fast as the slowest connection takes it. A replica that
 * can read a payload of unknown length gets it as it is made, closed by a random mark; for any other
 * it has to be collected first, because the length stands before it.
 */
import type { Rng } from '../../base/rng.ts'
import { Snapshot } from '../rdb/snapshot.ts'
import { ageSeconds } from '../seconds.ts'
import { REDIS_VERSION } from '../version.ts'
import type { History } from './history.ts'
import type { ReplicationHost } from './host.ts'
import { encodePayloadHeader, MARK_LENGTH } from './payload-header.ts'
import type { ReplicaPeer } from './replica-peer.ts'
import type { Replicas } from './replicas.ts'
import type { Stream } from './stream.ts'

/** What one wake-up writes: well under a millisecond of work. */
const SLICE_BYTES = 128 * 1024
/** Above this we let the connection drain first. */
const MAX_QUEUED_BYTES = 1024 * 1024
const DRAIN_POLL_MS = 5

interface Transfer {
  readonly snapshot: Snapshot
  readonly mark: string
  readonly peers: Set<ReplicaPeer>
  /** The payload for those who need its length first. */
  readonly collected: string[]
}

export class FullSync {
  readonly #host: ReplicationHost
  readonly #rng: Rng
  readonly #history: History
  readonly #replicas: Replicas
  readonly #stream: Stream
  readonly #streamDb: () => number
  /** In the order they came. */
  readonly #waiting = new Set<ReplicaPeer>()
  #startAtMs = 0
  #transfer: Transfer | undefined
  #continueAtMs = 0

  /** `streamDb`: the database that commands of the stream are for if they do not select one. */
  constructor(
    host: ReplicationHost,
    history: History,
    replicas: Replicas,
    stream: Stream,
    streamDb: () => number,
  ) {
    this.#host = host
    this.#rng = host.rng.fork('payload-mark')
    this.#history = history
    this.#replicas = replicas
    this.#stream = stream
    this.#streamDb = streamDb
  }

  request(peer: ReplicaPeer): void {
    const { settings, now } = this.#host
    const delayMs = 1000 * settings.int('repl-diskless-sync-delay')
    if (this.#waiting.size === 0) this.#startAtMs = now.monoMs + delayMs
    peer.phase = 'waiting'
    this.#waiting.add(peer)
    const enough = settings.int('repl-diskless-sync-max-replicas')
    if (enough > 0 && this.#waiting.size >= enough) this.#startAtMs = now.monoMs
  }

  forget(peer: ReplicaPeer): void {
    this.#waiting.delete(peer)
    const transfer = this.#transfer
    if (transfer?.peers.delete(peer) !== true || transfer.peers.size > 0) return
    transfer.snapshot.stop()
    this.#end()
  }

  wake(): void {
    const nowMs = this.#host.now.monoMs
    if (this.#isDue(nowMs) && this.#host.snapshotTurn.take('transfer')) {
      this.#transfer = this.#begin()
    }
    if (this.#transfer !== undefined && nowMs >= this.#continueAtMs) this.#advance(this.#transfer)
  }

  nextWakeUpMs(): number | undefined {
    if (this.#transfer !== undefined) return this.#continueAtMs
    if (!this.#host.snapshotTurn.isFree) return undefined
    return this.#waiting.size > 0 ? this.#startAtMs : undefined
  }

  /** A newline says that we are alive; it is legal only while no byte of the payload is out. */
  everySecond(): void {
    const collecting = [...(this.#transfer?.peers ?? [])].filter((peer) => !peer.canEof)
    for (const peer of [...this.#waiting, ...collecting])
      this.#host.port.write(peer.connection.id, '\n')
  }

  #isDue(nowMs: number): boolean {
    return this.#transfer === undefined && this.#waiting.size > 0 && nowMs >= this.#startAtMs
  }

  #end(): void {
    this.#transfer = undefined
    this.#host.snapshotTurn.release('transfer')
  }

  #begin(): Transfer {
    const peers = new Set(this.#waiting)
    this.#waiting.clear()
    const mark = this.#rng.hex(MARK_LENGTH)
    // The newcomers do not know which database the stream has selected.
    this.#stream.forgetDb()
    for (const peer of peers) this.#announce(peer, mark)
    const collected: string[] = []
    const sink = (bytes: string) => this.#write(bytes)
    const snapshot = new Snapshot(this.#host.keyspace, this.#aux(), sink)
    this.#continueAtMs = this.#host.now.monoMs
    return { snapshot, mark, peers, collected }
  }

  #announce(peer: ReplicaPeer, mark: string): void {
    const { port, now } = this.#host
    peer.phase = 'copying'
    peer.heldFromOffset = this.#history.offset
    peer.drainedAtMs = now.monoMs
    const position = `${this.#history.id} ${this.#history.offset}`
    if (!peer.preSync) port.write(peer.connection.id, `+FULLRESYNC ${position}\r\n`)
    if (peer.canEof) port.write(peer.connection.id, encodePayloadHeader({ kind: 'mark', mark }))
  }

  #aux(): [string, string][] {
    return [
      ['redis-ver', REDIS_VERSION],
      ['redis-bits', '64'],
      ['repl-stream-db', String(this.#streamDb())],
      ['repl-id', this.#history.id],
      ['repl-offset', String(this.#history.offset)],
    ]
  }

  #write(bytes: string): void {
    const transfer = this.#transfer
    if (transfer === undefined) return
    let mustCollect = false
    for (const peer of transfer.peers) {
      if (peer.canEof) this.#host.port.write(peer.connection.id, bytes)
      else mustCollect = true
    }
    if (mustCollect) transfer.collected.push(bytes)
  }

  #advance(transfer: Transfer): void {
    if (this.#isClogged(transfer)) {
      this.#continueAtMs = this.#host.now.monoMs + DRAIN_POLL_MS
      return
    }
    transfer.snapshot.advance(SLICE_BYTES)
    if (transfer.snapshot.isOver) this.#finish(transfer)
  }

  /** Waits for the slowest peer, and drops one that has taken nothing for too long. */
  #isClogged(transfer: Transfer): boolean {
    const nowMs = this.#host.now.monoMs
    const timeoutSeconds = this.#host.settings.int('repl-timeout')
    let isClogged = false
    for (const peer of [...transfer.peers]) {
      if (!peer.canEof) continue
      if (this.#host.port.queuedBytes(peer.connection.id) < MAX_QUEUED_BYTES)
        peer.drainedAtMs = nowMs
      else if (ageSeconds(nowMs, peer.drainedAtMs) <= timeoutSeconds) isClogged = true
      else this.#replicas.drop(peer, 'it does not take the snapshot')
    }
    return isClogged || transfer.peers.size === 0
  }

  #finish(transfer: Transfer): void {
    this.#end()
    for (const peer of transfer.peers) {
      if (peer.canEof) this.#finishMarked(peer, transfer.mark)
      else this.#finishCollected(peer, transfer.collected)
    }
  }

  #finishMarked(peer: ReplicaPeer, mark: string): void {
    this.#host.port.write(peer.connection.id, mark)
    peer.phase = 'loading'
    peer.ackAtMs = this.#host.now.monoMs
    if (peer.rdbOnly) this.#replicas.drop(peer, 'it wanted the snapshot only')
  }

  #finishCollected(peer: ReplicaPeer, payload: readonly string[]): void {
    const { port } = this.#host
    const totalBytes = payload.reduce((sum, bytes) => sum + bytes.length, 0)
    port.write(peer.connection.id, encodePayloadHeader({ kind: 'length', totalBytes }))
    for (const bytes of payload) port.write(peer.connection.id, bytes)
    if (peer.rdbOnly) this.#replicas.drop(peer, 'it wanted the snapshot only')
    else this.#replicas.bringOnline(peer, peer.heldFromOffset + 1)
  }
}
