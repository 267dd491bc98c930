/**
 * The replicas attached to this node: who gets the stream now, who is held back behind a snapshot, who
 * has acknowledged what, and who has to go because it is silent or too slow.
 */

import type { ConnectionId } from '../../port.ts'
import { ageSeconds } from '../../seconds.ts'
import type { OutputLimit } from '../../sessions/output-limits.ts'
import { isTooSlow } from '../../sessions/slowness.ts'
import type { History } from '../history/history.ts'
import type { ReplicationHost } from '../host.ts'
import { peerHost, type ReplicaPeer } from './replica-peer.ts'

/** Output limits are looked at once for so many bytes of stream, and every second. */
const LIMIT_CHECK_BYTES = 64 * 1024

export class Replicas {
  readonly #host: ReplicationHost
  readonly #history: History
  /** In the order they attached. */
  readonly #peers = new Map<ConnectionId, ReplicaPeer>()
  /** Told about every replica that goes. */
  onGone: (peer: ReplicaPeer) => void = () => undefined
  #uncheckedBytes = 0
  #goodCount = 0
  /** Monotonic. Since when there has been no replica. */
  #emptySinceMs = 0

  constructor(host: ReplicationHost, history: History) {
    this.#host = host
    this.#history = history
  }

  get count(): number {
    return this.#peers.size
  }

  /** Replicas whose acknowledgements are fresh; counted once a second and when one comes or goes. */
  get goodCount(): number {
    return this.#goodCount
  }

  get emptySinceMs(): number {
    return this.#emptySinceMs
  }

  all(): Iterable<ReplicaPeer> {
    return this.#peers.values()
  }

  attach(peer: ReplicaPeer): void {
    peer.ackAtMs = this.#host.now.monoMs
    this.#peers.set(peer.connection.id, peer)
  }

  detach(peer: ReplicaPeer): void {
    if (!this.#peers.delete(peer.connection.id)) return
    this.onGone(peer)
    // What was kept for it alone is kept for nobody.
    this.#history.backlog?.trim(this.neededFromOffset())
    if (this.#peers.size === 0) this.restartEmptyTimer()
    this.recountGood()
  }

  restartEmptyTimer(): void {
    this.#emptySinceMs = this.#host.now.monoMs
  }

  drop(peer: ReplicaPeer, reason: string): void {
    const address = `${peerHost(peer)}:${peer.listeningPort}`
    this.#host.port.log('warning', `replica ${address} is disconnected: ${reason}`)
    this.detach(peer)
    this.#host.closeSession(peer.connection.id)
  }

  dropAll(reason: string): void {
    for (const peer of [...this.#peers.values()]) this.drop(peer, reason)
  }

  /** Hands new bytes of the history to everybody who is not held back. */
  pass(bytes: string): void {
    for (const peer of this.#peers.values()) {
      if (peer.phase === 'online') this.#host.port.write(peer.connection.id, bytes)
    }
    this.#uncheckedBytes += bytes.length
    if (this.#uncheckedBytes >= LIMIT_CHECK_BYTES) this.#dropSlow()
  }

  /** Lets the stream through to a peer, first of all what it has missed since `fromOffset`. */
  bringOnline(peer: ReplicaPeer, fromOffset: number): void {
    peer.phase = 'online'
    peer.ackAtMs = this.#host.now.monoMs
    for (const bytes of this.#history.backlog?.readFrom(fromOffset) ?? []) {
      this.#host.port.write(peer.connection.id, bytes)
    }
    this.recountGood()
  }

  /** The oldest byte somebody still has to be given. */
  neededFromOffset(): number {
    let needed = this.#history.offset + 1
    for (const peer of this.#peers.values()) {
      if (isHeld(peer)) needed = Math.min(needed, peer.heldFromOffset + 1)
    }
    return needed
  }

  /** How many replicas have acknowledged everything up to `offset`. */
  countAcknowledged(offset: number): number {
    let count = 0
    for (const peer of this.#peers.values()) {
      if (peer.phase === 'online' && peer.ackOffset >= offset) count++
    }
    return count
  }

  /** How many have everything up to `offset` on their disks, as far as they say. */
  countOnDisk(offset: number): number {
    let count = 0
    for (const peer of this.#peers.values()) {
      if (peer.phase === 'online' && peer.fsyncedOffset >= offset) count++
    }
    return count
  }

  recountGood(): void {
    const maxLagSeconds = this.#host.settings.int('min-replicas-max-lag')
    let count = 0
    for (const peer of this.#peers.values()) {
      // Redis counts a replica that is still loading its snapshot. It could not save a single write.
      if (peer.phase === 'online' && this.lagSeconds(peer) <= maxLagSeconds) count++
    }
    this.#goodCount = count
  }

  lagSeconds(peer: ReplicaPeer): number {
    return ageSeconds(this.#host.now.monoMs, peer.ackAtMs)
  }

  everySecond(): void {
    this.#dropSilent()
    this.#dropSlow()
    this.recountGood()
  }

  #dropSilent(): void {
    const timeoutSeconds = this.#host.settings.int('repl-timeout')
    for (const peer of [...this.#peers.values()]) {
      if (this.#silenceSeconds(peer) > timeoutSeconds) this.drop(peer, 'it is silent')
    }
  }

  /** A replica that loads its snapshot says with newlines that it is alive, later only with ACKs. */
  #silenceSeconds(peer: ReplicaPeer): number {
    const { monoMs } = this.#host.now
    if (peer.preSync) return 0
    if (peer.phase === 'online') return this.lagSeconds(peer)
    return peer.phase === 'loading' ? ageSeconds(monoMs, peer.connection.lastInputAtMs) : 0
  }

  #dropSlow(): void {
    this.#uncheckedBytes = 0
    const { settings, now } = this.#host
    const limit = effectiveLimit(settings.outputLimit('replica'), this.#history.backlogSizeBytes)
    for (const peer of [...this.#peers.values()]) {
      const bytes = this.#outputBytes(peer)
      if (isTooSlow(peer, bytes, limit, now.monoMs)) {
        this.drop(peer, `${bytes} bytes of output wait for it`)
      }
    }
  }

  /** What we keep for a peer: in the queue of its connection, and in the backlog. */
  #outputBytes(peer: ReplicaPeer): number {
    const queued = this.#host.port.queuedBytes(peer.connection.id)
    return isHeld(peer) ? queued + this.#history.offset - peer.heldFromOffset : queued
  }
}

/** A hard limit below the backlog's size would drop replicas which the backlog could still serve. */
function effectiveLimit(limit: OutputLimit, backlogSizeBytes: number): OutputLimit {
  if (limit.hardBytes === 0) return limit
  return { ...limit, hardBytes: Math.max(limit.hardBytes, backlogSizeBytes) }
}

function isHeld(peer: ReplicaPeer): boolean {
  return peer.phase === 'copying' || peer.phase === 'loading'
}
