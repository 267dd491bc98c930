/**
 * One snapshot and the replicas it is for. Those that can read a payload of unknown length get it as it is
 * made, closed by a random mark; for the others, and for all without [repl-diskless-sync], it is spooled.
 *
 * A replica that comes while it runs can still have it: what the snapshot stands for is a moment, and the
 * stream since then is kept for the others anyway. All it needs is the payload from its beginning, which is
 * there as long as it is spooled, or as little of it is made as is kept for this.
 */
import type { Rng } from '../../../base/rng.ts'
import { Snapshot } from '../../rdb/snapshot.ts'
import type { History } from '../history/history.ts'
import type { ReplicationHost } from '../host.ts'
import { encodePayloadHeader, MARK_LENGTH } from '../payload-header.ts'
import type { ReplicaPeer } from './replica-peer.ts'
import type { Replicas } from './replicas.ts'
import type { Spool } from './spool.ts'
import { hasRoom } from './spool-delivery.ts'

/** What one wake-up writes: well under a millisecond of work. */
const SLICE_BYTES = 32 * 1024
/** So much of the beginning is kept for replicas that come a little later. */
const HEAD_BYTES = 2 * 1024 * 1024

export interface TransferParts {
  readonly host: ReplicationHost
  readonly history: History
  readonly replicas: Replicas
  newSpool(): Spool
}

export class Transfer {
  readonly #parts: TransferParts
  readonly #snapshot: Snapshot
  readonly #mark: string
  /** The position it stands for. */
  readonly #historyId: string
  readonly #offset: number
  readonly #marked = new Set<ReplicaPeer>()
  readonly #counted = new Set<ReplicaPeer>()
  #spool: Spool | undefined
  /** Everything so far; undefined: it is more than is kept. */
  #head: string[] | undefined = []
  #headBytes = 0

  /** Fixes the moment. */
  constructor(
    parts: TransferParts,
    rng: Rng,
    aux: readonly (readonly [string, string])[],
    peers: Iterable<ReplicaPeer>,
  ) {
    const { host, history } = parts
    this.#parts = parts
    this.#mark = rng.hex(MARK_LENGTH)
    this.#historyId = history.id
    this.#offset = history.offset
    const options = {
      functions: host.functions.all(),
      compresses: host.settings.flag('rdbcompression'),
    }
    this.#snapshot = new Snapshot(host.keyspace, aux, (bytes) => this.#write(bytes), options)
    for (const peer of peers) this.join(peer)
  }

  /** Nobody wants it any more. */
  get isDeserted(): boolean {
    return this.#marked.size + this.#counted.size === 0
  }

  /** The snapshot is complete, and where it was spooled it can be delivered. */
  get isOver(): boolean {
    if (!this.#snapshot.isOver) return false
    return this.#counted.size === 0 || this.#spool?.isReadable === true
  }

  /** Those who have been sent nothing yet, and wait. */
  get counted(): ReadonlySet<ReplicaPeer> {
    return this.#counted
  }

  get spool(): Spool | undefined {
    return this.#spool
  }

  /** False: it is too late. */
  join(peer: ReplicaPeer): boolean {
    if (this.#snapshot.isOver || this.#parts.history.id !== this.#historyId) return false
    const isMarked = peer.canEof && this.#parts.host.settings.flag('repl-diskless-sync')
    if (isMarked && this.#head !== undefined) this.#joinMarked(peer, this.#head)
    else if (this.#hasSpool()) this.#joinCounted(peer)
    else return false
    return true
  }

  forget(peer: ReplicaPeer): boolean {
    return this.#marked.delete(peer) || this.#counted.delete(peer)
  }

  /** False: somebody or something has to catch up first. */
  advance(): boolean {
    if (this.#snapshot.isOver || this.#isClogged()) return false
    this.#snapshot.advance(SLICE_BYTES)
    if (this.#snapshot.isOver) this.#complete()
    return true
  }

  stop(): void {
    this.#snapshot.stop()
    this.#spool?.remove()
  }

  /** The disk does not take it, and nobody needs it there any more. */
  abandonSpool(): void {
    this.#spool?.remove()
    this.#spool = undefined
    this.#head = undefined
  }

  /** Those who got it as it was made have all of it. */
  #complete(): void {
    const { host, replicas } = this.#parts
    this.#spool?.complete()
    const marked = [...this.#marked]
    this.#marked.clear()
    for (const peer of marked) {
      host.port.write(peer.connection.id, this.#mark)
      peer.phase = 'loading'
      peer.ackAtMs = host.now.monoMs
      if (peer.rdbOnly) replicas.drop(peer, 'it wanted the snapshot only')
    }
  }

  /** From here on everything made is spooled, and what was made before as well. */
  #hasSpool(): boolean {
    if (this.#spool !== undefined) return true
    if (this.#head === undefined) return false
    this.#spool = this.#parts.newSpool()
    for (const bytes of this.#head) this.#spool.push(bytes)
    return true
  }

  #joinMarked(peer: ReplicaPeer, head: readonly string[]): void {
    const { port } = this.#parts.host
    this.#announce(peer)
    port.write(peer.connection.id, encodePayloadHeader({ kind: 'mark', mark: this.#mark }))
    for (const bytes of head) port.write(peer.connection.id, bytes)
    this.#marked.add(peer)
  }

  #joinCounted(peer: ReplicaPeer): void {
    this.#announce(peer)
    this.#counted.add(peer)
  }

  #announce(peer: ReplicaPeer): void {
    const { port, now } = this.#parts.host
    peer.phase = 'copying'
    peer.heldFromOffset = this.#offset
    peer.drainedAtMs = now.monoMs
    const position = `${this.#historyId} ${this.#offset}`
    if (!peer.preSync) port.write(peer.connection.id, `+FULLRESYNC ${position}\r\n`)
  }

  #write(bytes: string): void {
    for (const peer of this.#marked) this.#parts.host.port.write(peer.connection.id, bytes)
    this.#spool?.push(bytes)
    if (this.#head === undefined) return
    this.#head.push(bytes)
    this.#headBytes += bytes.length
    if (this.#headBytes > HEAD_BYTES) this.#head = undefined
  }

  #isClogged(): boolean {
    const { host, replicas } = this.#parts
    let isClogged = this.#spool?.isBehind === true
    for (const peer of [...this.#marked]) {
      if (!hasRoom(host, replicas, peer)) isClogged = true
    }
    return isClogged || this.isDeserted
  }
}
