/**
 * The replicas attached to this node: which of them get the stream now, which are held back behind
 * a snapshot, what each has acknowledged, and which have to go because they are silent or too slow.
 */

import type { NodeBase } from '../../node-base.ts'
import type { ConnectionId } from '../../port.ts'
import { ageSeconds } from '../../seconds.ts'
import type { OutputLimit } from '../../sessions/output-limits.ts'
import { isTooSlow } from '../../sessions/slowness.ts'
import type { History } from '../history/history.ts'
import { StreamTimes } from '../history/stream-times.ts'
import { peerAddress, peerHost, type ReplicaPeer } from './replica-peer.ts'

/** Output limits are checked after this many bytes of stream, and every second. */
const LIMIT_CHECK_BYTES = 64 * 1024

export class Replicas {
  readonly #node: NodeBase
  readonly #history: History
  /** In the order the replicas attached. */
  readonly #peers = new Map<ConnectionId, ReplicaPeer>()
  /** Called with every replica that goes. */
  onGone: (peer: ReplicaPeer) => void = () => undefined
  /** Called with every replica that gets the stream from now on. */
  onOnline: (peer: ReplicaPeer) => void = () => undefined
  /** Called when a replica counts no longer before it acknowledges something new. */
  onDoubt: () => void = () => undefined
  readonly #times = new StreamTimes()
  #uncheckedBytes = 0
  /** Monotonic. Since when there has been no replica. */
  #emptySinceMs = 0

  constructor(node: NodeBase, history: History) {
    this.#node = node
    this.#history = history
  }

  get count(): number {
    return this.#peers.size
  }

  get emptySinceMs(): number {
    return this.#emptySinceMs
  }

  all(): Iterable<ReplicaPeer> {
    return this.#peers.values()
  }

  /**
   * A replica whose machine lost its power comes back on a new connection while the old one still looks well:
   * it must not count twice. Two replicas behind one address translation look the same. So from now on an older
   * connection counts only once it has acknowledged something written later, which a dead one never does.
   */
  attach(peer: ReplicaPeer): void {
    peer.ackAtMs = this.#node.now.monoMs
    for (const other of this.#peers.values()) {
      if (!haveOnePlace(peer, other)) continue
      other.countsFromOffset = this.#history.offset + 1
      this.onDoubt()
    }
    this.#peers.set(peer.connection.id, peer)
  }

  detach(peer: ReplicaPeer, reason: string): void {
    if (!this.#peers.delete(peer.connection.id)) return
    this.#node.journal.note({ kind: 'replicaLost', replica: peerAddress(peer), reason })
    this.onGone(peer)
    // The backlog need not keep any longer what only this replica needed.
    this.#history.backlog?.trim(this.neededFromOffset())
    if (this.#peers.size === 0) this.restartEmptyTimer()
  }

  restartEmptyTimer(): void {
    this.#emptySinceMs = this.#node.now.monoMs
  }

  drop(peer: ReplicaPeer, reason: string): void {
    const address = peerAddress(peer)
    this.#node.port.log('warning', `replica ${address} is disconnected: ${reason}`)
    this.detach(peer, reason)
    const session = this.#node.sessions.get(peer.connection.id)
    if (session !== undefined) this.#node.sessions.close(session)
  }

  dropAll(reason: string): void {
    for (const peer of [...this.#peers.values()]) this.drop(peer, reason)
  }

  /** All replicas have to ask again where they stand. */
  historyReplaced(): void {
    this.dropAll('the history has changed')
  }

  /** Hands new bytes of the history to every replica that is not held back. */
  pass(bytes: string): void {
    const { now, settings } = this.#node
    const spanMs = 1000 * (settings.int('min-replicas-max-lag') + 1)
    this.#times.note(this.#history.offset - bytes.length, now.monoMs, spanMs)
    for (const peer of this.#peers.values()) {
      if (peer.phase === 'online') this.send(peer, bytes)
    }
    this.#uncheckedBytes += bytes.length
    if (this.#uncheckedBytes >= LIMIT_CHECK_BYTES) this.#dropSlow()
  }

  /** A part of the stream, of a copy, or of what introduces them. */
  send(peer: ReplicaPeer, bytes: string): void {
    const { stats, port } = this.#node
    stats.outputBytes += bytes.length
    stats.replicationOutputBytes += bytes.length
    port.write(peer.connection.id, bytes)
  }

  /** Lets the stream through to a replica, beginning with what it has missed since `fromOffset`. */
  bringOnline(peer: ReplicaPeer, fromOffset: number): void {
    peer.phase = 'online'
    peer.ackAtMs = this.#node.now.monoMs
    for (const bytes of this.#history.backlog?.readFrom(fromOffset) ?? []) {
      this.send(peer, bytes)
    }
    this.onOnline(peer)
    const event = { kind: 'replicaOnline', replica: peerAddress(peer), offset: fromOffset } as const
    this.#node.journal.note(event)
  }

  /** A replica has shown that it has the stream up to `offset`. */
  hasReached(peer: ReplicaPeer, offset: number): void {
    const hasAll = offset >= this.#history.offset
    peer.hasAllUntilMs = hasAll ? this.#node.now.monoMs : this.#times.writtenAt(offset)
  }

  /** The oldest byte that some replica still has to be given. */
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
      if (isCounted(peer) && peer.ackOffset >= offset) count++
    }
    return count
  }

  /** How many replicas have everything up to `offset` on their disks, as far as they say. */
  countOnDisk(offset: number): number {
    let count = 0
    for (const peer of this.#peers.values()) {
      if (isCounted(peer) && peer.fsyncedOffset >= offset) count++
    }
    return count
  }

  /** Seconds since the last ACK, for INFO; `hasAllUntilMs` tells what the replica lacks. */
  lagSeconds(peer: ReplicaPeer): number {
    return ageSeconds(this.#node.now.monoMs, peer.ackAtMs)
  }

  everySecond(): void {
    this.#dropSilent()
    this.#dropSlow()
  }

  #dropSilent(): void {
    const timeoutSeconds = this.#node.settings.int('repl-timeout')
    for (const peer of [...this.#peers.values()]) {
      if (this.#silenceSeconds(peer) > timeoutSeconds) this.drop(peer, 'it is silent')
    }
  }

  /**
   * A replica that loads its snapshot says with newlines that it is alive, later only with ACKs.
   */
  #silenceSeconds(peer: ReplicaPeer): number {
    const { monoMs } = this.#node.now
    if (peer.preSync) return 0
    if (peer.phase === 'online') return this.lagSeconds(peer)
    return peer.phase === 'loading' ? ageSeconds(monoMs, peer.connection.lastInputAtMs) : 0
  }

  #dropSlow(): void {
    this.#uncheckedBytes = 0
    const { settings, now } = this.#node
    const limit = effectiveLimit(settings.outputLimit('replica'), this.#history.backlogSizeBytes)
    for (const peer of [...this.#peers.values()]) {
      const bytes = this.outputBytes(peer)
      if (isTooSlow(peer, bytes, limit, now.monoMs)) {
        this.drop(peer, `${bytes} bytes of output wait for it`)
      }
    }
  }

  /** What the node keeps for a replica: in the queue of its connection, and in the backlog. */
  outputBytes(peer: ReplicaPeer): number {
    const queued = this.#node.port.queuedBytes(peer.connection.id)
    return isHeld(peer) ? queued + this.#history.offset - peer.heldFromOffset : queued
  }
}

/**
 * A hard limit below the backlog's size would drop replicas which the backlog could still serve.
 */
function effectiveLimit(limit: OutputLimit, backlogSizeBytes: number): OutputLimit {
  if (limit.hardBytes === 0) return limit
  return { ...limit, hardBytes: Math.max(limit.hardBytes, backlogSizeBytes) }
}

/** Whether what the replica has acknowledged counts for promises. */
export function isCounted({ phase, ackOffset, countsFromOffset }: ReplicaPeer): boolean {
  return phase === 'online' && ackOffset >= countsFromOffset
}

/** Backup tools name no port. */
function haveOnePlace(one: ReplicaPeer, other: ReplicaPeer): boolean {
  const isNamed = one.listeningPort !== 0 && one.listeningPort === other.listeningPort
  return isNamed && peerHost(one) === peerHost(other)
}

function isHeld(peer: ReplicaPeer): boolean {
  return peer.phase === 'copying' || peer.phase === 'loading'
}
