/**
 * The master's half of strict replication: how much of the history enough voters have. Everything a
 * client is sent waits in the sync gate until they have it; this file counts the acknowledgements and
 * opens the gate.
 *
 * An acknowledgement counts if it came from a voter of the term's layout on a connection that was
 * made in this reign, and speaks of everything that this node had when the connection was made: a
 * voter that came back without its memory has less.
 */
import { comparableHost, hostAndPort } from '../../../base/ip.ts'
import type { NodeBase } from '../../node-base.ts'
import type { SyncProgress } from '../../sessions/sync-gate.ts'
import type { History } from '../history/history.ts'
import { PING, type ReplicationStream } from '../history/stream.ts'
import type { ReplicaPeer } from '../serving/replica-peer.ts'
import type { Replicas } from '../serving/replicas.ts'
import type { Layout } from './term.ts'

const NOTHING_CONFIRMED = -1

export class SyncQuorum implements SyncProgress {
  readonly #node: NodeBase
  readonly #history: History
  readonly #replicas: Replicas
  readonly #stream: ReplicationStream
  #layout: Layout | undefined
  /** Counts promotions: what replicas were told before the last one is not true any more. */
  #reign = 0
  #confirmedOffset = NOTHING_CONFIRMED
  /** Monotonic. Since when voters owe acknowledgements without any progress. */
  #stalledSinceMs: number | undefined
  #turnOffset = 0
  /** [reads: linearizable] What voters must have before the reads that came in last are answered. */
  #readOffset = 0

  constructor(node: NodeBase, history: History, replicas: Replicas, stream: ReplicationStream) {
    this.#node = node
    this.#history = history
    this.#replicas = replicas
    this.#stream = stream
  }

  /** What was done in this node's own term may still wait for voters. */
  get isGuarding(): boolean {
    return this.#layout !== undefined
  }

  /** Whatever is sent to clients now waits for this. It lies ahead of the history while a round is yet to begin. */
  get offset(): number {
    return Math.max(this.#history.offset, this.#readOffset)
  }

  get confirmedOffset(): number {
    return this.#confirmedOffset
  }

  get nowMs(): number {
    return this.#node.now.monoMs
  }

  /** For how long voters have owed acknowledgements without any progress. */
  get stalledMs(): number {
    return this.#stalledSinceMs === undefined ? 0 : this.nowMs - this.#stalledSinceMs
  }

  get isOverdue(): boolean {
    return this.#stalledSinceMs !== undefined && this.stalledMs >= this.#timeoutMs
  }

  /**
   * This node is the master of a new term. The first entry stands for all that came before: nothing
   * leaves before enough voters have it.
   */
  begin(layout: Layout): void {
    this.#layout = layout
    this.#reign++
    this.#confirmedOffset = NOTHING_CONFIRMED
    this.#readOffset = 0
    this.#stalledSinceMs = undefined
    this.#stream.feedIfKept(PING)
    this.acknowledged()
  }

  /** This node follows another master now: what waits is never sent. */
  end(): void {
    if (this.#layout === undefined) return
    this.#layout = undefined
    this.#stalledSinceMs = undefined
    this.#cutOff(Number.POSITIVE_INFINITY)
  }

  /** The replica has been told of the present term. */
  meets(peer: ReplicaPeer): void {
    peer.reign = this.#reign
    peer.votesFromOffset = this.#history.offset
  }

  isVoter(peer: ReplicaPeer): boolean {
    return this.#layout?.voters.includes(voterAddress(peer)) === true
  }

  /** Whether the replica knows of the present term, if it is a node of a strict group. */
  isKnownTo(peer: ReplicaPeer): boolean {
    return peer.reign === undefined || peer.reign === this.#reign
  }

  /** A replica has acknowledged something. A master that was deposed may still hear of its writes. */
  acknowledged(): void {
    if (this.#layout === undefined) return
    const offset = this.#offsetOfQuorum(this.#layout)
    if (offset <= this.#confirmedOffset) return
    this.#confirmedOffset = offset
    this.#stalledSinceMs = offset < this.#history.offset ? this.nowMs : undefined
    this.#node.syncGate.release()
  }

  turnBegins(): void {
    this.#turnOffset = this.#history.offset
    this.#node.syncGate.turnBegins()
  }

  /** `isServing`: this node is still the master of its term. */
  turnEnds(isServing: boolean): void {
    const { syncGate, sessions } = this.#node
    if (isServing && this.#layout !== undefined) {
      const isShown = syncGate.hasUnplaced || sessions.showData
      if (isShown && this.#layout.reads === 'linearizable') this.#readsArrived()
      this.#beginRound()
      if (this.#needed(this.#layout) === 0) this.acknowledged()
      if (this.#history.offset > this.#confirmedOffset) this.#stalledSinceMs ??= this.nowMs
    }
    syncGate.turnEnds()
  }

  wake(): void {
    this.#cutOff(this.nowMs - this.#timeoutMs)
  }

  nextWakeUpMs(): number | undefined {
    const sinceMs = this.#node.syncGate.waitingSinceMs
    return sinceMs === undefined ? undefined : sinceMs + this.#timeoutMs
  }

  infoLines(): string[] {
    if (this.#layout === undefined) return []
    const acks = [...this.#votes(this.#layout)].map(([voter, offset]) => `${voter}=${offset}`)
    return [
      `sync_replicas_needed:${this.#needed(this.#layout)}`,
      `sync_reads:${this.#layout.reads}`,
      `sync_confirmed_offset:${Math.max(0, this.#confirmedOffset)}`,
      `sync_acknowledged:${acks.join(' ')}`,
      `sync_clients_waiting:${this.#node.syncGate.count}`,
      `sync_stalled_ms:${Math.floor(this.stalledMs)}`,
    ]
  }

  get #timeoutMs(): number {
    return this.#node.settings.int('sync-replication-timeout')
  }

  #needed({ replicas }: Layout): number {
    return Math.max(replicas, this.#node.settings.int('min-sync-replicas'))
  }

  /**
   * [reads: linearizable] Reads are answered when voters have acknowledged something that was sent after
   * the reads came in. What was written in this turn will do.
   */
  #readsArrived(): void {
    this.#readOffset = Math.max(this.#history.offset, this.#turnOffset + 1)
  }

  /**
   * One round at a time: all reads that come in while one is under way share the next one, so that rounds
   * do not become more with the clients. A write that is sent meanwhile is a round, too.
   */
  #beginRound(): void {
    const isWanted = this.#readOffset > this.#history.offset
    if (isWanted && this.#confirmedOffset >= this.#history.offset) this.#stream.feedIfKept(PING)
  }

  /** The best acknowledgement of each voter. */
  #votes({ voters }: Layout): Map<string, number> {
    const votes = new Map<string, number>()
    for (const peer of this.#replicas.all()) {
      if (peer.phase !== 'online' || peer.reign !== this.#reign) continue
      if (peer.ackOffset < peer.votesFromOffset) continue
      const address = voterAddress(peer)
      if (!voters.includes(address)) continue
      votes.set(address, Math.max(votes.get(address) ?? 0, peer.ackOffset))
    }
    return votes
  }

  #offsetOfQuorum(layout: Layout): number {
    const needed = this.#needed(layout)
    if (needed === 0) return this.#history.offset
    const offsets = [...this.#votes(layout).values()].sort((a, b) => b - a)
    return Math.min(this.#history.offset, offsets[needed - 1] ?? NOTHING_CONFIRMED)
  }

  #cutOff(limitMs: number): void {
    const { syncGate, sessions, port } = this.#node
    for (const id of syncGate.overdue(limitMs)) {
      const session = sessions.get(id)
      port.log('verbose', `client ${id} closed: too few voters have what it would be told`)
      if (session === undefined) syncGate.close(id, true)
      else sessions.cutOff(session)
    }
  }
}

/** As a layout has it. The kernel writes addresses in the usual form; an operator may announce another. */
function voterAddress({ announcedHost, connection, listeningPort }: ReplicaPeer): string {
  const host =
    announcedHost === undefined ? connection.ends.remoteHost : comparableHost(announcedHost)
  return hostAndPort(host, listeningPort)
}
