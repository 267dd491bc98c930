/**
 * Keeping the data: loading them when the node starts, snapshots (RDB), and the append-only file (AOF).
 * Each mechanism has its own file; this one wires them together.
 */
import { earliest } from '../earliest.ts'
import { Aof } from './aof.ts'
import { askFor, type FileAnswer, type FileRequestId, type JournalPiece } from './files.ts'
import { Handover } from './handover.ts'
import type { PersistenceHost } from './host.ts'
import { Jobs } from './jobs.ts'
import { LoadPace } from './load-pace.ts'
import { Loading } from './loading.ts'
import { Saving } from './saving.ts'
import { Shutdown } from './shutdown.ts'
import { UnreadDump } from './unread-dump.ts'

const MISCONF =
  "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. " +
  'Commands that may modify the data set are disabled, because this instance is configured to report ' +
  'errors during writes if RDB snapshotting fails (stop-writes-on-bgsave-error option). Please check ' +
  'the Redis logs for details about the RDB error.'

export class Persistence {
  readonly aof: Aof
  readonly loading: Loading
  readonly saving: Saving
  readonly handover: Handover
  readonly shutdown: Shutdown
  readonly reloading: Reloading
  readonly #host: PersistenceHost
  readonly #jobs: Jobs
  readonly #pace: LoadPace

  constructor(host: PersistenceHost) {
    this.#host = host
    const jobs = new Jobs((id, request) => host.port.askFile(id, request))
    this.#jobs = jobs
    const unreadDump = new UnreadDump(host)
    this.aof = new Aof(host, jobs, host.snapshotTurn, unreadDump)
    this.#pace = new LoadPace(host.settings, () => host.now)
    this.loading = new Loading(host, jobs, this.aof, this.#pace)
    this.saving = new Saving(host, jobs, host.snapshotTurn, unreadDump)
    this.handover = new Handover(host)
    const { aof, saving, loading, handover } = this
    const isLoading = () => this.isLoading
    this.shutdown = new Shutdown({ host, jobs, saving, aof, handover, isLoading })
    this.reloading = new Reloading({ host, jobs, saving, loading, aof })
  }

  get isLoading(): boolean {
    return this.loading.isActive
  }

  /**
   * While this is true no client gets an answer, not even that the node is loading: with little to load,
   * or nothing, that is over in a moment, and need not show right after a start.
   */
  get isOpening(): boolean {
    return this.loading.isOpening
  }

  /** Begins to load. */
  start(): void {
    this.loading.start()
  }

  /** [black-box] Asks for the node's own journal; a piece of it, or what there is of it. */
  askJournal(piece: JournalPiece | undefined, answer: (found: FileAnswer) => void): void {
    this.#jobs.start(askFor({ kind: 'journal', piece }), answer)
  }

  fileAnswered(id: FileRequestId, answer: FileAnswer): void {
    if (!this.#pace.holds(id, answer)) this.#jobs.answered(id, answer)
  }

  /** Why a write must be refused now (it could not be kept), as an error reply without its dash. */
  refusal(): string | undefined {
    const { saving } = this
    const isStopped = saving.hasFailed && saving.hasPoints
    if (isStopped && this.#host.settings.flag('stop-writes-on-bgsave-error')) return MISCONF
    return this.aof.refusal()
  }

  /** The effects of one command or transaction, in the form that replicas get. */
  propagate(db: number, commands: readonly (readonly string[])[]): void {
    this.aof.propagate(db, commands)
  }

  /**
   * FLUSHALL: the result of a running save is not wanted any more, and with save points an empty file
   * replaces the old one. True if such a save comes; `onSaved` is called when it has ended.
   */
  flushed(onSaved: () => void): boolean {
    this.saving.giveUp()
    if (this.saving.hasPoints) this.saving.order(onSaved)
    return this.saving.hasPoints
  }

  /** A full resynchronisation or DEBUG RELOAD has replaced all keys, without a command for it. */
  dataReplaced(keys: number): void {
    if (this.isLoading || this.reloading.isOfTheLog) return
    this.#host.stats.changes += Math.max(1, keys)
    this.aof.dataReplaced()
    if (!this.reloading.isActive) this.#saveCopy()
  }

  /**
   * What the dump has is from before the copy, if there is one at all. Waiting for a save point would leave the
   * copies of a whole group in memory alone. An append-only file has its own way (above).
   */
  #saveCopy(): void {
    if (this.saving.hasPoints && !this.aof.isOn) this.saving.schedule()
  }

  /**
   * Called when every command of the turn has run: begins what they made due. True if a save has
   * begun, and clients that waited for it may be able to continue.
   */
  beginDue(): boolean {
    if (this.isLoading) return false
    this.shutdown.commandsDone()
    return this.saving.beginDue()
  }

  /** Called before any reply of the turn leaves. */
  turnEnds(): void {
    this.aof.turnEnds()
  }

  wake(): void {
    for (const { id, answer } of this.#pace.due()) this.#jobs.answered(id, answer)
    this.#jobs.wake(this.#host.now.monoMs)
    if (this.isLoading) return
    this.shutdown.wake()
    if (!this.#host.isCronPaused) this.saving.wake()
    this.aof.wake()
  }

  /** Monotonic; undefined if nothing is due. */
  nextWakeUpMs(): number | undefined {
    const paceMs = earliest(this.#pace.nextWakeUpMs(), this.#jobs.nextWakeUpMs())
    if (this.isLoading) return paceMs
    const { shutdown, saving, aof } = this
    const savingMs = this.#host.isCronPaused ? undefined : saving.nextWakeUpMs()
    return earliest(paceMs, shutdown.nextWakeUpMs(), savingMs, aof.nextWakeUpMs())
  }
}

/**
 * DEBUG RELOAD and LOADAOF: saves the data and loads them again from the file, for tests. No other command runs
 * meanwhile, or its effects would be lost.
 */
interface ReloadingParts {
  readonly host: PersistenceHost
  readonly jobs: Jobs
  readonly saving: Saving
  readonly loading: Loading
  readonly aof: Aof
}

/** The dump after a save, the dump as it is, or the append-only file. */
type ReloadSource = 'savedFirst' | 'asSaved' | 'log'

/** Undefined if it succeeded, otherwise why not. */
type OnReloaded = (problem: string | undefined) => void

class Reloading {
  readonly #parts: ReloadingParts
  isActive = false
  /** The append-only file has what is loaded, and stays as it is: what is written next is kept in it. */
  isOfTheLog = false

  constructor(parts: ReloadingParts) {
    this.#parts = parts
  }

  /** False if one is running. */
  begin(source: ReloadSource, onReloaded: OnReloaded): boolean {
    const { saving, host, aof } = this.#parts
    if (this.isActive || (source === 'log' && !aof.mayReload)) return false
    this.isActive = true
    this.isOfTheLog = source !== 'asSaved'
    host.pause.start(Number.POSITIVE_INFINITY, 'all', 'reload')
    const end = (problem: string | undefined) => this.#end(problem, onReloaded)
    const load = () => this.#load(source, end)
    if (source !== 'savedFirst') load()
    else saving.order((failure) => (failure === undefined ? load() : end(failure.text)))
    return true
  }

  #load(source: ReloadSource, end: OnReloaded): void {
    const { host, jobs, loading } = this.#parts
    jobs.start(source === 'log' ? loading.reloadLog() : loading.reload(), (result) => {
      if (result.kind === 'refused') return end(result.text)
      for (const { db, key } of result.expiredKeys) host.replication.tellExpired(db, key)
      host.stats.changes = 0
      this.#keep(end)
    })
  }

  /** An older dump is not what the append-only file has: no write may follow before a new one has it. */
  #keep(end: OnReloaded): void {
    const { aof } = this.#parts
    if (this.isOfTheLog || !aof.isOn) return end(undefined)
    aof.restore((failure) => end(failure?.text))
  }

  #end(problem: string | undefined, onReloaded: OnReloaded): void {
    this.isActive = false
    this.isOfTheLog = false
    this.#parts.host.pause.end('reload')
    onReloaded(problem)
  }
}
