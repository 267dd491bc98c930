/**
 * Loading the data when the node starts: the append-only file if it is configured, otherwise the dump.
 * Until that is done, commands that touch data are refused. Files that cannot be used end the process
 * and stay as they are: the operator decides what becomes of them, and starting empty over them would be
 * the one mistake that cannot be undone.
 */
import { unreachable } from '../../base/assert.ts'
import type { Aof } from './aof.ts'
import { change, namesIn, type Work } from './files.ts'
import type { PersistenceHost } from './host.ts'
import type { Jobs } from './jobs.ts'
import type { LoadPace } from './load-pace.ts'
import { LoadProgress } from './load-progress.ts'
import { refusedFile } from './load-refusals.ts'
import type { LoadedData, LoadResult } from './load-result.ts'
import { adoptRdb } from './rdb-adopt.ts'
import { loadRdb, tooLargeText } from './rdb-load.ts'

const EMPTY: LoadedData = {
  kind: 'loaded',
  position: undefined,
  expiredKeys: [],
  keys: 0,
  expired: 0,
  rdbKeys: 0,
}

const EXIT_REFUSED = 1

export class Loading {
  readonly #host: PersistenceHost
  readonly #jobs: Jobs
  readonly #aof: Aof
  readonly #pace: LoadPace
  #progress: LoadProgress | undefined
  #isActive = true
  #last: LoadedData = EMPTY

  constructor(host: PersistenceHost, jobs: Jobs, aof: Aof, pace: LoadPace) {
    this.#host = host
    this.#jobs = jobs
    this.#aof = aof
    this.#pace = pace
  }

  get isActive(): boolean {
    return this.#isActive
  }

  /**
   * [loading-process-events-interval-bytes] Whether so little has been read that clients need not notice.
   * Redis serves its clients only after every so many bytes.
   */
  get isOpening(): boolean {
    if (!this.#isActive) return false
    const quietBytes = this.#host.settings.int('loading-process-events-interval-bytes')
    return (this.#progress?.loadedBytes ?? 0) < quietBytes
  }

  /** The result of the last load. */
  get last(): LoadedData {
    return this.#last
  }

  /** Undefined if nothing is being loaded. */
  get progress(): LoadProgress | undefined {
    return this.#progress
  }

  start(): void {
    const work = this.#everything(this.#begin())
    this.#jobs.start(work, (result) => this.#started(result))
  }

  /** Loads the dump again, in place of the current data. */
  *reload(): Work<LoadResult> {
    const result = yield* this.#dump(this.#begin())
    this.#progress = undefined
    if (result.kind === 'loaded') this.#last = result
    return result
  }

  /** Loads the append-only file again, in place of the current data. */
  *reloadLog(): Work<LoadResult> {
    const result = yield* this.#aof.reload(this.#begin())
    this.#progress = undefined
    return result
  }

  #begin(): LoadProgress {
    const { port } = this.#host
    const log = (text: string) => port.log('notice', text)
    const fullness = (doneShare: number) => this.#host.heap.fullness(doneShare)
    this.#progress = new LoadProgress(() => this.#host.now, log, fullness)
    this.#progress.onKeys = (keys) => this.#pace.loaded(keys)
    return this.#progress
  }

  *#everything(progress: LoadProgress): Work<LoadResult> {
    yield* this.#removeLeftovers()
    if (this.#host.settings.flag('appendonly')) return yield* this.#aof.load(progress)
    return yield* this.#dump(progress)
  }

  *#dump(progress: LoadProgress): Work<LoadResult> {
    const { settings, keyspace } = this.#host
    const path = settings.text('dbfilename')
    const { serial, usage } = keyspace
    const isVerified = settings.flag('rdbchecksum')
    const parts = { dbs: keyspace.newTables(), serial, usage, isVerified, progress }
    const read = yield* loadRdb(path, parts)
    switch (read.kind) {
      case 'absent':
        return EMPTY
      case 'tooLarge':
        return { kind: 'refused', text: tooLargeText(settings.text('dir'), path, read.reason) }
      case 'unusable':
        return refusedFile({ dir: settings.text('dir'), path }, read.fault)
      case 'loaded':
        return yield* adoptRdb(this.#host, read.contents)
      default:
        return unreachable(read)
    }
  }

  /** Removes what an unfinished save, or a copy for a replica, of an earlier process has left behind. */
  *#removeLeftovers(): Work<void> {
    const { port } = this.#host
    const names = yield* namesIn('')
    // Whatever is wrong will be found again, and reported, when the data are read.
    if (!Array.isArray(names)) return
    const { processId, isRunning } = port.processFacts()
    for (const path of names as readonly string[]) {
      const id = Number(/^temp-(?:sync-)?([1-9]\d{0,9})(?:-\d+)?\.rdb$/.exec(path)?.[1])
      // Another node may keep its data in the same folder, under another name.
      if (Number.isNaN(id) || (id !== processId && isRunning(id))) continue
      const failure = yield* change({ kind: 'remove', path })
      port.log(
        'notice',
        `${path} is left of a save or a copy that did not end: ${failure?.text ?? 'removed'}`,
      )
    }
  }

  #started(result: LoadResult): void {
    const { port } = this.#host
    if (result.kind === 'loaded') return this.#loaded(result)
    port.log('warning', result.text)
    port.exit(EXIT_REFUSED, result.text)
  }

  #loaded(data: LoadedData): void {
    const host = this.#host
    this.#logLoaded(data)
    this.#last = { ...data, expiredKeys: [] }
    this.#progress = undefined
    this.#isActive = false
    host.stats.changes = 0
    host.replication.loaded(data.position)
    for (const { db, key } of data.expiredKeys) host.replication.tellExpired(db, key)
    host.port.log('notice', 'Ready to accept connections')
    host.replication.noteStart()
    host.port.ready()
  }

  #logLoaded({ keys, expired }: LoadedData): void {
    if (this.#progress?.totalBytes === 0) return
    const seconds = this.#progress?.seconds.toFixed(3)
    const left = expired === 0 ? '' : `, ${expired} had expired and were left out`
    this.#host.port.log('notice', `loaded ${keys} keys in ${seconds} seconds${left}`)
  }
}
