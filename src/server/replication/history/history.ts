/**
 * The replication history this node is in: its id, how far the node is in it, and the recent bytes.
 *
 * A history is one sequence of bytes. Its id changes whenever this node may begin to write bytes
 * that no other node has: at promotion, and when a master starts or restarts counting. The id
 * before a promotion is kept, with the offset up to which both histories are the same, so that the
 * siblings of a promoted replica can go on without a full copy.
 */
import type { Rng } from '../../../base/rng.ts'
import { Backlog } from './backlog.ts'

export const REPLICATION_ID_LENGTH = 40
export const NO_REPLICATION_ID = '0'.repeat(REPLICATION_ID_LENGTH)

/** The position of the data in a replication history, as an RDB file keeps it. */
export interface SavedPosition {
  readonly id: string
  /** Bytes of the history whose effects are in the data. */
  readonly offset: number
  /** The database for commands of the stream that come before the next SELECT. */
  readonly streamDb: number
  /** The history before that, and the first offset at which it is no longer ours. */
  readonly previous?: { readonly id: string; readonly secondOffset: number } | undefined
  /**
   * `host:port` of the master with which the data were in step; undefined: the node was a master, or the
   * program that wrote the file does not say.
   */
  readonly master?: string | undefined
}

export class History {
  id: string
  /** The history we were in before, or NO_REPLICATION_ID. */
  previousId = NO_REPLICATION_ID
  /** The first offset at which the previous history is no longer ours; -1 without one. */
  secondOffset = -1
  /** Bytes of the history produced (master) or applied (replica). */
  offset = 0
  /** Undefined on a master that never had a replica: its writes are not counted. */
  backlog: Backlog | undefined
  /** Up to which offset our append-only file has everything on disk; undefined: the file is off. */
  onDisk: () => number | undefined = () => undefined
  readonly #rng: Rng
  /** This node chose the id itself, and no master of ours has used it. */
  #isNamedHere = true
  #backlogSizeBytes: number

  constructor(rng: Rng, backlogSizeBytes: number) {
    this.#rng = rng
    this.#backlogSizeBytes = backlogSizeBytes
    this.id = rng.hex(REPLICATION_ID_LENGTH)
  }

  get backlogSizeBytes(): number {
    return this.#backlogSizeBytes
  }

  set backlogSizeBytes(sizeBytes: number) {
    this.#backlogSizeBytes = sizeBytes
    this.backlog?.resize(sizeBytes)
  }

  /** `db`: the database selected before these bytes. */
  append(bytes: string, db?: number): void {
    this.backlog?.append(bytes, db)
    this.offset += bytes.length
  }

  /**
   * What we tell our master of our progress. Redis before 7.2 ignores the words after the offset.
   */
  acknowledgement(): string[] {
    const synced = this.onDisk()
    const fack = synced === undefined ? [] : ['FACK', String(Math.min(synced, this.offset))]
    return ['REPLCONF', 'ACK', String(this.offset), ...fack]
  }

  /** Whether a replica that has everything before `offset` of history `id` can go on from here. */
  canContinue(id: string, offset: number): boolean {
    if (this.backlog?.covers(offset) !== true) return false
    const asked = id.toLowerCase()
    return asked === this.id || (asked === this.previousId && offset <= this.secondOffset)
  }

  createBacklog(): void {
    this.backlog ??= new Backlog(this.offset + 1, this.#backlogSizeBytes)
  }

  /** Forgets all relation to other nodes: the offset so far does not stand for what was written. */
  begin(): void {
    this.id = this.#rng.hex(REPLICATION_ID_LENGTH)
    this.#isNamedHere = true
    this.#forgetPrevious()
  }

  /** The data come from no known history: this node counts from here on, under an id of its own. */
  beginAt(offset: number): void {
    this.begin()
    this.offset = offset
    this.backlog = new Backlog(offset + 1, this.#backlogSizeBytes)
  }

  /** A promotion: from the next byte on, the history is ours alone. */
  fork(): void {
    this.continueAs(this.#rng.hex(REPLICATION_ID_LENGTH))
    this.#isNamedHere = true
  }

  /**
   * Our master has been in another history since a promotion, and that history begins with ours.
   */
  continueAs(id: string): void {
    this.previousId = this.id
    this.secondOffset = this.offset + 1
    this.id = id
    this.#isNamedHere = false
  }

  /**
   * A master lets us go on from the position we named under `offeredId`, and is itself in history
   * `mastersId`. If we offered our previous history, our id is now the one that was left; our own
   * replicas may know only that one. Returns true if the history has another id now.
   */
  goOn(offeredId: string, mastersId: string): boolean {
    const before = this.id
    if (offeredId !== this.id) this.continueAs(offeredId)
    if (mastersId !== this.id) this.continueAs(mastersId)
    this.#isNamedHere = false
    this.createBacklog()
    return this.id !== before
  }

  /** We have just loaded a copy of the dataset as it was at `offset` of history `id`. */
  adopt(id: string, offset: number): void {
    this.#take(id)
    this.offset = offset
    this.backlog = new Backlog(offset + 1, this.#backlogSizeBytes)
  }

  /**
   * The history in which other nodes most likely know our position: the previous one, as long as
   * nothing has been written in the present one and this node chose its id. So a master that comes
   * back with its dump, or a promotion that is taken back, costs no full copy.
   */
  get knownId(): string {
    const isUnused = this.previousId !== NO_REPLICATION_ID && this.offset + 1 === this.secondOffset
    return isUnused && this.#isNamedHere ? this.previousId : this.id
  }

  /** Where the history came from, to be kept with the data; undefined: from nowhere. */
  get previous(): SavedPosition['previous'] {
    const { previousId: id, secondOffset } = this
    return id === NO_REPLICATION_ID ? undefined : { id, secondOffset }
  }

  /**
   * A node that follows a master is back with the data it kept. If it was a master when it kept them, what
   * was before tells how its history and the master's are related.
   */
  resume({ id, offset, previous }: SavedPosition): void {
    this.#take(id)
    this.offset = offset
    if (previous === undefined) return
    this.previousId = previous.id
    this.secondOffset = previous.secondOffset
  }

  /**
   * A master is back with the data it kept. Its later writes are gone here, but other nodes may
   * have them: so the history goes on under a new id, and a replica that was not further than the
   * data can go on with it.
   */
  restart(id: string, offset: number): void {
    this.offset = offset
    this.previousId = id
    this.secondOffset = offset + 1
    this.backlog = new Backlog(offset + 1, this.#backlogSizeBytes)
  }

  /** The history is another node's, and no previous one is known. */
  #take(id: string): void {
    this.id = id
    this.#isNamedHere = false
    this.#forgetPrevious()
  }

  #forgetPrevious(): void {
    this.previousId = NO_REPLICATION_ID
    this.secondOffset = -1
  }
}
