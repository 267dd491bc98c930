/** Sends a spooled payload to one replica, as fast as it takes it, and then lets the stream through to it. */
import { ageSeconds } from '../../seconds.ts'
import type { ReplicationHost } from '../host.ts'
import { encodePayloadHeader } from '../payload-header.ts'
import type { ReplicaPeer } from './replica-peer.ts'
import type { Replicas } from './replicas.ts'
import type { Spool } from './spool.ts'

/** Above this we let a connection drain first. */
export const MAX_QUEUED_BYTES = 1024 * 1024

export class SpoolDelivery {
  readonly peer: ReplicaPeer
  readonly spool: Spool
  readonly #host: ReplicationHost
  readonly #replicas: Replicas
  #sentBytes = 0
  #isReading = false
  #isOver = false

  constructor(host: ReplicationHost, replicas: Replicas, peer: ReplicaPeer, spool: Spool) {
    this.#host = host
    this.#replicas = replicas
    this.peer = peer
    this.spool = spool
    peer.drainedAtMs = host.now.monoMs
    const totalBytes = spool.totalBytes
    host.port.write(peer.connection.id, encodePayloadHeader({ kind: 'length', totalBytes }))
  }

  /** The replica has it, or is gone. */
  get isOver(): boolean {
    return this.#isOver
  }

  stop(): void {
    this.#isOver = true
  }

  /** Sends what there is room for. */
  advance(): void {
    if (this.#isOver || this.#isReading || !hasRoom(this.#host, this.#replicas, this.peer)) return
    this.#isReading = true
    this.spool.read(this.#sentBytes, (bytes) => this.#onRead(bytes))
  }

  #onRead(bytes: string | { readonly text: string }): void {
    this.#isReading = false
    if (this.#isOver) return
    if (typeof bytes !== 'string' || bytes === '') {
      const reason = typeof bytes === 'string' ? 'its file is cut short' : bytes.text
      return this.#replicas.drop(this.peer, `its snapshot cannot be read: ${reason}`)
    }
    this.#host.port.write(this.peer.connection.id, bytes)
    this.#sentBytes += bytes.length
    if (this.#sentBytes >= this.spool.totalBytes) this.#finish()
  }

  #finish(): void {
    this.#isOver = true
    if (this.peer.rdbOnly) this.#replicas.drop(this.peer, 'it wanted the snapshot only')
    else this.#replicas.bringOnline(this.peer, this.peer.heldFromOffset + 1)
  }
}

/** Whether a replica takes what is sent. One that has taken nothing for repl-timeout is dropped. */
export function hasRoom(host: ReplicationHost, replicas: Replicas, peer: ReplicaPeer): boolean {
  const { monoMs } = host.now
  if (host.port.queuedBytes(peer.connection.id) < MAX_QUEUED_BYTES) {
    peer.drainedAtMs = monoMs
    return true
  }
  const isStuck = ageSeconds(monoMs, peer.drainedAtMs) > host.settings.int('repl-timeout')
  if (isStuck) replicas.drop(peer, 'it does not take the snapshot')
  return false
}
