/**
 * The append-only file: every change is appended to it before anybody hears of it, and a node that starts
 * does everything again that is in it.
 *
 * On disk it is a folder of files, see aof-files.ts; the one that is written to is aof-log.ts. Here is
 * decided whether the files have everything, and when they are written anew. `incomplete`: something
 * happened that is not in them. They stay as they are, older data that can be loaded, until a rewrite
 * has put everything into new ones.
 */
import { earliest } from '../earliest.ts'
import type { FileWatcher, KeptFile } from '../replication/kept-file.ts'
import { AofFiles } from './aof-files.ts'
import { AofLog } from './aof-log.ts'
import { AofOpening } from './aof-opening.ts'
import { type AofReport, aofReport } from './aof-report.ts'
import { AofRewrite, type RewritePurpose } from './aof-rewrite.ts'
import { AofSchedule } from './aof-schedule.ts'
import type { FileFailure, Work } from './files.ts'
import type { PersistenceHost } from './host.ts'
import type { Jobs } from './jobs.ts'
import type { LoadProgress } from './load-progress.ts'
import type { LoadResult } from './load-result.ts'
import type { SnapshotTurn } from './snapshot-turn.ts'
import { systemErrorWords } from './system-errors.ts'
import type { UnreadDump } from './unread-dump.ts'

/** What a rewrite is for says what the files are. */
const STATES = { closed: 'base', complete: 'shorten', incomplete: 'rebuild' } as const

/** `closed`: nothing is appended. */
type State = keyof typeof STATES

/** What BGREWRITEAOF says. */
export type RewriteAnswer = 'started' | 'scheduled' | 'running'

const INCOMPLETE: FileFailure = {
  kind: 'failed',
  code: 'EBUSY',
  text: 'its files do not have everything yet, and the rewrite that puts it there has not ended',
}
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
  /** All files but the one that is written to. */
  #olderBytes = 0
  /** Why something could not be written that was done, until the files have it after all. */
  #lost: FileFailure | undefined
  #watcher: FileWatcher | undefined

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

  /** None, as long as the files do not have everything. */
  get syncedBytes(): number {
    return this.#state === 'complete' ? this.#log.syncedBytes : -1
  }

  get syncedOffset(): number | undefined {
    return this.#state === 'complete' ? this.#log.syncedOffset : undefined
  }

  /** Of the rewrite that runs, 0 when none does. */
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
   * Loads what the file has, see rdb-load.ts for its base. Called once, when the node starts with
   * [appendonly]; the dump file is not looked at then. Refused: it exits, and no file may have changed.
   */
  *load(progress: LoadProgress): Work<LoadResult> {
    const parts = { host: this.#host, files: this.#files, unreadDump: this.#unreadDump, progress }
    const opened = yield* new AofOpening(parts).run()
    if (opened.kind === 'refused') return opened
    const { increment, incrementBytes, olderBytes, baseBytes } = opened
    this.#log.continueIn(this.#files.pathOf(increment), incrementBytes)
    this.#log.complete()
    this.#state = 'complete'
    this.#olderBytes = olderBytes
    this.#schedule.rewrittenBytes = baseBytes
    const keys = this.#host.keyspace.dbs.reduce((sum, db) => sum + db.entries.size, 0)
    return { kind: 'loaded', position: undefined, expiredKeys: [], keys, expired: 0 }
  }

  /** Why a write must be refused now. An error reply without its dash. */
  refusal(): string | undefined {
    const failure = this.#log.failure ?? this.#lost
    if (failure === undefined) return undefined
    return `MISCONF Errors writing to the AOF file: ${systemErrorWords(failure.code)}`
  }

  /** Effects of one command or transaction, in the form replicas are told. */
  propagate(db: number, commands: readonly (readonly string[])[]): void {
    if (this.#state !== 'closed') this.#log.propagate(db, commands)
  }

  /** Before any reply of the turn leaves. */
  turnEnds(): void {
    this.#log.turnEnds()
    if (this.#state === 'complete' && !this.#rewrite.isRunning) {
      this.#schedule.consider(this.#sizeBytes)
    }
  }

  /** All keys were replaced at once (full resynchronisation, DEBUG RELOAD), which no command has told. */
  dataReplaced(): void {
    if (this.#state === 'closed') return
    // What was done before still belongs to the old files.
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
    const dueMs = this.#nextRewriteMs
    if (dueMs === undefined || this.#host.now.monoMs < dueMs) return
    this.#schedule.began()
    this.#rewrite.start(STATES[this.#state])
  }

  /** Monotonic; undefined when nothing is due. */
  nextWakeUpMs(): number | undefined {
    return earliest(this.#log.nextWakeUpMs(), this.#nextRewriteMs)
  }

  /**
   * The node is about to end, and no write follows: gives up a rewrite (and its turn), writes and syncs
   * everything. A failure keeps the node from going, unless it is forced to. A rewrite that puts into the
   * files what they lack goes on then: whoever asks again and again must not be what keeps it from ending.
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
      // It may still be about to end, with everything until it was switched off.
      this.#log.close()
      this.#state = 'incomplete'
      this.#order(this.#turn.isFree)
    } else {
      this.#switchOff()
    }
  }

  /** The files stay as they are, with everything in them. */
  #switchOff(): void {
    // Answers that wait for a sync get it.
    const end = () => {
      if (this.#state === 'closed') this.#log.close()
    }
    const isComplete = this.#state === 'complete'
    if (isComplete) this.#log.write()
    this.#state = 'closed'
    this.#schedule.cancel()
    this.#lost = undefined
    this.#watcher?.synced()
    if (isComplete) this.#jobs.start(this.#log.sync(), end)
    else end()
  }

  /** Should the node not end after all, they get everything as soon as possible. */
  #stillIncomplete(): FileFailure {
    this.#schedule.order('ordered')
    return INCOMPLETE
  }

  #becomeIncomplete(): void {
    this.#stopRewrite()
    this.#log.close()
    this.#state = 'incomplete'
  }

  // Rewrites

  get #isRewriting(): boolean {
    const { isRunning, isReserved } = this.#rewrite
    return isRunning || isReserved || (this.#schedule.isBeginning && this.#turn.isFree)
  }

  /** Monotonic; undefined: none is wanted, or somebody else takes a snapshot. */
  get #nextRewriteMs(): number | undefined {
    return this.#rewrite.mayStart ? this.#schedule.dueMs : undefined
  }

  /** With the next turn, before anybody else takes a snapshot, or after somebody has. */
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

  #rewriteFailed({ text }: FileFailure): void {
    this.#host.port.log('warning', `the append-only file could not be written anew: ${text}`)
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
      onGivenUp: (failure) => {
        this.#lost = failure
        this.#becomeIncomplete()
        this.#schedule.retry()
      },
      onSuspect: () => this.#schedule.order('ordered'),
    })
  }
}
