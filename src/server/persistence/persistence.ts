/**
 * Keeping the data: loading them when the node starts, snapshots (RDB), and the append-only file (AOF).
 * Each mechanism has a file of its own; this one wires them together.
 */
import { earliest } from '../earliest.ts'
import type { Pause } from '../sessions/pause.ts'
import { Aof } from './aof.ts'
import type { FileAnswer, FileRequestId } from './files.ts'
import type { PersistenceHost } from './host.ts'
import { Jobs } from './jobs.ts'
import { Loading } from './loading.ts'
import { Reloading } from './reloading.ts'
import { Saving } from './saving.ts'
import { type ReplicasAtEnd, Shutdown } from './shutdown.ts'
import type { SnapshotTurn } from './snapshot-turn.ts'
import { UnreadDump } from './unread-dump.ts'

const MISCONF =
  "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. " +
  'Commands that may modify the data set are disabled, because this instance is configured to report ' +
  'errors during writes if RDB snapshotting fails (stop-writes-on-bgsave-error option). Please check ' +
  'the Redis logs for details about the RDB error.'

export interface PersistenceParts {
  readonly host: PersistenceHost
  readonly turn: SnapshotTurn
  readonly pause: Pause
  readonly replicas: ReplicasAtEnd
  /** Ends the process, after everything that was answered has left. */
  exit(): void
}

export class Persistence {
  readonly aof: Aof
  readonly loading: Loading
  readonly saving: Saving
  readonly shutdown: Shutdown
  readonly reloading: Reloading
  readonly #host: PersistenceHost
  readonly #jobs: Jobs

  constructor({ host, turn, pause, replicas, exit }: PersistenceParts) {
    this.#host = host
    const jobs = new Jobs((id, request) => host.port.askFile(id, request))
    this.#jobs = jobs
    const unreadDump = new UnreadDump(host)
    this.aof = new Aof(host, jobs, turn, unreadDump)
    this.loading = new Loading(host, jobs, this.aof)
    this.saving = new Saving(host, jobs, turn, unreadDump)
    const { aof, saving, loading } = this
    const isLoading = () => this.isLoading
    this.shutdown = new Shutdown({ host, jobs, saving, aof, pause, replicas, isLoading, exit })
    this.reloading = new Reloading({ host, jobs, saving, loading, pause })
  }

  get isLoading(): boolean {
    return this.loading.isActive
  }

  /**
   * Nobody is answered yet, not even that it is loading: with little to load or nothing that is over in a
   * moment, and who has just started the node need not see it.
   */
  get isOpening(): boolean {
    return this.loading.isOpening
  }

  /** Begins to load. */
  start(): void {
    this.loading.start()
  }

  fileAnswered(id: FileRequestId, answer: FileAnswer): void {
    this.#jobs.answered(id, answer)
  }

  /** Why a write must be refused now: it could not be kept. An error reply without its dash. */
  refusal(): string | undefined {
    const { saving } = this
    const isStopped = saving.hasFailed && saving.hasPoints
    if (isStopped && this.#host.settings.flag('stop-writes-on-bgsave-error')) return MISCONF
    return this.aof.refusal()
  }

  /** Effects of one command or transaction, in the form replicas are told. */
  propagate(db: number, commands: readonly (readonly string[])[]): void {
    this.aof.propagate(db, commands)
  }

  /**
   * FLUSHALL: what a save is writing is not wanted any more, and with save points an empty file takes the
   * place of the old one. True: such a save comes, and `onSaved` is called when it has ended.
   */
  flushed(onSaved: () => void): boolean {
    this.saving.giveUp()
    if (this.saving.hasPoints) this.saving.order(onSaved)
    return this.saving.hasPoints
  }

  /** A full resynchronisation has replaced all keys, and no command has told of them. */
  dataReplaced(keys: number): void {
    if (this.isLoading) return
    this.#host.stats.changes += Math.max(1, keys)
    this.aof.dataReplaced()
  }

  /**
   * Every command of the turn has run: begins what they made due. True: a save has begun, and whoever
   * waited for it may read on already.
   */
  beginDue(): boolean {
    if (this.isLoading) return false
    this.shutdown.commandsDone()
    return this.saving.beginDue()
  }

  /** Before any reply of the turn leaves. */
  turnEnds(): void {
    this.aof.turnEnds()
  }

  wake(): void {
    if (this.isLoading) return
    this.shutdown.wake()
    this.saving.wake()
    this.aof.wake()
  }

  /** Monotonic; undefined when nothing is due. */
  nextWakeUpMs(): number | undefined {
    if (this.isLoading) return undefined
    const { shutdown, saving, aof } = this
    return earliest(shutdown.nextWakeUpMs(), saving.nextWakeUpMs(), aof.nextWakeUpMs())
  }
}
