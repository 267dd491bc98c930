/**
 * Saving the data to the RDB file: what requests it and when, one save at a time, and the result of the
 * last one. rdb-save.ts writes it.
 *
 * A save begins when a client asks for it (BGSAVE), when a save point is reached, or as an order: the
 * caller waits until a save that began after the order is safely on disk (SAVE, FLUSHALL, SHUTDOWN). Orders
 * wait for the snapshot turn; all that wait together are served by one save.
 */
import type { FileFailure } from './files.ts'
import type { PersistenceHost } from './host.ts'
import type { Jobs } from './jobs.ts'
import { auxFields } from './rdb-aux.ts'
import { rdbOptions } from './rdb-options.ts'
import { type SaveEnd, SnapshotSource, saveRdb } from './rdb-save.ts'
import { SavePace } from './save-pace.ts'
import type { SnapshotTurn } from './snapshot-turn.ts'
import type { UnreadDump } from './unread-dump.ts'

/** Undefined if the ordered save is on disk. */
export type OnSaved = (failure: FileFailure | undefined) => void

/** Why BGSAVE began nothing: a save is running, or another snapshot is. */
export type SaveRefusal = 'running' | 'taken'

interface Run {
  readonly source: SnapshotSource
  readonly startedAtMs: number
  readonly changesBefore: number
  readonly waiters: readonly OnSaved[]
  /** Requested without waiting for it. */
  readonly isBackground: boolean
  /** Begun by the node, because the last one failed. */
  readonly isRetry: boolean
}

/** How long after a failed save the next one begins at the earliest. */
const RETRY_MS = 5000
const AT_ONCE = 0

export class Saving {
  readonly #host: PersistenceHost
  readonly #jobs: Jobs
  readonly #turn: SnapshotTurn
  readonly #unreadDump: UnreadDump
  #run: Run | undefined
  /** The orders that wait for a save which has not begun. */
  #orders: OnSaved[] = []
  #isScheduled = false
  #points = parseSavePoints('')
  /** Monotonic. */
  #triedAtMs = 0
  #savedAtMs: number
  #savedAtWallMs: number
  #hasFailed = false
  /** The reason logged last, until a save succeeds. */
  #loggedReason: string | undefined
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

  /** Whether the last background save failed. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** Unix time of the last successful save or, until there is one, of the start. */
  get savedAtSeconds(): number {
    return Math.floor(this.#savedAtWallMs / 1000)
  }

  /** How many saves have begun. */
  get begun(): number {
    return this.#begun
  }

  /** How long the last background save or copy for replicas took; -1 if there was none. */
  get lastDurationSeconds(): number {
    const { lastBackgroundMs } = this.#turn
    return lastBackgroundMs === undefined ? -1 : Math.floor(lastBackgroundMs / 1000)
  }

  /** How long the running background save has taken; -1 if none runs. */
  get durationSeconds(): number {
    if (this.#run?.isBackground !== true) return -1
    return Math.floor((this.#host.now.monoMs - this.#run.startedAtMs) / 1000)
  }

  get isRunning(): boolean {
    return this.#run !== undefined
  }

  /** Whether a save runs that no client waits for: for Redis, only such a save is one. */
  get isInBackground(): boolean {
    return this.#run?.isBackground === true
  }

  /** Whether the node tries again what failed: a client's own request comes behind it. */
  get isRetrying(): boolean {
    return this.#run?.isRetry === true
  }

  /** How many keys the running save has to write; 0 if none runs. */
  get keysTotal(): number {
    return this.#run?.source.keysTotal ?? 0
  }

  /** How many of `keysTotal` are done. */
  get keysTaken(): number {
    return this.#run?.source.keysTaken ?? 0
  }

  /**
   * Begins one at once, or behind a retry: that one may still write where the last one failed, and its place has been
   * changed since. Undefined if nothing is in the way.
   */
  start(): SaveRefusal | undefined {
    if (this.isRetrying) return this.schedule()
    if (this.#run !== undefined) return 'running'
    if (!this.#turn.isFree) return 'taken'
    this.#begin()
    return undefined
  }

  /** One begins as soon as possible; no client waits for it. */
  schedule(): undefined {
    this.#isScheduled = true
  }

  /** One begins when this turn ends or as soon after as possible, and `onSaved` gets the result. */
  order(onSaved: OnSaved): void {
    this.#orders.push(onSaved)
  }

  /**
   * The result of the running save is not wanted any more. Orders that wait for it are served by the
   * next save; the turn is free when the disk has answered.
   */
  giveUp(): void {
    this.#run?.source.giveUp()
  }

  /** True if an ordered or scheduled save has begun. */
  beginDue(): boolean {
    if (!this.#isDue() || !this.#turn.isFree) return false
    this.#begin()
    return true
  }

  wake(): void {
    if (!this.#turn.isFree) return
    const nextMs = this.#nextPointMs()
    if (nextMs !== undefined && this.#host.now.monoMs >= nextMs) this.#begin(this.#hasFailed)
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
    if (!this.#hasFailed) return nextMs
    const retryMs = this.#triedAtMs + RETRY_MS + 1
    // The writes that would reach a save point are refused: without a try this would last until the next one.
    if (this.#stopsWrites) return retryMs
    return nextMs === undefined ? undefined : Math.max(nextMs, retryMs)
  }

  get #stopsWrites(): boolean {
    return this.hasPoints && this.#host.settings.flag('stop-writes-on-bgsave-error')
  }

  #begin(isRetry = false): void {
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
      new SavePace(settings, () => this.#host.now),
    )
    const before = { startedAtMs: now.monoMs, changesBefore: stats.changes }
    const run = { source, ...before, waiters, isBackground, isRetry }
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
    if (run.isBackground) this.#turn.lastBackgroundMs = durationMs
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
    // All data may have been loaded anew meanwhile, and nothing be unsaved.
    stats.changes = Math.max(0, stats.changes - run.changesBefore)
    this.#savedAtMs = now.monoMs
    this.#savedAtWallMs = now.wallMs
    this.#hasFailed = false
    this.#loggedReason = undefined
    port.log('notice', `saved ${run.source.keysTotal} keys in ${durationMs} ms`)
    for (const onSaved of run.waiters) onSaved(undefined)
  }

  #failed(run: Run, failure: FileFailure): void {
    // Those that wait for it get the failure. As in Redis, that alone does not stop writes.
    if (run.isBackground) this.#hasFailed = true
    this.#logFailure(failure.text)
    for (const onSaved of run.waiters) onSaved(failure)
  }

  /** A failing save is retried every few seconds: the same reason is worth one line. */
  #logFailure(reason: string): void {
    if (this.#loggedReason === reason) return
    this.#loggedReason = reason
    const { port, settings } = this.#host
    port.log('warning', `cannot save ${settings.text('dbfilename')}: ${reason}`)
  }
}

/** [save] When to save without a request: after this many changes, if the last save was this long ago. */

interface SavePoint {
  readonly seconds: number
  readonly changes: number
}

/**
 * `3600 1 300 100`: an hour after one change, five minutes after a hundred. The setting must be
 * valid.
 */
function parseSavePoints(text: string): readonly SavePoint[] {
  const numbers = text.split(' ').filter((word) => word !== '')
  const points: SavePoint[] = []
  for (let at = 0; at + 1 < numbers.length; at += 2) {
    points.push({ seconds: Number(numbers[at]), changes: Number(numbers[at + 1]) })
  }
  return points
}

/** When the first point with enough changes is reached; undefined if none will be. Monotonic. */
function nextSaveMs(
  points: readonly SavePoint[],
  changes: number,
  lastSaveMs: number,
): number | undefined {
  let nextMs: number | undefined
  for (const point of points) {
    if (changes < point.changes) continue
    // More than that many seconds ago, as in Redis.
    const reachedMs = lastSaveMs + point.seconds * 1000 + 1
    nextMs = Math.min(nextMs ?? reachedMs, reachedMs)
  }
  return nextMs
}
