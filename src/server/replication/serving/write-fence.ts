/**
 * [min-replicas-to-write, min-replicas-max-lag] A master that too few replicas follow closely
 * refuses writes: perhaps no other node has them when the master is gone. A replica follows closely
 * if it has acknowledged everything that was written up to max-lag seconds ago. An acknowledgement
 * alone is not enough: a replica that the stream no longer reaches still reports its offset every
 * second. Lag is measured a few times a second, right after the node has read its sockets, and not
 * only when a write comes: after a short pause an acknowledgement may still lie in its socket
 * beside that write's. A lag of a second more is refused in any case.
 *
 * A node that stood still (it was stopped, its machine was suspended, a command took very long)
 * knows nothing of what happened meanwhile. The acknowledgements that wait in its sockets are as
 * old as the commands beside them, and its successor may have been chosen. If it stood still for
 * longer than max-lag, no replica counts before it has acknowledged something that was written
 * afterwards: the node writes a PING, and GETACK so that replicas answer at once. Both clocks are
 * compared when a turn begins, before the first command: the monotonic clock stands still while a
 * machine is suspended, the wall clock does not. While the fence is on, turns come often enough for
 * that.
 */

import type { Moment } from '../../../base/clock.ts'
import { GETACK, PING } from '../history/stream.ts'
import type { ReplicationState } from '../state.ts'
import type { ReplicaPeer } from './replica-peer.ts'
import { isCounted } from './replicas.ts'

const NOREPLICAS = 'NOREPLICAS Not enough good replicas to write.'
/** How often clocks and lags are looked at: a quarter of the shortest max-lag. */
const LOOK_MS = 250
/**
 * Replicas acknowledge once a second: with a max-lag of 1 a sound replica would be missed now and
 * then.
 */
const TWO_CYCLES_MS = 2000
const UNREAD_MS = 1000
const FROM_THE_START = 0
const NOT_ASKED_YET = Number.POSITIVE_INFINITY

export class WriteFence {
  readonly #state: ReplicationState
  /** The offset a replica must have acknowledged to count, since this node last stood still. */
  #heardFromOffset = FROM_THE_START
  #mustAsk = false
  /** Monotonic. Input up to this moment has been read. */
  #lookedAtMs = 0

  constructor(state: ReplicationState) {
    this.#state = state
  }

  get isOn(): boolean {
    return this.#needed() > 0 && this.#maxLagSeconds() > 0
  }

  /** How many replicas follow closely. */
  get goodCount(): number {
    let count = 0
    for (const peer of this.#state.replicas.all()) if (this.#isGood(peer)) count++
    return count
  }

  /** For a master: why a write must be refused now; undefined: it may be done. */
  refusal(): string | undefined {
    return this.isOn && this.goodCount < this.#needed() ? NOREPLICAS : undefined
  }

  /** For a master, first in every turn. `last`: when the turn before began. */
  turnBegins(last: Moment): void {
    if (!this.isOn) return
    const { now, port } = this.#state.node
    const passedMs = Math.max(now.monoMs - last.monoMs, now.wallMs - last.wallMs)
    if (passedMs <= 1000 * this.#maxLagSeconds()) return
    this.#heardFromOffset = NOT_ASKED_YET
    this.#mustAsk = true
    const text = `this node stood still, or its clock jumped, for ${passedMs} ms: it takes no write`
    port.log('warning', `${text} before replicas have acknowledged again (min-replicas-max-lag)`)
  }

  /** This node is a replica: what it once knew of its own replicas means nothing any more. */
  forget(): void {
    this.#heardFromOffset = FROM_THE_START
    this.#mustAsk = false
  }

  /** A replica gets the stream from now on, and may soon have what it missed. */
  replicaCame(peer: ReplicaPeer): void {
    if (this.isOn && !this.#isGood(peer)) this.#mustAsk = true
  }

  /** A replica that counted may be gone: those that are there shall acknowledge something new at once. */
  replicaIsDoubted(): void {
    this.#mustAsk = true
  }

  wake(): void {
    const { node, history, stream } = this.#state
    this.#lookedAtMs = node.now.monoMs
    if (!this.#mayAsk()) return
    this.#mustAsk = false
    // A replica answers GETACK with the offset before it.
    stream.feedIfKept(PING)
    if (this.#heardFromOffset === NOT_ASKED_YET) this.#heardFromOffset = history.offset
    stream.feedIfKept(GETACK)
  }

  nextWakeUpMs(): number | undefined {
    if (this.#mayAsk()) return this.#state.node.now.monoMs
    return this.isOn ? this.#lookedAtMs + LOOK_MS : undefined
  }

  #needed(): number {
    return this.#state.node.settings.int('min-replicas-to-write')
  }

  #maxLagSeconds(): number {
    return this.#state.node.settings.int('min-replicas-max-lag')
  }

  /** A pause of writes lets replicas reach the end of the stream: nothing may move it. */
  #mayAsk(): boolean {
    return this.#mustAsk && this.#state.node.pause.scope === undefined
  }

  #isGood(peer: ReplicaPeer): boolean {
    // Redis counts a replica that still loads its snapshot. Such a replica could not save a single
    // write.
    if (!isCounted(peer) || peer.ackOffset < this.#heardFromOffset) return false
    const { hasAllUntilMs } = peer
    const limitMs = Math.max(1000 * this.#maxLagSeconds(), TWO_CYCLES_MS)
    const { monoMs } = this.#state.node.now
    return (
      this.#lookedAtMs - hasAllUntilMs <= limitMs && monoMs - hasAllUntilMs <= limitMs + UNREAD_MS
    )
  }
}
