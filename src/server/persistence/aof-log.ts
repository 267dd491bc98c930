/**
 * The file of the append-only file that is being written: when its bytes go to the disk, and which
 * replies wait for that.
 *
 * What a turn has done is appended when the turn ends. [appendfsync] says what replies wait for: with
 * `always` for a sync (one sync serves every turn that ended before it began: while it runs, turns go on
 * and their output waits), otherwise only for the append, and the file is synced every second or when the
 * system likes. `everysec` promises that at most two seconds can be lost: if a sync takes so long that it
 * would be more, replies wait for it as well.
 *
 * If the disk fails, the promise of `always` cannot be kept, and the process ends before it sends a false
 * reply. Otherwise what could not be written is kept and retried every second, and writes of clients are
 * refused meanwhile, see `failure`. A master's stream cannot be refused: if too much of it waits, the
 * file is given up (`onGivenUp`), because a hole in it would be worse than an end. So is a file that has
 * been deleted, whatever [appendfsync] says: everything in it is now in memory only, and a process that
 * ended now would lose it. With `always`, replies that wait for the file then wait for the next one.
 */
import { assert } from '../../base/assert.ts'
import type { Moment } from '../../base/clock.ts'
import { LogWriter } from '../aof/log-writer.ts'
import { earliest } from '../earliest.ts'
import type { OutputGate } from '../sessions/output-gate.ts'
import type { Settings } from '../settings/settings.ts'
import { AofSyncs, type Sync } from './aof-syncs.ts'
import { AofTrouble, RETRY_MS } from './aof-trouble.ts'
import { change, type FileFailure, type Work } from './files.ts'
import type { Jobs } from './jobs.ts'

export interface AofLogParts {
  readonly gate: OutputGate
  readonly settings: Settings
  readonly jobs: Jobs
  now(): Moment
  /** [no-appendfsync-on-rewrite] Whether a snapshot is written and syncs should keep out of its way. */
  areSyncsPaused(): boolean
  /** The offset in the replication history of what has been done. */
  offset(): number
  /** More is on the disk than before. */
  onSynced(): void
  /** The file ends here, and what is done from now on is not in it. */
  onGivenUp(failure: FileFailure): void
  /** A sync failed once: how much of the file is on disk is unknown, whatever later syncs say. */
  onSuspect(): void
}

interface Place {
  readonly bytes: number
  readonly offset: number
}

type Target =
  | { readonly kind: 'nowhere' }
  | { readonly kind: 'file'; readonly path: string }
  /** On the way from one file to the next, which is not in the manifest yet. */
  | { readonly kind: 'between'; readonly oldPath: string }

/** How much may wait for a disk that fails or is slow. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024
const SYNC_PERIOD_MS = 1000
/** How many milliseconds of acknowledged writes a power cut may take with `everysec`. */
const MAX_LOST_MS = 2000
/** The error code for a missing file. */
const GONE = 'ENOENT'
const DISAPPEARED: FileFailure = { kind: 'failed', code: GONE, text: 'it has been deleted' }
const STUCK: FileFailure = { kind: 'failed', code: 'EIO', text: 'the disk does not answer' }

export class AofLog {
  readonly #parts: AofLogParts
  readonly #writer = new LogWriter()
  #target: Target = { kind: 'nowhere' }
  #sizeBytes = 0
  /** Whether the files on disk and this one have everything: only then can `always` be promised. */
  #isComplete = false
  #isDead = false
  /** Replies wait for files that are to be written anew: the files they should be in are gone. */
  #isOwing = false
  /** Only writes without a file are waiting: they are answered as soon as they are appended. */
  #waitsForAppend = false
  readonly #syncs = new AofSyncs()
  readonly #trouble: AofTrouble
  #nextSyncMs = 0
  #syncedBytes = 0
  #syncedOffset = 0

  constructor(parts: AofLogParts) {
    this.#parts = parts
    this.#trouble = new AofTrouble((text) => this.#log(text))
  }

  get sizeBytes(): number {
    return this.#sizeBytes
  }

  get waitingBytes(): number {
    return this.#writer.bytes
  }

  /** How many bytes have been done since the node started, written or not. */
  get doneBytes(): number {
    return this.#writer.totalBytes
  }

  /** How many of those are on the disk. */
  get syncedBytes(): number {
    return this.#syncedBytes
  }

  /** Everything up to this offset of the replication history is on the disk. */
  get syncedOffset(): number {
    return this.#syncedOffset
  }

  get isSyncing(): boolean {
    return this.#syncs.isRunning
  }

  /** How many syncs took too long. */
  get delayedSyncs(): number {
    return this.#syncs.delayed
  }

  /** Why what was done may not be kept. */
  get failure(): FileFailure | undefined {
    return this.#trouble.failure
  }

  /** Whether everything that was done is in the file. */
  get isEven(): boolean {
    return this.#target.kind === 'file' && this.#writer.bytes === 0
  }

  // Files

  /** Continues in this file, after `sizeBytes`. The one before it is synced. */
  continueIn(path: string, sizeBytes: number): void {
    this.#target = { kind: 'file', path }
    this.#sizeBytes = sizeBytes
  }

  /** A new file begins with the next command. */
  beginIn(path: string): void {
    this.#writer.beginFile()
    this.continueIn(path, 0)
  }

  /** What is done from now on waits for a new file. */
  leaveFile(): void {
    assert(this.#target.kind === 'file' && this.isEven, 'a file is left when it has everything')
    this.#target = { kind: 'between', oldPath: this.#target.path }
    this.#waitsForAppend = !this.#parts.gate.isBehind
    this.#writer.beginFile()
  }

  /** There will be no new file after all. */
  goBack(): void {
    if (this.#target.kind !== 'between') return
    this.#target = { kind: 'file', path: this.#target.oldPath }
  }

  /** From now on [appendfsync] holds. */
  complete(): void {
    this.#isComplete = true
    this.#isOwing = false
    this.#parts.gate.hold()
    if (this.#keptTurn() === this.#parts.gate.turn - 1) this.#noteSynced(this.#place())
  }

  /** Nothing is appended any more. */
  close(): void {
    this.#target = { kind: 'nowhere' }
    this.#isComplete = false
    this.#writer.clear()
    this.#syncs.forget()
    this.#trouble.forget()
    if (!this.#isOwing) this.#parts.gate.open()
  }

  /** The current file, or one of those before it, is no longer there. */
  disappeared(): void {
    this.#giveUp(DISAPPEARED)
  }

  /** The new files that replies wait for cannot be written either: we must not say that a write is safe. */
  cannotBeWritten(failure: FileFailure): void {
    if (this.#isOwing) this.#die('written', failure)
  }

  /** Replies no longer wait for new files: none are wanted any more. */
  forgive(): void {
    this.#isOwing = false
  }

  // What is done

  propagate(db: number, commands: readonly (readonly string[])[]): void {
    if (this.#target.kind === 'nowhere') return
    const { settings, gate, now } = this.#parts
    const isTimed = settings.flag('aof-timestamp-enabled')
    const second = isTimed ? Math.floor(now().wallMs / 1000) : undefined
    if (this.#writer.add(db, commands, second)) this.#syncs.done(gate.turn)
  }

  turnEnds(): void {
    if (this.#target.kind === 'nowhere' || this.#isDead) return
    if (this.#trouble.retryAtMs === undefined) this.write()
    if (this.#writer.bytes > MAX_WAITING_BYTES) return this.#giveUp(this.failure ?? STUCK)
    if (this.#isSyncDue()) this.#parts.jobs.start(this.sync(), () => undefined)
    if (this.#mayLetThrough()) this.#parts.gate.letThrough(this.#parts.gate.turn)
  }

  wake(): void {
    const { retryAtMs } = this.#trouble
    if (retryAtMs === undefined || this.#isDead) return
    if (this.#parts.now().monoMs >= retryAtMs) this.write()
  }

  nextWakeUpMs(): number | undefined {
    if (this.#target.kind !== 'file' || this.#isDead) return undefined
    const isSyncWanted = this.#syncs.isWanted && !this.isSyncing
    return earliest(
      this.#trouble.retryAtMs,
      isSyncWanted && this.#isSyncedByTime() ? this.#nextSyncMs : undefined,
    )
  }

  /** Appends what waits. Undefined if nothing waits any more, or it must go on waiting. */
  write(): FileFailure | undefined {
    if (this.#target.kind !== 'file') return undefined
    const { path } = this.#target
    for (let bytes = this.#writer.next; bytes !== undefined; bytes = this.#writer.next) {
      const failure = this.#parts.gate.appendNow(path, bytes)
      if (failure !== undefined) return this.#writeFailed(failure)
      this.#writer.written()
      this.#sizeBytes += bytes.length
      this.#syncs.writtenPart()
    }
    this.#syncs.writtenAll()
    this.#trouble.written()
    return undefined
  }

  /** Syncs what is written in the current file, or in the one we are leaving. May be given up. */
  *sync(): Work<FileFailure | undefined> {
    const path = this.#path()
    if (path === undefined) return undefined
    const sync = this.#beginSync()
    const place = this.#place()
    try {
      const failure = yield* change({ kind: 'sync', path })
      // A file we left meanwhile no longer matters.
      if (path === this.#path()) this.#syncEnded(sync, place, failure)
      return failure
    } finally {
      this.#syncs.ended(sync)
    }
  }

  // Inside

  #path(): string | undefined {
    if (this.#target.kind === 'nowhere') return undefined
    return this.#target.kind === 'file' ? this.#target.path : this.#target.oldPath
  }

  /** Whether replies wait for syncs. */
  #isStrict(): boolean {
    const { settings, areSyncsPaused } = this.#parts
    return this.#isComplete && settings.text('appendfsync') === 'always' && !areSyncsPaused()
  }

  #isSyncedByTime(): boolean {
    if (this.#parts.areSyncsPaused()) return false
    return this.#parts.settings.text('appendfsync') !== 'no' || this.#trouble.isSyncFailing
  }

  #isSyncDue(): boolean {
    if (!this.#syncs.isWanted || this.#target.kind !== 'file') return false
    const { monoMs } = this.#parts.now()
    const isDue = this.#isSyncedByTime() && monoMs >= this.#nextSyncMs
    if (this.isSyncing) {
      if (isDue) this.#syncs.countDelayed(monoMs)
      return false
    }
    // Replies that have waited since [appendfsync] was `always` still wait for a sync.
    return isDue || this.#isStrict() || this.#parts.gate.isBehind
  }

  #beginSync(): Sync {
    const { monoMs } = this.#parts.now()
    this.#nextSyncMs = monoMs + SYNC_PERIOD_MS
    return this.#syncs.begin(monoMs)
  }

  #syncEnded(sync: Sync, place: Place, failure: FileFailure | undefined): void {
    if (failure !== undefined) return this.#syncFailed(failure)
    this.#syncs.succeeded(sync)
    this.#synced(place)
  }

  /** How far everything is written, except what waits. */
  #place(): Place {
    return { bytes: this.doneBytes - this.#writer.bytes, offset: this.#parts.offset() }
  }

  #noteSynced({ bytes, offset }: Place): void {
    this.#syncedBytes = bytes
    this.#syncedOffset = offset
    this.#parts.onSynced()
  }

  #synced(place: Place): void {
    const { gate, onSuspect } = this.#parts
    if (this.#trouble.synced()) onSuspect()
    this.#noteSynced(place)
    // A file that is in no manifest yet keeps nothing.
    if (!this.#isOwing) gate.letThrough(this.#keptTurn())
  }

  #syncFailed(failure: FileFailure): void {
    // The file has been removed: no later sync can bring it back.
    if (failure.code === GONE) return this.#giveUp(failure)
    if (this.#isStrict()) return this.#die('synced', failure)
    this.#trouble.syncFailed(failure)
    this.#syncs.require(this.#parts.gate.turn)
    this.#nextSyncMs = this.#parts.now().monoMs + RETRY_MS
  }

  #writeFailed(failure: FileFailure): FileFailure {
    if (failure.code === GONE) this.#giveUp(failure)
    else if (this.#isStrict()) this.#die('written', failure)
    else this.#trouble.writeFailed(failure, this.#parts.now().monoMs)
    return failure
  }

  /** We must never say that a write is safe which is not. */
  #die(what: 'written' | 'synced', { text }: FileFailure): void {
    if (this.#isDead) return
    this.#isDead = true
    const { gate } = this.#parts
    const reason =
      `the append-only file cannot be ${what}, and appendfsync is always: ${text}. The node ends; ` +
      'nothing that was not safe has been acknowledged'
    gate.log('warning', reason)
    gate.seal()
    gate.exit(1, reason)
  }

  #giveUp(failure: FileFailure): void {
    const isGone = failure.code === GONE
    if (this.#isStrict() && !isGone) return this.#die('written', failure)
    this.#isOwing ||= this.#isStrict()
    const why = isGone
      ? 'its file has disappeared'
      : `${this.#writer.bytes} bytes wait to be appended`
    this.#log(
      `the append-only file ends here, and is written anew as soon as the disk lets it: ${why}`,
    )
    this.#parts.onGivenUp(failure)
  }

  /** The turn up to which everything, except the present turn, is as durable as `always` requires. */
  #keptTurn(): number {
    return this.#syncs.keptTurn(this.#parts.gate.turn)
  }

  #mayLetThrough(): boolean {
    if (this.#isDead || this.#isOwing) return false
    const isSynced = this.#syncs.isIdle
    if (this.#isStrict()) this.#waitsForAppend = false
    if (this.#isStrict()) return isSynced && this.#writer.bytes === 0
    // What was done is answered; new writes are refused, see `failure`.
    if (this.failure !== undefined) return true
    // There is no file to write to: if the process were killed now, it would lose writes that were
    // answered.
    if (this.#target.kind === 'between') return false
    const isAppended = this.#waitsForAppend
    this.#waitsForAppend = false
    return isAppended || isSynced || !(this.#parts.gate.isBehind || this.#isSyncOverdue())
  }

  /** The data that a sync covers may already have waited for up to a period when it began. */
  #isSyncOverdue(): boolean {
    if (this.#parts.settings.text('appendfsync') !== 'everysec') return false
    const sinceMs = this.#parts.now().monoMs - (MAX_LOST_MS - SYNC_PERIOD_MS)
    return this.#syncs.hasRunSince(sinceMs)
  }

  #log(text: string): void {
    this.#parts.gate.log('warning', text)
  }
}
