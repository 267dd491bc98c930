/**
 * The append-only file: every change is appended to it before its reply leaves, and a node that starts
 * executes everything in it again.
 *
 * On disk it is a folder of files, see aof-files.ts; the one that is being written is aof-log.ts. This file
 * decides whether the files have everything, and when they are rewritten. `incomplete`: something happened
 * that is not in them. They stay as they are, older data that can be loaded, until a rewrite has put
 * everything into new ones.
 *
 * An operator may delete the folder, or a file in it, or put another file in its place, and then a process that ends
 * loses data. So every second we check that the files are there and the last one has what we wrote, even when nothing
 * is written, and write them anew if not.
 */
import { earliest } from '../earliest.ts'
import type { FileWatcher, KeptFile } from '../replication/serving/waits.ts'
import { AofFiles } from './aof-files.ts'
import { AofLog } from './aof-log.ts'
import { AofOpening } from './aof-opening.ts'
import { type AofReport, aofReport } from './aof-report.ts'
import { AofRewrite, INCOMPLETE, type RewritePurpose } from './aof-rewrite.ts'
import { AofSchedule } from './aof-schedule.ts'
import { loadAgain } from './aof-target.ts'
import { systemErrorWords } from './aof-trouble.ts'
import type { FileFailure, Work } from './files.ts'
import type { PersistenceHost } from './host.ts'
import type { Jobs } from './jobs.ts'
import type { LoadProgress } from './load-progress.ts'
import type { LoadResult } from './load-result.ts'
import type { SnapshotTurn } from './snapshot-turn.ts'
import type { UnreadDump } from './unread-dump.ts'

/** The purpose of a rewrite depends on the state of the files. */
const STATES = { closed: 'base', complete: 'shorten', incomplete: 'rebuild' } as const

/** `closed`: nothing is appended. */
type State = keyof typeof STATES

/** What BGREWRITEAOF answers. */
export type RewriteAnswer = 'started' | 'scheduled' | 'running'

const LOOK_PERIOD_MS = 1000
const DIR_IN_USE = 'the append-only file is open in the present one, or is being written there'

export class Aof implements KeptFile {
  readonly #host: PersistenceHost
  readonly #jobs: Jobs
  readonly #turn: SnapshotTurn
  readonly #unreadDump: UnreadDump
  readonly #files: AofFiles
  readonly #log: AofLog
  readonly #schedule: AofSchedule
  readonly #rewrite: AofRewrite
  #state: State = 'closed'
  /** The size of all files except the one that is being written. */
  #olderBytes = 0
  /** Why something that was done could not be written, until the files have it after all. */
  #lost: FileFailure | undefined
  #watcher: FileWatcher | undefined
  /** Monotonic. When to check again that the files are there. */
  #nextLookMs = 0
  #isLooking = false

  constructor(host: PersistenceHost, jobs: Jobs, turn: SnapshotTurn, unreadDump: UnreadDump) {
    this.#host = host
    this.#jobs = jobs
    this.#turn = turn
    this.#unreadDump = unreadDump
    this.#files = new AofFiles(host.settings)
    this.#log = this.#newLog()
    this.#schedule = new AofSchedule(host)
    this.#rewrite = this.#newRewrite()
    host.settings.onChange('appendonly', () => this.#switched())
    host.settings.onChange('aof-disable-auto-gc', () => this.#rewrite.tidy())
    host.settings.onChange('dir', () => this.#files.forget())
    host.settings.guard(['dir'], () =>
      this.isOn || this.#rewrite.isRunning ? DIR_IN_USE : undefined,
    )
  }

  get isOn(): boolean {
    return this.#state !== 'closed'
  }

  get doneBytes(): number {
    return this.#log.doneBytes
  }

  /** Bytes that are done and not written. */
  get waitingBytes(): number {
    return this.#log.waitingBytes
  }

  /** -1 as long as the files do not have everything. */
  get syncedBytes(): number {
    return this.#state === 'complete' ? this.#log.syncedBytes : -1
  }

  get syncedOffset(): number | undefined {
    return this.#state === 'complete' ? this.#log.syncedOffset : undefined
  }

  /** How many keys the running rewrite has to write; 0 if none runs. */
  get keysTotal(): number {
    return this.#rewrite.keysTotal
  }

  /** How many of `keysTotal` are done. */
  get keysTaken(): number {
    return this.#rewrite.keysTaken
  }

  follow(watcher: FileWatcher): void {
    this.#watcher = watcher
  }

  /**
   * Loads the data from the files; for its base see rdb-load.ts. Called once, when the node starts with
   * [appendonly]; the dump file is ignored then. If refused, the node exits, and no file may have
   * changed.
   */
  *load(progress: LoadProgress): Work<LoadResult> {
    const parts = { host: this.#host, files: this.#files, unreadDump: this.#unreadDump, progress }
    const opened = yield* new AofOpening(parts).run()
    if (opened.kind === 'refused') return opened
    const { increment, incrementBytes, olderBytes, baseBytes, rdbKeys } = opened
    this.#log.continueIn(this.#files.pathOf(increment), incrementBytes)
    this.#log.complete()
    this.#state = 'complete'
    this.#olderBytes = olderBytes
    this.#nextLookMs = this.#host.now.monoMs + LOOK_PERIOD_MS
    this.#schedule.rewrittenBytes = baseBytes
    const keys = this.#host.keyspace.dbs.reduce((sum, db) => sum + db.entries.size, 0)
    return { kind: 'loaded', position: undefined, expiredKeys: [], keys, expired: 0, rdbKeys }
  }

  /** Whether the files have all that they should, and stay as they are while they are read. */
  get mayReload(): boolean {
    return this.#state !== 'incomplete' && !this.#isRewriting
  }

  /**
   * DEBUG LOADAOF: the data become what the files say, also those of a BGREWRITEAOF with the file switched
   * off. Commands must wait meanwhile.
   */
  *reload(progress: LoadProgress): Work<LoadResult> {
    const failure = this.#log.write()
    if (failure !== undefined) return { kind: 'refused', text: failure.text }
    return yield* loadAgain(this.#host, this.#files, progress)
  }

  /** Writes them anew, whatever failed before; `onEnd` is called once, when that has succeeded or failed. */
  restore(onEnd: (failure: FileFailure | undefined) => void): void {
    this.#rewrite.whenEnded(onEnd)
    if (!this.#rewrite.isRunning) this.#schedule.order('ordered')
  }

  /** Why a write must be refused now, as an error reply without its dash. */
  refusal(): string | undefined {
    const failure = this.#log.failure ?? this.#lost
    if (failure === undefined) return undefined
    return `MISCONF Errors writing to the AOF file: ${systemErrorWords(failure.code)}`
  }

  /** The effects of one command or transaction, in the form that replicas get. */
  propagate(db: number, commands: readonly (readonly string[])[]): void {
    if (this.#state !== 'closed') this.#log.propagate(db, commands)
  }

  /** Called before any reply of the turn leaves. */
  turnEnds(): void {
    this.#log.turnEnds()
    if (this.#state === 'complete' && !this.#rewrite.isRunning) {
      this.#schedule.consider(this.#sizeBytes)
    }
  }

  /** All keys were replaced at once (full resynchronisation, DEBUG RELOAD), without a command for it. */
  dataReplaced(): void {
    if (this.#state === 'closed') return
    // What was done before still belongs in the old files.
    this.#log.write()
    this.#becomeIncomplete()
    this.#schedule.order('ordered')
  }

  /** BGREWRITEAOF. */
  orderRewrite(isInTransaction: boolean): RewriteAnswer {
    if (this.#isRewriting) return 'running'
    const mayStart = this.#turn.isFree && !isInTransaction
    this.#order(mayStart)
    return mayStart ? 'started' : 'scheduled'
  }

  wake(): void {
    this.#log.wake()
    this.#look()
    const dueMs = this.#nextRewriteMs
    if (dueMs === undefined || this.#host.now.monoMs < dueMs) return
    this.#schedule.began()
    this.#rewrite.start(STATES[this.#state])
  }

  /** Monotonic; undefined if nothing is due. */
  nextWakeUpMs(): number | undefined {
    const lookMs = this.#mayLook ? this.#nextLookMs : undefined
    return earliest(this.#log.nextWakeUpMs(), this.#nextRewriteMs, lookMs)
  }

  /**
   * The node is about to end, and no write follows: gives up a rewrite (and its turn), writes and syncs
   * everything. A rewrite that adds what
   * the files lack goes on: repeated requests to end must not be what prevents it from finishing.
   */
  *finish(isForced: boolean): Work<FileFailure | undefined> {
    if (this.#state === 'incomplete' && !isForced) {
      if (this.#rewrite.isRunning) return INCOMPLETE
      return this.#stillIncomplete()
    }
    this.#stopRewrite()
    this.#schedule.cancel()
    if (this.#state === 'closed') return undefined
    if (this.#state === 'incomplete') return this.#stillIncomplete()
    return this.#log.write() ?? (yield* this.#log.sync())
  }

  report(): AofReport {
    return aofReport({
      isOn: this.isOn,
      isRewriting: this.#isRewriting,
      isFailing: this.refusal() !== undefined,
      sizeBytes: this.#sizeBytes,
      schedule: this.#schedule,
      log: this.#log,
    })
  }

  // Switched on and off

  #switched(): void {
    const isWanted = this.#host.settings.flag('appendonly')
    if (isWanted === this.isOn) return
    this.#stopRewrite()
    if (isWanted) {
      // The old log may still be about to close, with everything up to the switching off.
      this.#log.close()
      this.#state = 'incomplete'
      this.#order(this.#turn.isFree)
    } else {
      this.#switchOff()
    }
  }

  /** The files stay as they are, with everything in them. */
  #switchOff(): void {
    // Replies that wait for a sync get it.
    const end = () => {
      if (this.#state === 'closed') this.#log.close()
    }
    const isComplete = this.#state === 'complete'
    if (isComplete) this.#log.write()
    this.#state = 'closed'
    this.#schedule.cancel()
    this.#lost = undefined
    this.#log.forgive()
    this.#watcher?.synced()
    if (isComplete) this.#jobs.start(this.#log.sync(), end)
    else end()
  }

  /** If the node does not end after all, the files get everything as soon as possible. */
  #stillIncomplete(): FileFailure {
    this.#schedule.order('ordered')
    return INCOMPLETE
  }

  #becomeIncomplete(): void {
    this.#stopRewrite()
    this.#log.close()
    this.#state = 'incomplete'
  }

  // Files that are gone

  /** A running rewrite changes which files there are, and reports itself if it cannot. */
  get #mayLook(): boolean {
    return this.#state === 'complete' && !this.#rewrite.isRunning && !this.#isLooking
  }

  #look(): void {
    const { monoMs } = this.#host.now
    if (!this.#mayLook || monoMs < this.#nextLookMs) return
    this.#nextLookMs = monoMs + LOOK_PERIOD_MS
    this.#isLooking = true
    const { manifest } = this.#files
    this.#jobs.start(this.#files.damage(this.#log.sizeBytes), (damage) => {
      this.#isLooking = false
      // The files have changed meanwhile.
      if (!this.#mayLook || manifest !== this.#files.manifest || damage === undefined) return
      this.#host.port.log('warning', damage)
      this.#log.disappeared()
    })
  }

  #givenUp(failure: FileFailure): void {
    if (this.#state === 'closed') {
      this.#log.forgive()
      return this.#log.close()
    }
    this.#lost = failure
    this.#becomeIncomplete()
    this.#schedule.retry()
  }

  // Rewrites

  get #isRewriting(): boolean {
    const { isRunning, isReserved } = this.#rewrite
    return isRunning || isReserved || (this.#schedule.isBeginning && this.#turn.isFree)
  }

  /** Monotonic; undefined if none is wanted, or another snapshot is running. */
  get #nextRewriteMs(): number | undefined {
    return this.#rewrite.mayStart ? this.#schedule.dueMs : undefined
  }

  /** With the next turn, before any other snapshot can begin, or after the running one. */
  #order(mayStart: boolean): void {
    this.#schedule.order(mayStart ? 'ordered' : 'scheduled')
    if (mayStart) this.#rewrite.reserve()
  }

  #stopRewrite(): void {
    this.#rewrite.stop()
    this.#schedule.stopped()
  }

  #rewritten(purpose: RewritePurpose, baseBytes: number): void {
    this.#olderBytes = baseBytes
    this.#schedule.succeeded(this.#sizeBytes)
    this.#host.port.log(
      'notice',
      `the append-only file was written anew, from ${baseBytes} bytes on`,
    )
    if (purpose !== 'rebuild') return
    this.#state = 'complete'
    this.#lost = undefined
    this.#log.complete()
  }

  #rewriteFailed(failure: FileFailure): void {
    this.#host.port.log(
      'warning',
      `the append-only file could not be written anew: ${failure.text}`,
    )
    this.#log.cannotBeWritten(failure)
    this.#schedule.failed()
    if (this.#state !== 'incomplete') return
    this.#log.close()
    this.#schedule.retry()
  }

  get #sizeBytes(): number {
    return this.#olderBytes + this.#log.sizeBytes
  }

  #newRewrite(): AofRewrite {
    return new AofRewrite({
      host: this.#host,
      jobs: this.#jobs,
      turn: this.#turn,
      files: this.#files,
      log: this.#log,
      done: (purpose, baseBytes) => this.#rewritten(purpose, baseBytes),
      failed: (failure) => this.#rewriteFailed(failure),
      incrementEnded: (bytes) => {
        this.#olderBytes += bytes
      },
    })
  }

  #newLog(): AofLog {
    const { port: gate, settings } = this.#host
    return new AofLog({
      gate,
      settings,
      jobs: this.#jobs,
      now: () => this.#host.now,
      areSyncsPaused: () => settings.flag('no-appendfsync-on-rewrite') && !this.#turn.isFree,
      offset: () => this.#watcher?.offset() ?? 0,
      onSynced: () => this.#watcher?.synced(),
      onGivenUp: (failure) => this.#givenUp(failure),
      onSuspect: () => this.#schedule.order('ordered'),
    })
  }
}
