/**
 * Writes the append-only file anew: a base with the data as they are, and an increment for what follows.
 *
 * The order of the steps makes every crash leave files that can be loaded. First a new increment is
 * created and named in the manifest, then the base is written beside the old files, and only when it is
 * on the disk does a manifest name it and make everything older history.
 *
 * The data of the base are those of the moment between two increments, and no command may be missing
 * between them or be in both. So at that moment the old file must have everything, later commands wait,
 * and the new file is opened once the old one is synced and the manifest is on disk: a command in the
 * new file without one that was done before it would be a hole.
 *
 * If the old files do not contain the data (the file was switched on, a full resynchronisation replaced
 * everything, a part could not be written) they stay as they are until the new base is there, and the
 * new increment is not named before it. A crash until then loads the older data.
 */
import { assert } from '../../base/assert.ts'
import type { Manifest, ManifestFile } from '../aof/manifest.ts'
import { newBaseSource } from './aof-base.ts'
import type { AofFiles } from './aof-files.ts'
import type { AofLog } from './aof-log.ts'
import { abandonable, change, type FileFailure, sizeOf, type Work } from './files.ts'
import type { PersistenceHost } from './host.ts'
import type { Jobs } from './jobs.ts'
import { type SnapshotSource, writeSnapshot } from './rdb-save.ts'
import type { SnapshotTurn } from './snapshot-turn.ts'

/**
 * - `shorten`: the old files are complete, but too long.
 * - `rebuild`: they are not complete.
 * - `base`: nothing is appended; a later start with [appendonly] finds the data.
 * - `tidy`: only the history that was kept until now is deleted.
 */
export type RewritePurpose = 'shorten' | 'rebuild' | 'base' | 'tidy'

export interface RewriteParts {
  readonly host: PersistenceHost
  readonly jobs: Jobs
  readonly turn: SnapshotTurn
  readonly files: AofFiles
  readonly log: AofLog
  /** The files have everything now, in a base of this size and the increment that is being written. */
  done(purpose: RewritePurpose, baseBytes: number): void
  failed(failure: FileFailure): void
  /** The old increment is complete, and a new one follows it. */
  incrementEnded(sizeBytes: number): void
}

interface Run {
  readonly purpose: RewritePurpose
  /** [aof-use-rdb-preamble] Whether the base is RDB; otherwise it is commands. */
  readonly isRdb: boolean
  source: SnapshotSource | undefined
  /** An increment and a base that no manifest names: useless without each other. */
  unnamed: readonly ManifestFile[]
  isStopped: boolean
}

export const INCOMPLETE: FileFailure = {
  kind: 'failed',
  code: 'EBUSY',
  text: 'its files do not have everything yet, and the rewrite that puts it there has not ended',
}
const BUSY: FileFailure = { kind: 'failed', code: 'EBUSY', text: 'the file cannot be written' }

export class AofRewrite {
  readonly #parts: RewriteParts
  #run: Run | undefined
  #isReserved = false
  #onEnd: ((failure: FileFailure | undefined) => void)[] = []

  constructor(parts: RewriteParts) {
    this.#parts = parts
  }

  get isRunning(): boolean {
    return this.#run !== undefined
  }

  get keysTotal(): number {
    return this.#run?.source?.keysTotal ?? 0
  }

  get keysTaken(): number {
    return this.#run?.source?.keysTaken ?? 0
  }

  /** A client was told that it begins, and no other snapshot may come first. */
  get isReserved(): boolean {
    return this.#isReserved
  }

  get mayStart(): boolean {
    return !this.isRunning && (this.#isReserved || this.#parts.turn.isFree)
  }

  /** Takes the turn, which must be free, and keeps it until `start` or `stop`. */
  reserve(): void {
    this.#isReserved = this.#parts.turn.take('rewrite')
  }

  /** Begins. Call it when `mayStart`, and no command is running. */
  start(purpose: RewritePurpose): void {
    const { jobs, turn, host } = this.#parts
    if (!this.#isReserved) turn.take('rewrite')
    this.#isReserved = false
    const isRdb = host.settings.flag('aof-use-rdb-preamble')
    const run: Run = { purpose, isRdb, source: undefined, unnamed: [], isStopped: false }
    this.#run = run
    const work = abandonable(this.#write(run), () => run.isStopped)
    jobs.start(work, (result) => {
      if (!run.isStopped) this.#end(run, result)
    })
  }

  /** [aof-disable-auto-gc] History that was kept until now goes at once. A rewrite takes it along when it ends. */
  tidy(): void {
    const isAny = this.#parts.files.manifest.history.length > 0
    if (isAny && !this.isRunning && this.#parts.turn.isFree) this.start('tidy')
  }

  /** `onEnd` is called once, when the running one or the next has succeeded or failed; not if it is given up. */
  whenEnded(onEnd: (failure: FileFailure | undefined) => void): void {
    this.#onEnd.push(onEnd)
  }

  /**
   * Gives it up. What it has written so far is either never read, or as good as what was there
   * before.
   */
  stop(): void {
    if (this.#isReserved) this.#parts.turn.release('rewrite')
    this.#isReserved = false
    const run = this.#run
    if (run === undefined) return
    run.isStopped = true
    this.#letGo(run)
    this.#discard(run)
    this.#parts.log.goBack()
  }

  #end(run: Run, failure: FileFailure | undefined): void {
    this.#letGo(run)
    if (failure !== undefined) {
      this.#discard(run)
      this.#parts.failed(failure)
    }
    const tell = this.#onEnd
    this.#onEnd = []
    for (const onEnd of tell) onEnd(failure)
  }

  #letGo(run: Run): void {
    run.source?.giveUp()
    this.#run = undefined
    this.#parts.turn.release('rewrite')
  }

  *#write(run: Run): Work<FileFailure | undefined> {
    if (run.purpose === 'tidy') return yield* this.#deleteHistory()
    const increment = yield* this.#beginIncrement(run)
    if (increment !== undefined && 'kind' in increment) return increment
    const baseBytes = yield* this.#writeBase(run)
    if (typeof baseBytes !== 'number') return baseBytes
    const failure = yield* this.#nameBase(run, increment)
    if (failure !== undefined) return failure
    this.#parts.done(run.purpose, baseBytes)
    return yield* this.#deleteHistory()
  }

  /** Files that stay are no failure: the manifest still names them, and the next rewrite tries again. */
  *#deleteHistory(): Work<undefined> {
    const { files, host } = this.#parts
    const leftover = yield* files.deleteHistory()
    if (leftover !== undefined) {
      host.port.log('warning', `old append-only files could not be deleted: ${leftover.text}`)
    }
    return undefined
  }

  /** The increment that continues from the moment of the snapshot; undefined if none does. */
  *#beginIncrement(run: Run): Work<ManifestFile | FileFailure | undefined> {
    const { files, log } = this.#parts
    const failure =
      (yield* change({ kind: 'makeFolder', folder: files.folder })) ?? (yield* files.learn())
    if (failure !== undefined) return failure
    if (run.purpose === 'base') {
      this.#fixMoment(run)
      return undefined
    }
    const increment = files.nextIncrement()
    const path = files.pathOf(increment)
    run.unnamed = [increment]
    const uncreated = yield* change({ kind: 'create', path })
    if (uncreated !== undefined) return uncreated
    if (run.purpose === 'shorten') return (yield* this.#moveOn(run, increment)) ?? increment
    this.#fixMoment(run)
    log.beginIn(path)
    return increment
  }

  /** Moves from one increment to the next. */
  *#moveOn(run: Run, increment: ManifestFile): Work<FileFailure | undefined> {
    const { files, log, incrementEnded } = this.#parts
    const { base, history, increments } = files.manifest
    const next: Manifest = { base, history, increments: [...increments, increment] }
    // Most of what has to be done before the moment itself is done here.
    const failure = (yield* files.prepare(next)) ?? (yield* log.sync())
    if (failure !== undefined) return failure
    log.write()
    if (!log.isEven) return BUSY
    log.leaveFile()
    this.#fixMoment(run)
    const failed = (yield* log.sync()) ?? (yield* this.#name(run, next))
    if (failed !== undefined) {
      log.goBack()
      return failed
    }
    incrementEnded(log.sizeBytes)
    log.continueIn(files.pathOf(increment), 0)
    return undefined
  }

  /** Even if that fails, the disk may have the manifest, and the files it names must stay. */
  *#name(run: Run, manifest: Manifest): Work<FileFailure | undefined> {
    run.unnamed = []
    return yield* this.#parts.files.commit(manifest)
  }

  #fixMoment(run: Run): void {
    const { host } = this.#parts
    run.source = newBaseSource(host, run.isRdb)
  }

  /** Removes what was written in vain, so that it takes no room, least of all on a full disk. */
  #discard({ unnamed }: Run): void {
    const { jobs, files } = this.#parts
    const paths = [files.newBasePath, ...unnamed.map((file) => files.pathOf(file))]
    jobs.start(removeAll(paths), () => undefined)
  }

  *#writeBase(run: Run): Work<number | FileFailure> {
    assert(run.source !== undefined, 'the moment is fixed before it is written')
    const path = this.#parts.files.newBasePath
    const failure = yield* writeSnapshot(run.source, path)
    if (failure !== undefined) return failure
    const size = yield* sizeOf(path)
    return size === 'absent' ? BUSY : size
  }

  /** Everything older than base and increment is history from here on. */
  *#nameBase(run: Run, increment: ManifestFile | undefined): Work<FileFailure | undefined> {
    const { files, log } = this.#parts
    const base = files.nextBase(run.isRdb)
    run.unnamed = [...run.unnamed, base]
    const unnamed = yield* change({
      kind: 'rename',
      from: files.newBasePath,
      to: files.pathOf(base),
    })
    if (unnamed !== undefined) return unnamed
    // Once the manifest names the increment, it must have what was appended so far.
    const unsynced = run.purpose === 'rebuild' ? yield* log.sync() : undefined
    if (unsynced !== undefined) return unsynced
    const history = files.named.filter(({ name }) => name !== increment?.name)
    const increments = increment === undefined ? [] : [increment]
    const next: Manifest = { base, history, increments }
    return (yield* files.prepare(next)) ?? (yield* this.#name(run, next))
  }
}

/** One after the other: the first one may still be about to get the name of another. */
function* removeAll(paths: readonly string[]): Work<void> {
  for (const path of paths) yield* change({ kind: 'remove', path })
}
