/**
 * Saving the data to the RDB file: who wants it and when, one save at a time, and what came of the last
 * one. Writing it is in rdb-save.ts.
 *
 * A save begins when it is asked for (BGSAVE), when a save point is reached, or as an order: somebody waits
 * until a save that has begun after his asking is safe on disk (SAVE, FLUSHALL, SHUTDOWN). Orders wait for
 * the snapshot turn; whoever waits together is served by one save.
 */
import type { FileFailure } from './files.ts'
import type { PersistenceHost } from './host.ts'
import type { Jobs } from './jobs.ts'
import { auxFields } from './rdb-aux.ts'
import { rdbOptions } from './rdb-options.ts'
import { type SaveEnd, SnapshotSource, saveRdb } from './rdb-save.ts'
import { nextSaveMs, parseSavePoints } from './save-points.ts'
import type { SnapshotTurn } from './snapshot-turn.ts'
import type { UnreadDump } from './unread-dump.ts'

/** Undefined: what he ordered is safe. */
export type OnSaved = (failure: FileFailure | undefined) => void

/** Why BGSAVE began nothing: a save runs, or somebody else takes a snapshot. */
export type SaveRefusal = 'running' | 'taken'

interface Run {
  readonly source: SnapshotSource
  readonly startedAtMs: number
  readonly changesBefore: number
  readonly waiters: readonly OnSaved[]
  /** Somebody wants it who does not wait for it. */
  readonly isBackground: boolean
}

/** After a save that failed, the save points are not looked at for so long. */
const RETRY_MS = 5000
const AT_ONCE = 0

export class Saving {
  readonly #host: PersistenceHost
  readonly #jobs: Jobs
  readonly #turn: SnapshotTurn
  readonly #unreadDump: UnreadDump
  #run: Run | undefined
  /** Who waits for a save that has not begun. */
  #orders: OnSaved[] = []
  #isScheduled = false
  #points = parseSavePoints('')
  /** Monotonic. */
  #triedAtMs = 0
  #savedAtMs: number
  #savedAtWallMs: number
  #hasFailed = false
  /** Of the failure that was logged last, until a save succeeds. */
  #loggedReason: string | undefined
  #lastDurationMs: number | undefined
  #begun = 0

  constructor(host: PersistenceHost, jobs: Jobs, turn: SnapshotTurn, unreadDump: UnreadDump) {
    this.#host = host
    this.#jobs = jobs
    this.#turn = turn
    this.#unreadDump = unreadDump
    const readPoints = () => {
      this.#points = parseSavePoints(host.settings.text('save'))
    }
    readPoints()
    host.settings.onChange('save', readPoints)
    this.#savedAtMs = host.now.monoMs
    this.#savedAtWallMs = host.now.wallMs
  }

  get hasPoints(): boolean {
    return this.#points.length > 0
  }

  /** The last save in the background did not succeed. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** Unix time. Of the last save that succeeded; until there is one, of the start. */
  get savedAtSeconds(): number {
    return Math.floor(this.#savedAtWallMs / 1000)
  }

  /** How many have begun. */
  get begun(): number {
    return this.#begun
  }

  /** Of the last one in the background. -1: there was none. */
  get lastDurationSeconds(): number {
    return this.#lastDurationMs === undefined ? -1 : Math.floor(this.#lastDurationMs / 1000)
  }

  /** Of the one in the background. -1: none runs. */
  get durationSeconds(): number {
    if (this.#run?.isBackground !== true) return -1
    return Math.floor((this.#host.now.monoMs - this.#run.startedAtMs) / 1000)
  }

  get isRunning(): boolean {
    return this.#run !== undefined
  }

  /** One runs that somebody wants who does not wait for it: for Redis, a save is no other. */
  get isInBackground(): boolean {
    return this.#run?.isBackground === true
  }

  /** Of the save that runs, 0 when none does. */
  get keysTotal(): number {
    return this.#run?.source.keysTotal ?? 0
  }

  /** How many of `keysTotal` are done. */
  get keysTaken(): number {
    return this.#run?.source.keysTaken ?? 0
  }

  /** Begins one at once. Undefined: it has begun. */
  start(): SaveRefusal | undefined {
    if (this.#run !== undefined) return 'running'
    if (!this.#turn.isFree) return 'taken'
    this.#begin()
    return undefined
  }

  /** One begins as soon as it can; nobody waits for it. */
  schedule(): void {
    this.#isScheduled = true
  }

  /** One begins when this turn ends or as soon after as it can, and then somebody is told. */
  order(onSaved: OnSaved): void {
    this.#orders.push(onSaved)
  }

  /**
   * What it is writing is not wanted any more. Whoever waits for it is served by the next; the turn is
   * free when the disk has answered.
   */
  giveUp(): void {
    this.#run?.source.giveUp()
  }

  /** True: one has begun that was ordered or scheduled. */
  beginDue(): boolean {
    if (!this.#isDue() || !this.#turn.isFree) return false
    this.#begin()
    return true
  }

  wake(): void {
    if (!this.#turn.isFree) return
    const nextMs = this.#nextPointMs()
    if (nextMs !== undefined && this.#host.now.monoMs >= nextMs) this.#begin()
  }

  nextWakeUpMs(): number | undefined {
    if (!this.#turn.isFree) return undefined
    return this.#isDue() ? AT_ONCE : this.#nextPointMs()
  }

  #isDue(): boolean {
    return this.#orders.length > 0 || this.#isScheduled
  }

  #nextPointMs(): number | undefined {
    const nextMs = nextSaveMs(this.#points, this.#host.stats.changes, this.#savedAtMs)
    if (nextMs === undefined || !this.#hasFailed) return nextMs
    return Math.max(nextMs, this.#triedAtMs + RETRY_MS + 1)
  }

  #begin(): void {
    const { keyspace, now, stats, settings } = this.#host
    this.#turn.take('save')
    this.#begun++
    this.#triedAtMs = now.monoMs
    const waiters = this.#orders
    const isBackground = this.#isScheduled || waiters.length === 0
    this.#orders = []
    this.#isScheduled = false
    const source = new SnapshotSource(
      keyspace,
      auxFields(this.#host, false),
      rdbOptions(this.#host),
    )
    const before = { startedAtMs: now.monoMs, changesBefore: stats.changes }
    const run = { source, ...before, waiters, isBackground }
    this.#run = run
    const path = settings.text('dbfilename')
    const work = saveRdb(source, this.#tempPath(), path, this.#unreadDump)
    this.#jobs.start(work, (end) => this.#ended(run, end))
  }

  #tempPath(): string {
    return `temp-${this.#host.port.processFacts().processId}.rdb`
  }

  #ended(run: Run, end: SaveEnd): void {
    this.#run = undefined
    this.#turn.release('save')
    const durationMs = this.#host.now.monoMs - run.startedAtMs
    if (run.isBackground) this.#lastDurationMs = durationMs
    switch (end.kind) {
      case 'saved':
        return this.#succeeded(run, durationMs)
      case 'failed':
        return this.#failed(run, end.failure)
      case 'givenUp':
        this.#orders.unshift(...run.waiters)
    }
  }

  #succeeded(run: Run, durationMs: number): void {
    const { stats, now, port } = this.#host
    // Everything may have been loaded anew meanwhile, and nothing be unsaved.
    stats.changes = Math.max(0, stats.changes - run.changesBefore)
    this.#savedAtMs = now.monoMs
    this.#savedAtWallMs = now.wallMs
    this.#hasFailed = false
    this.#loggedReason = undefined
    port.log('notice', `saved ${run.source.keysTotal} keys in ${durationMs} ms`)
    for (const onSaved of run.waiters) onSaved(undefined)
  }

  #failed(run: Run, failure: FileFailure): void {
    // Who waits for it is told. As with Redis, that alone does not stop writes.
    if (run.isBackground) this.#hasFailed = true
    this.#logFailure(failure.text)
    for (const onSaved of run.waiters) onSaved(failure)
  }

  /** It is tried every few seconds: the same reason is worth one line. */
  #logFailure(reason: string): void {
    if (this.#loggedReason === reason) return
    this.#loggedReason = reason
    const { port, settings } = this.#host
    port.log('warning', `cannot save ${settings.text('dbfilename')}: ${reason}`)
  }
}
