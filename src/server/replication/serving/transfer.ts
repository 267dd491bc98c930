/**
 * One snapshot and the replicas it is for. Replicas that can read a payload of unknown length get
 * it while it is made, closed by a random mark; for the others, and for all without
 * [repl-diskless-sync], it is spooled.
 *
 * A replica that comes while the snapshot runs can still have it: the snapshot stands for one
 * moment, and the stream since then is kept for the others anyway. The replica needs only the
 * payload from its beginning, which is there if it is spooled, or while no more of it is made than
 * `HEAD_BYTES`.
 */
import type { Rng } from '../../../base/rng.ts'
import type { Keyspace } from '../../keyspace/keyspace.ts'
import { SavePace } from '../../persistence/save-pace.ts'
import { Snapshot } from '../../rdb/snapshot.ts'
import { encodePayloadHeader, MARK_LENGTH } from '../payload-header.ts'
import type { ReplicationState } from '../state.ts'
import type { ReplicaPeer } from './replica-peer.ts'
import { hasRoom, type Spool } from './spool.ts'

/** What one wake-up writes: well under a millisecond of work. */
const SLICE_BYTES = 32 * 1024
/** How much of the beginning is kept for replicas that come a little later. */
const HEAD_BYTES = 2 * 1024 * 1024

/** Which replicas a payload is for: all, or those that read Valkey's form of RDB, or those that read Redis'. */
export type Readers = 'all' | 'valkey' | 'redis'

/** One payload will do for all unless fields of hashes expire: these have two forms, and no server but ours reads both. */
export function readersLike({ readsValkey }: ReplicaPeer, { dbs }: Keyspace): Readers {
  if (!dbs.some(({ entries }) => entries.expiringFields.size > 0)) return 'all'
  return readsValkey ? 'valkey' : 'redis'
}

export function reads({ readsValkey }: ReplicaPeer, readers: Readers): boolean {
  return readers === 'all' || readsValkey === (readers === 'valkey')
}

export class Transfer {
  readonly #state: ReplicationState
  readonly #newSpool: () => Spool
  readonly #snapshot: Snapshot
  readonly #pace: SavePace
  readonly #readers: Readers
  readonly #mark: string
  /** The position that the snapshot stands for. */
  readonly #historyId: string
  readonly #offset: number
  readonly #marked = new Set<ReplicaPeer>()
  readonly #counted = new Set<ReplicaPeer>()
  #spool: Spool | undefined
  /** Everything made so far; undefined: it is more than is kept. */
  #head: string[] | undefined = []
  #headBytes = 0

  /** The snapshot stands for the moment of this call. */
  constructor(
    state: ReplicationState,
    newSpool: () => Spool,
    rng: Rng,
    aux: readonly (readonly [string, string])[],
    peers: Iterable<ReplicaPeer>,
    readers: Readers,
  ) {
    const { node, history } = state
    this.#state = state
    this.#newSpool = newSpool
    this.#mark = rng.hex(MARK_LENGTH)
    this.#historyId = history.id
    this.#offset = history.offset
    const options = {
      functions: node.functions.all(),
      compresses: node.settings.flag('rdbcompression'),
      dialect: readers === 'valkey' ? 'valkey' : 'redis',
    } as const
    this.#readers = readers
    this.#pace = new SavePace(node.settings, () => node.now)
    this.#snapshot = new Snapshot(node.keyspace, aux, (bytes) => this.#write(bytes), options)
    for (const peer of peers) this.join(peer)
  }

  /** No replica wants the snapshot any more. */
  get isDeserted(): boolean {
    return this.#marked.size + this.#counted.size === 0
  }

  /** The snapshot is complete, and if it was spooled it can be delivered. */
  get isOver(): boolean {
    if (!this.#snapshot.isOver) return false
    return this.#counted.size === 0 || this.#spool?.isReadable === true
  }

  /** The replicas that wait for the spooled payload and have been sent none of it. */
  get counted(): ReadonlySet<ReplicaPeer> {
    return this.#counted
  }

  get spool(): Spool | undefined {
    return this.#spool
  }

  /** False: it is too late for this snapshot. */
  join(peer: ReplicaPeer): boolean {
    if (this.#snapshot.isOver || this.#state.history.id !== this.#historyId) return false
    if (!reads(peer, this.#readers)) return false
    const isMarked = peer.canEof && this.#state.node.settings.flag('repl-diskless-sync')
    if (isMarked && this.#head !== undefined) this.#joinMarked(peer, this.#head)
    else if (this.#hasSpool()) this.#joinCounted(peer)
    else return false
    return true
  }

  forget(peer: ReplicaPeer): boolean {
    return this.#marked.delete(peer) || this.#counted.delete(peer)
  }

  /** False: a replica or the disk has to catch up first, or the snapshot is slowed down. */
  advance(): boolean {
    if (this.#snapshot.isOver || this.#pace.isHeld || this.#isClogged()) return false
    this.#pace.advance(this.#snapshot, SLICE_BYTES)
    if (this.#snapshot.isOver) this.#complete()
    return true
  }

  stop(): void {
    this.#snapshot.stop()
    this.#spool?.remove()
  }

  /** The disk does not take the spool, and no replica needs it there any more. */
  abandonSpool(): void {
    this.#spool?.remove()
    this.#spool = undefined
    this.#head = undefined
  }

  /** The replicas that got the payload while it was made have all of it. */
  #complete(): void {
    const { node, replicas } = this.#state
    this.#spool?.complete()
    const marked = [...this.#marked]
    this.#marked.clear()
    for (const peer of marked) {
      replicas.send(peer, this.#mark)
      peer.phase = 'loading'
      peer.ackAtMs = node.now.monoMs
      if (peer.rdbOnly) replicas.drop(peer, 'it wanted the snapshot only')
    }
  }

  /**
   * Returns true if the payload is spooled, from its beginning; begins to spool it if that is
   * possible.
   */
  #hasSpool(): boolean {
    if (this.#spool !== undefined) return true
    if (this.#head === undefined) return false
    this.#spool = this.#newSpool()
    for (const bytes of this.#head) this.#spool.push(bytes)
    return true
  }

  #joinMarked(peer: ReplicaPeer, head: readonly string[]): void {
    const { replicas } = this.#state
    this.#announce(peer)
    replicas.send(peer, encodePayloadHeader({ kind: 'mark', mark: this.#mark }))
    for (const bytes of head) replicas.send(peer, bytes)
    this.#marked.add(peer)
  }

  #joinCounted(peer: ReplicaPeer): void {
    this.#announce(peer)
    this.#counted.add(peer)
  }

  #announce(peer: ReplicaPeer): void {
    const { node, replicas } = this.#state
    peer.phase = 'copying'
    peer.heldFromOffset = this.#offset
    peer.drainedAtMs = node.now.monoMs
    const position = `${this.#historyId} ${this.#offset}`
    if (!peer.preSync) replicas.send(peer, `+FULLRESYNC ${position}\r\n`)
  }

  #write(bytes: string): void {
    for (const peer of this.#marked) this.#state.replicas.send(peer, bytes)
    this.#spool?.push(bytes)
    if (this.#head === undefined) return
    this.#head.push(bytes)
    this.#headBytes += bytes.length
    if (this.#headBytes > HEAD_BYTES) this.#head = undefined
  }

  #isClogged(): boolean {
    const { node, replicas } = this.#state
    let isClogged = this.#spool?.isBehind === true
    for (const peer of [...this.#marked]) {
      if (!hasRoom(node, replicas, peer)) isClogged = true
    }
    return isClogged || this.isDeserted
  }
}
