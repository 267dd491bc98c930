/**
 * Keeping the data: loading them when the node starts, snapshots (RDB), and the append-only file (AOF).
 * Each mechanism has a file of its own; this one wires them together.
 */
import { Aof } from './aof.ts'
import type { FileAnswer, FileRequestId } from './files.ts'
import type { PersistenceHost } from './host.ts'
import { Jobs } from './jobs.ts'
import { Loading } from './loading.ts'
import type { SnapshotTurn } from './snapshot-turn.ts'

export class Persistence {
  readonly aof: Aof
  readonly #jobs: Jobs
  readonly #loading: Loading
  readonly #turn: SnapshotTurn

  constructor(host: PersistenceHost, turn: SnapshotTurn) {
    this.#turn = turn
    this.#jobs = new Jobs((id, request) => host.port.askFile(id, request))
    this.aof = new Aof(host)
    this.#loading = new Loading(host)
  }

  get isLoading(): boolean {
    return this.#loading.isActive
  }

  /** Begins to load. */
  start(): void {
    this.#loading.start()
  }

  fileAnswered(id: FileRequestId, answer: FileAnswer): void {
    this.#jobs.answered(id, answer)
  }

  /** Why a write must be refused now: it could not be kept. An error reply without its dash. */
  refusal(): string | undefined {
    return undefined
  }

  /** Effects of one command or transaction, in the form replicas are told. */
  propagate(db: number, commands: readonly (readonly string[])[]): void {
    this.aof.propagate(db, commands)
  }

  /** Before any reply of the turn leaves. */
  turnEnds(): void {
    this.aof.turnEnds()
  }

  wake(): void {
    void this.#turn
  }

  /** Monotonic; undefined when nothing is due. */
  nextWakeUpMs(): number | undefined {
    return undefined
  }
}
