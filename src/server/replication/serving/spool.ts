/**
 * A payload on its way to replicas that have to be told its length first. It cannot be sent before
 * it is complete, and it may be as large as the dataset; so all but a small payload waits in a file
 * in the node's folder, and not in memory.
 */
import { assert } from '../../../base/assert.ts'
import type { NodeBase } from '../../node-base.ts'
import { change, type FileFailure, readBytes, type Work } from '../../persistence/files.ts'
import type { Jobs } from '../../persistence/jobs.ts'
import { ageSeconds } from '../../seconds.ts'
import { encodePayloadHeader } from '../payload-header.ts'
import type { ReplicaPeer } from './replica-peer.ts'
import type { Replicas } from './replicas.ts'

/** A payload up to this size is never written to the disk. */
const MEMORY_BYTES = 1024 * 1024
/** With more than this on its way to the disk, the snapshot waits. */
const MAX_UNWRITTEN_BYTES = 4 * 1024 * 1024
/** The size of one read. */
const READ_BYTES = 256 * 1024
/** A connection with more than this in its queue drains first. */
const MAX_QUEUED_BYTES = 1024 * 1024

/** Several nodes may keep their data in one folder; what a killed one leaves is removed by the next start there. */
export function spoolPath(processId: number, number: number): string {
  return `temp-sync-${processId}-${number}.rdb`
}

export class Spool {
  readonly #jobs: Jobs
  readonly #path: string
  #totalBytes = 0
  /** The whole payload while it is small, then the part that is not in the file yet. */
  #parts: string[] = []
  #partsBytes = 0
  #hasFile = false
  #isWriting = false
  /** Bytes on their way to the disk. */
  #writingBytes = 0
  #isComplete = false
  #failure: FileFailure | undefined

  constructor(jobs: Jobs, path: string) {
    this.#jobs = jobs
    this.#path = path
  }

  get totalBytes(): number {
    return this.#totalBytes
  }

  get failure(): FileFailure | undefined {
    return this.#failure
  }

  /** The snapshot should wait until more of this spool has been written. */
  get isBehind(): boolean {
    return this.#hasFile && this.#partsBytes + this.#writingBytes > MAX_UNWRITTEN_BYTES
  }

  /** The whole payload is here, and can be read. */
  get isReadable(): boolean {
    if (!this.#isComplete || this.#failure !== undefined) return false
    return !this.#hasFile || (this.#partsBytes === 0 && !this.#isWriting)
  }

  push(bytes: string): void {
    this.#totalBytes += bytes.length
    this.#parts.push(bytes)
    this.#partsBytes += bytes.length
    if (this.#hasFile || this.#partsBytes > MEMORY_BYTES) this.#write()
  }

  /** The payload is complete. */
  complete(): void {
    this.#isComplete = true
  }

  /**
   * Calls `onEnd`, now or later, with at least some of the bytes from `offset` on, or with why
   * there are none.
   */
  read(offset: number, onEnd: (bytes: string | FileFailure) => void): void {
    assert(this.isReadable, 'only what is complete is read')
    if (this.#hasFile) return this.#jobs.start(readBytes(this.#path, offset, READ_BYTES), onEnd)
    // A small payload goes out in one piece.
    onEnd(this.#parts.join('').slice(offset))
  }

  remove(): void {
    this.#parts = []
    this.#partsBytes = 0
    this.#isComplete = true
    if (this.#hasFile) this.#jobs.start(change({ kind: 'remove', path: this.#path }), () => {})
  }

  #write(): void {
    if (this.#isWriting || this.#failure !== undefined) return
    this.#isWriting = true
    this.#jobs.start(this.#writeAll(), (failure) => {
      this.#isWriting = false
      this.#failure = failure
    })
  }

  *#writeAll(): Work<FileFailure | undefined> {
    if (!this.#hasFile) {
      this.#hasFile = true
      const failure = yield* change({ kind: 'create', path: this.#path })
      if (failure !== undefined) return failure
    }
    while (this.#partsBytes > 0) {
      const failure = yield* change({ kind: 'append', path: this.#path, bytes: this.#takeParts() })
      if (failure !== undefined) return failure
    }
    return undefined
  }

  #takeParts(): string {
    const bytes = this.#parts.join('')
    this.#parts = []
    this.#partsBytes = 0
    this.#writingBytes = bytes.length
    return bytes
  }
}

/**
 * Sends a spooled payload to one replica, as fast as it takes it, and then lets the stream through
 * to it.
 */
export class SpoolDelivery {
  readonly peer: ReplicaPeer
  readonly spool: Spool
  readonly #node: NodeBase
  readonly #replicas: Replicas
  #sentBytes = 0
  #isReading = false
  #isOver = false

  constructor(node: NodeBase, replicas: Replicas, peer: ReplicaPeer, spool: Spool) {
    this.#node = node
    this.#replicas = replicas
    this.peer = peer
    this.spool = spool
    peer.drainedAtMs = node.now.monoMs
    const totalBytes = spool.totalBytes
    replicas.send(peer, encodePayloadHeader({ kind: 'length', totalBytes }))
  }

  /** The replica has the payload, or is gone. */
  get isOver(): boolean {
    return this.#isOver
  }

  stop(): void {
    this.#isOver = true
  }

  /** Sends as much as there is room for. */
  advance(): void {
    if (this.#isOver || this.#isReading || !hasRoom(this.#node, this.#replicas, this.peer)) return
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
    this.#replicas.send(this.peer, bytes)
    this.#sentBytes += bytes.length
    if (this.#sentBytes >= this.spool.totalBytes) this.#finish()
  }

  #finish(): void {
    this.#isOver = true
    if (this.peer.rdbOnly) this.#replicas.drop(this.peer, 'it wanted the snapshot only')
    else this.#replicas.bringOnline(this.peer, this.peer.heldFromOffset + 1)
  }
}

/**
 * Whether a replica takes what is sent. A replica that has taken nothing for repl-timeout is
 * dropped.
 */
export function hasRoom(node: NodeBase, replicas: Replicas, peer: ReplicaPeer): boolean {
  const { monoMs } = node.now
  if (node.port.queuedBytes(peer.connection.id) < MAX_QUEUED_BYTES) {
    peer.drainedAtMs = monoMs
    return true
  }
  const isStuck = ageSeconds(monoMs, peer.drainedAtMs) > node.settings.int('repl-timeout')
  if (isStuck) replicas.drop(peer, 'it does not take the snapshot')
  return false
}
