/**
 * Which files the append-only file is made of, and how that is changed: a new manifest is written beside
 * the old one, synced, and takes its name. A rename makes the names of all files safe that were made in
 * the folder before it, so a manifest never names a file that a power cut could take away.
 */
import {
  EMPTY_MANIFEST,
  filesOf,
  formatManifest,
  type Manifest,
  type ManifestFile,
} from '../aof/manifest.ts'
import type { Settings } from '../settings/settings.ts'
import { readManifest } from './aof-manifest-file.ts'
import { change, type FileFailure, namesIn, type Work } from './files.ts'

export class AofFiles {
  readonly #settings: Settings
  #manifest: Manifest = EMPTY_MANIFEST
  #lastBaseSeq = 0
  #lastIncrementSeq = 0
  /** Lie in the folder without being in a manifest. */
  #strangers: ReadonlySet<string> = new Set()
  /** The manifest is what is on disk. */
  #isKnown = false

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** What is on disk, as far as we know. */
  get manifest(): Manifest {
    return this.#manifest
  }

  get folder(): string {
    return this.#settings.text('appenddirname')
  }

  get manifestPath(): string {
    return `${this.folder}/${this.#name}.manifest`
  }

  /** Of servers before 7.0: everything in one file, beside the folder. */
  get singlePath(): string {
    return this.#name
  }

  /** Where a base is written before it has its name. */
  get newBasePath(): string {
    return `${this.folder}/temp-rewriteaof.aof`
  }

  pathOf({ name }: ManifestFile): string {
    return `${this.folder}/${name}`
  }

  /** This is what was found. */
  adopt(manifest: Manifest): void {
    this.#isKnown = true
    this.#manifest = manifest
    this.#lastBaseSeq = Math.max(0, manifest.base?.seq ?? 0)
    this.#lastIncrementSeq = manifest.increments.at(-1)?.seq ?? 0
  }

  /** [dir] is another one: whatever lies there, it is not what we know. */
  forget(): void {
    this.#isKnown = false
  }

  /**
   * Before the first file is written into a folder nothing was loaded from: what its manifest names stays
   * as it is until another manifest is there, and then is history. One that cannot be understood is
   * replaced, and what lies beside it stays.
   */
  *learn(): Work<FileFailure | undefined> {
    if (this.#isKnown) return undefined
    const found = yield* readManifest(this.manifestPath)
    if (found.kind === 'failed') return found
    const names = yield* namesIn(this.folder)
    if ('kind' in names) return names
    this.adopt(found.kind === 'read' ? found.manifest : EMPTY_MANIFEST)
    this.strangersAmong(names)
    return undefined
  }

  /** These of the folder look like bases and increments of ours. Names that are taken are not written over. */
  strangersAmong(names: readonly string[]): readonly string[] {
    const found = names.filter(
      (name) =>
        name.startsWith(`${this.#name}.`) &&
        /^\.\d+\.(base\.(rdb|aof)|incr\.aof)$/.test(name.slice(this.#name.length)),
    )
    this.#strangers = new Set(found)
    return found
  }

  /** The old file of a server before 7.0 becomes the base. */
  singleAsBase(): ManifestFile {
    return { name: this.#name, seq: 1 }
  }

  /** A name no base has had. */
  nextBase(isRdb: boolean): ManifestFile {
    const ending = isRdb ? 'rdb' : 'aof'
    for (;;) {
      const seq = ++this.#lastBaseSeq
      const file = { name: `${this.#name}.${seq}.base.${ending}`, seq }
      if (!this.#isTaken(file)) return file
    }
  }

  /** A name no increment has had. */
  nextIncrement(): ManifestFile {
    for (;;) {
      const seq = ++this.#lastIncrementSeq
      const file = { name: `${this.#name}.${seq}.incr.aof`, seq }
      if (!this.#isTaken(file)) return file
    }
  }

  /** Writes the next manifest beside the present one. */
  *prepare(manifest: Manifest): Work<FileFailure | undefined> {
    const path = this.#newManifestPath
    return (
      (yield* change({ kind: 'create', path })) ??
      (yield* change({ kind: 'append', path, bytes: formatManifest(manifest) })) ??
      (yield* change({ kind: 'sync', path }))
    )
  }

  /** What was prepared counts from now on. */
  *commit(manifest: Manifest): Work<FileFailure | undefined> {
    const failure = yield* change({
      kind: 'rename',
      from: this.#newManifestPath,
      to: this.manifestPath,
    })
    if (failure === undefined) this.#manifest = manifest
    return failure
  }

  *replaceManifest(manifest: Manifest): Work<FileFailure | undefined> {
    return (yield* this.prepare(manifest)) ?? (yield* this.commit(manifest))
  }

  /** [aof-disable-auto-gc] Deletes what is history, and then forgets it. */
  *deleteHistory(): Work<FileFailure | undefined> {
    const { base, history, increments } = this.#manifest
    if (history.length === 0 || this.#settings.flag('aof-disable-auto-gc')) return undefined
    for (const file of history) {
      const failure = yield* change({ kind: 'remove', path: this.pathOf(file) })
      if (failure !== undefined) return failure
    }
    return yield* this.replaceManifest({ base, history: [], increments })
  }

  get #name(): string {
    return this.#settings.text('appendfilename')
  }

  get #newManifestPath(): string {
    return `${this.folder}/temp-${this.#name}.manifest`
  }

  #isTaken({ name }: ManifestFile): boolean {
    return this.#strangers.has(name) || filesOf(this.#manifest).some((file) => file.name === name)
  }
}
