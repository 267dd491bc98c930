/**
 * The side of replication that serves replicas. attachment.ts says how one attaches, full-sync.ts
 * sends the copy it may need first, waits.ts and write-fence.ts use its acknowledgements for
 * clients and for the node itself. This file does what is due by the clock and at the end of the
 * process.
 */

import { earliest } from '../../earliest.ts'
import type { Jobs } from '../../persistence/jobs.ts'
import { ageSeconds } from '../../seconds.ts'
import type { NodeFailover } from '../failover.ts'
import type { MasterLink } from '../following/master-link.ts'
import { GETACK, PING } from '../history/stream.ts'
import { isReplica, type ReplicationState } from '../state.ts'
import { Attachment } from './attachment.ts'
import { FullSync } from './full-sync.ts'
import { Waits } from './waits.ts'
import { WriteFence } from './write-fence.ts'

export class Serving {
  readonly attachment: Attachment
  readonly waits: Waits
  readonly fence: WriteFence
  readonly #state: ReplicationState
  readonly #fullSync: FullSync
  readonly #failover: NodeFailover
  /** Monotonic: the last PING, or when the first replica came. Undefined: there is none. */
  #pingedAtMs: number | undefined

  constructor(state: ReplicationState, files: Jobs, failover: NodeFailover, link: MasterLink) {
    const { history, replicas, node } = state
    const { settings } = node
    this.#state = state
    this.#failover = failover
    this.#fullSync = new FullSync(state, files)
    this.waits = new Waits(state)
    this.fence = new WriteFence(state)
    this.attachment = new Attachment(state, this.#fullSync, this.waits, failover, link)
    replicas.onGone = (peer) => this.#fullSync.forget(peer)
    replicas.onOnline = (peer) => this.fence.replicaCame(peer)
    replicas.onDoubt = () => this.fence.replicaIsDoubted()
    settings.onChange('repl-backlog-size', () => {
      history.backlogSizeBytes = settings.int('repl-backlog-size')
    })
  }

  everySecond(): void {
    this.#state.replicas.everySecond()
    this.#fullSync.everySecond()
    if (isReplica(this.#state)) return
    // A failover waits until the target has the whole stream, so the stream has to end. But a
    // failover without a time limit must not make the other replicas believe that we are dead.
    if (!this.#failover.mayNotWait) this.#ping()
    this.#endUnreadBacklog()
  }

  wake(): void {
    this.waits.wake()
    this.fence.wake()
    this.#fullSync.wake()
  }

  nextWakeUpMs(): number | undefined {
    return earliest(
      this.waits.nextWakeUpMs(),
      isReplica(this.#state) ? undefined : this.fence.nextWakeUpMs(),
      this.#fullSync.nextWakeUpMs(),
    )
  }

  // The end of the process, see persistence/shutdown.ts

  get hasOnlineReplica(): boolean {
    return [...this.#state.replicas.all()].some(({ phase }) => phase === 'online')
  }

  /** Whether every replica that is online has acknowledged the stream up to `offset`. */
  haveAcknowledged(offset: number): boolean {
    return [...this.#state.replicas.all()].every(
      (peer) => peer.phase !== 'online' || peer.preSync || peer.ackOffset >= offset,
    )
  }

  /** Asks for acknowledgements, if need be. Returns the offset that covers all writes so far. */
  requestAcknowledgements(): number {
    const { history, stream } = this.#state
    const { offset } = history
    // A replica passes on its master's stream and nothing else: its own replicas acknowledge every
    // second.
    if (!isReplica(this.#state) && !this.haveAcknowledged(offset)) stream.feedIfKept(GETACK)
    return offset
  }

  /**
   * Drops every replica that gets or awaits a snapshot: the shutdown would wait for it too long.
   */
  endTransfers(): void {
    const { replicas } = this.#state
    for (const peer of [...replicas.all()]) {
      const isOnItsWay = peer.phase === 'waiting' || peer.phase === 'copying'
      if (isOnItsWay) replicas.drop(peer, 'this node is shutting down')
    }
  }

  /**
   * The master's PING in the stream: a replica that hears nothing for repl-timeout takes its master
   * for dead. The PING is part of the history like any command, and only masters send it.
   */
  #ping(): void {
    const { node, replicas, stream } = this.#state
    if (replicas.count === 0) {
      this.#pingedAtMs = undefined
      return
    }
    const nowMs = node.now.monoMs
    const periodSeconds = node.settings.int('repl-ping-replica-period')
    this.#pingedAtMs ??= nowMs
    if (ageSeconds(nowMs, this.#pingedAtMs) < periodSeconds) return
    this.#pingedAtMs = nowMs
    stream.feedIfKept(PING)
    this.#failover.replicasChanged()
  }

  /**
   * [repl-backlog-ttl] A master that has had no replica for this long stops counting its writes,
   * and must then not claim its old history. A replica keeps its backlog: its offsets count its
   * master's stream, and it could not stop counting alone.
   */
  #endUnreadBacklog(): void {
    const { node, history, replicas } = this.#state
    const ttlSeconds = node.settings.int('repl-backlog-ttl')
    if (ttlSeconds === 0 || history.backlog === undefined || replicas.count > 0) return
    if (ageSeconds(node.now.monoMs, replicas.emptySinceMs) <= ttlSeconds) return
    history.backlog = undefined
    history.begin()
  }
}
