/**
 * The file of the append-only file that is written to: when its bytes go to the disk, and who may hear
 * of it before they are there.
 *
 * What a turn has done is appended when the turn ends. [appendfsync] says what replies wait for: with
 * `always` for a sync (one serves every turn that ended before it began: while it runs, turns go on and
 * their output waits), otherwise only for the append, and the file is synced every second or when the
 * system likes. `everysec` says that two seconds can be lost: when a sync takes so long that it would be
 * more, replies wait for it as well.
 *
 * When the disk fails, `always` cannot be kept and the process ends before anybody is told a lie.
 * Otherwise what could not be written is kept and tried again every second, and clients are refused
 * meanwhile, see `failure`. A master's stream cannot be refused: when too much of it waits, the file
 * is given up (`onGivenUp`), because a hole in it would be worse than an end.
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
  /** [no-appendfsync-on-rewrite] A snapshot is being written and syncs are to keep out of its way. */
  areSyncsPaused(): boolean
  /** In the replication history, of what has been done. */
  offset(): number
  /** More is on the disk than before. */
  onSynced(): void
  /** The file ends here, and what is done from now on is not in it. */
  onGivenUp(failure: FileFailure): void
  /** A sync failed once: nobody knows what of the file is on the disk, whatever later syncs say. */
  onSuspect(): void
}

interface Place {
  readonly bytes: number
  readonly offset: number
}

type Target =
  | { readonly kind: 'nowhere' }
  | { readonly kind: 'file'; readonly path: string }
  /** From one file to the next, which is not in the manifest yet. */
  | { readonly kind: 'between'; readonly oldPath: string }

/** What may wait for a disk that fails or is slow. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024
const SYNC_PERIOD_MS = 1000
/** What a power cut may take of acknowledged writes with `everysec`. */
const MAX_LOST_MS = 2000
/** There is no such file. */
const GONE = 'ENOENT'
const STUCK: FileFailure = { kind: 'failed', code: 'EIO', text: 'the disk does not answer' }

export class AofLog {
  readonly #parts: AofLogParts
  readonly #writer = new LogWriter()
  #target: Target = { kind: 'nowhere' }
  #sizeBytes = 0
  /** Whether the files on disk, with this one, have everything: only then `always` can be promised. */
  #isComplete = false
  #isDead = false
  /** Nothing waits but what had no file to be in: that is answered as soon as it is appended. */
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

  /** What has been done since the node started, written or not. */
  get doneBytes(): number {
    return this.#writer.totalBytes
  }

  /** How much of that is on the disk. */
  get syncedBytes(): number {
    return this.#syncedBytes
  }

  /** Up to there in the replication history everything is on the disk. */
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

  /** Everything that was done is in the file. */
  get isEven(): boolean {
    return this.#target.kind === 'file' && this.#writer.bytes === 0
  }

  // Files

  /** Goes on in this file, after `sizeBytes`. What was in the one before is synced. */
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

  /** There is no new file after all. */
  goBack(): void {
    if (this.#target.kind !== 'between') return
    this.#target = { kind: 'file', path: this.#target.oldPath }
  }

  /** From now on [appendfsync] holds. */
  complete(): void {
    this.#isComplete = true
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
    this.#parts.gate.open()
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
      isSyncWanted && this.#isSyncedByTime ? this.#nextSyncMs : undefined,
    )
  }

  /** Appends what waits. Undefined: nothing does any more, or it has to. */
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

  /** Syncs what is written in the file, or in the one that is being left. May be given up. */
  *sync(): Work<FileFailure | undefined> {
    const path = this.#path
    if (path === undefined) return undefined
    const sync = this.#beginSync()
    const place = this.#place()
    try {
      const failure = yield* change({ kind: 'sync', path })
      // Of a file that was left meanwhile nothing is expected any more.
      if (path === this.#path) this.#syncEnded(sync, place, failure)
      return failure
    } finally {
      this.#syncs.ended(sync)
    }
  }

  // Inside

  get #path(): string | undefined {
    if (this.#target.kind === 'nowhere') return undefined
    return this.#target.kind === 'file' ? this.#target.path : this.#target.oldPath
  }

  /** Replies wait for syncs. */
  get #isStrict(): boolean {
    const { settings, areSyncsPaused } = this.#parts
    return this.#isComplete && settings.text('appendfsync') === 'always' && !areSyncsPaused()
  }

  get #isSyncedByTime(): boolean {
    if (this.#parts.areSyncsPaused()) return false
    return this.#parts.settings.text('appendfsync') !== 'no' || this.#trouble.isSyncFailing
  }

  #isSyncDue(): boolean {
    if (!this.#syncs.isWanted || this.#target.kind !== 'file') return false
    const { monoMs } = this.#parts.now()
    const isDue = this.#isSyncedByTime && monoMs >= this.#nextSyncMs
    if (this.isSyncing) {
      if (isDue) this.#syncs.countDelayed(monoMs)
      return false
    }
    // Whoever has waited since [appendfsync] was `always` still waits for a sync.
    return isDue || this.#isStrict || this.#parts.gate.isBehind
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

  /** How far everything is written, but for what waits. */
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
    gate.letThrough(this.#keptTurn())
  }

  #syncFailed(failure: FileFailure): void {
    if (this.#isStrict) return this.#die('synced', failure)
    // Somebody has taken the file away: no later sync can bring it back.
    if (failure.code === GONE) return this.#giveUp(failure)
    this.#trouble.syncFailed(failure)
    this.#syncs.require(this.#parts.gate.turn)
    this.#nextSyncMs = this.#parts.now().monoMs + RETRY_MS
  }

  #writeFailed(failure: FileFailure): FileFailure {
    if (this.#isStrict) this.#die('written', failure)
    this.#trouble.writeFailed(failure, this.#parts.now().monoMs)
    return failure
  }

  /** Nobody may be told that a write is safe which is not. */
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
    if (this.#isStrict) return this.#die('written', failure)
    const why =
      failure.code === GONE
        ? 'its file has disappeared'
        : `${this.#writer.bytes} bytes wait to be appended`
    this.#log(
      `the append-only file ends here, and is written anew as soon as the disk lets it: ${why}`,
    )
    this.#parts.onGivenUp(failure)
  }

  /** Up to which turn everything is where [appendfsync] always wants it, but for the present turn. */
  #keptTurn(): number {
    return this.#syncs.keptTurn(this.#parts.gate.turn)
  }

  #mayLetThrough(): boolean {
    if (this.#isDead) return false
    const isSynced = this.#syncs.isIdle
    if (this.#isStrict) this.#waitsForAppend = false
    if (this.#isStrict) return isSynced && this.#writer.bytes === 0
    // What was done is answered; what is to come is refused, see `failure`.
    if (this.failure !== undefined) return true
    // There is no file to be in: a process that is killed now would take with it what was answered.
    if (this.#target.kind === 'between') return false
    const isAppended = this.#waitsForAppend
    this.#waitsForAppend = false
    return isAppended || isSynced || !(this.#parts.gate.isBehind || this.#isSyncOverdue())
  }

  /** What it makes safe had been waiting for up to a period when it began. */
  #isSyncOverdue(): boolean {
    if (this.#parts.settings.text('appendfsync') !== 'everysec') return false
    const sinceMs = this.#parts.now().monoMs - (MAX_LOST_MS - SYNC_PERIOD_MS)
    return this.#syncs.hasRunSince(sinceMs)
  }

  #log(text: string): void {
    this.#parts.gate.log('warning', text)
  }
}
