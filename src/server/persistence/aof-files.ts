/**
 * Which files make up the append-only file, and how that changes: a new manifest is written beside the
 * old one, synced, and renamed to its name. A rename makes the names of all files durable that were
 * created in the folder before it, so a manifest never names a file that a power cut could take away.
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
import { change, type FileFailure, namesIn, sizeOf, type Work } from './files.ts'

export class AofFiles {
  readonly #settings: Settings
  #manifest: Manifest = EMPTY_MANIFEST
  #lastBaseSeq = 0
  #lastIncrementSeq = 0
  /** Files in the folder that are in no manifest. */
  #strangers: ReadonlySet<string> = new Set()
  /** Files of manifests that we did not see reach the disk: it may have the last one all the same. */
  #doubtful: readonly ManifestFile[] = []
  /** Whether `#manifest` is what is on disk. */
  #isKnown = false

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** The manifest on disk, as far as we know. */
  get manifest(): Manifest {
    return this.#manifest
  }

  get folder(): string {
    return this.#settings.text('appenddirname')
  }

  get manifestPath(): string {
    return `${this.folder}/${this.#name}.manifest`
  }

  /** Every file that the manifest on disk may name. */
  get named(): readonly ManifestFile[] {
    return [...filesOf(this.#manifest), ...this.#doubtful]
  }

  /** The file of servers before 7.0: everything in one, beside the folder. */
  get singlePath(): string {
    return this.#name
  }

  /** Where a base is written until it gets its name. */
  get newBasePath(): string {
    return `${this.folder}/temp-rewriteaof.aof`
  }

  pathOf({ name }: ManifestFile): string {
    return `${this.folder}/${name}`
  }

  /** Takes over the manifest that was found. */
  adopt(manifest: Manifest): void {
    this.#isKnown = true
    this.#manifest = manifest
    this.#doubtful = []
    this.#lastBaseSeq = Math.max(0, manifest.base?.seq ?? 0)
    this.#lastIncrementSeq = manifest.increments.at(-1)?.seq ?? 0
  }

  /** [dir] has changed: we do not know what is in the new folder. */
  forget(): void {
    this.#isKnown = false
  }

  /**
   * Call before the first file is written into a folder from which nothing was loaded: the files its
   * manifest names stay as they are until another manifest replaces it, and then are history. A manifest
   * that cannot be understood is replaced, and the files beside it stay.
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

  /** The manifest, also of a folder from which nothing was loaded; undefined: none that can be read. */
  *onDisk(): Work<Manifest | undefined> {
    if (this.#isKnown) return this.#manifest
    const found = yield* readManifest(this.manifestPath)
    return found.kind === 'read' ? found.manifest : undefined
  }

  /**
   * What somebody else did to the files while the node runs, in words; undefined if nothing, or that cannot be
   * determined. `writtenBytes`: how long the last one is at least, as it only grows.
   */
  *damage(writtenBytes: number): Work<string | undefined> {
    const last = this.#manifest.increments.at(-1)
    const missing = yield* this.#missing()
    if (missing !== undefined) return `${missing} has been deleted while the node runs`
    if (last === undefined) return undefined
    const path = this.pathOf(last)
    const sizeBytes = yield* sizeOf(path)
    if (typeof sizeBytes !== 'number' || sizeBytes >= writtenBytes) return undefined
    const lack = `it has ${sizeBytes} bytes, and ${writtenBytes} were written`
    return `${path} has been replaced or cut off while the node runs: ${lack}`
  }

  *#missing(): Work<string | undefined> {
    const names = yield* namesIn(this.folder)
    if ('kind' in names) return undefined
    const present = new Set(names)
    const { base, increments } = this.#manifest
    const files = base === undefined ? increments : [base, ...increments]
    const paths = [this.manifestPath, ...files.map((file) => this.pathOf(file))]
    return paths.find((path) => !present.has(path.slice(this.folder.length + 1)))
  }

  get strangers(): readonly string[] {
    return [...this.#strangers]
  }

  /** The files among these that look like our bases and increments. New files never get one of their names. */
  strangersAmong(names: readonly string[]): readonly string[] {
    const found = names.filter(
      (name) =>
        name.startsWith(`${this.#name}.`) &&
        /^\.\d+\.(base\.(rdb|aof)|incr\.aof)$/.test(name.slice(this.#name.length)),
    )
    this.#strangers = new Set(found)
    return found
  }

  /** The single file of a server before 7.0 becomes the base. */
  singleAsBase(): ManifestFile {
    return { name: this.#name, seq: 1 }
  }

  /** A name that no base has had. */
  nextBase(isRdb: boolean): ManifestFile {
    const ending = isRdb ? 'rdb' : 'aof'
    for (;;) {
      const seq = ++this.#lastBaseSeq
      const file = { name: `${this.#name}.${seq}.base.${ending}`, seq }
      if (!this.#isTaken(file)) return file
    }
  }

  /** A name that no increment has had. */
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

  /**
   * The prepared manifest takes effect. If that fails, or the answer is not waited for, the disk may have either
   * manifest, and the files of both stay.
   */
  *commit(manifest: Manifest): Work<FileFailure | undefined> {
    this.#doubtful = without(this.#manifest, [...filesOf(manifest), ...this.#doubtful])
    const failure = yield* change({
      kind: 'rename',
      from: this.#newManifestPath,
      to: this.manifestPath,
    })
    if (failure !== undefined) return failure
    this.#manifest = manifest
    this.#doubtful = without(manifest, this.#doubtful)
    return undefined
  }

  *replaceManifest(manifest: Manifest): Work<FileFailure | undefined> {
    return (yield* this.prepare(manifest)) ?? (yield* this.commit(manifest))
  }

  /** [aof-disable-auto-gc] Deletes the history files, and then removes them from the manifest. */
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
    return this.#strangers.has(name) || this.named.some((file) => file.name === name)
  }
}

/** Each of the files that the manifest does not name, once. */
function without(manifest: Manifest, files: readonly ManifestFile[]): readonly ManifestFile[] {
  const others = new Map(files.map((file) => [file.name, file]))
  for (const { name } of filesOf(manifest)) others.delete(name)
  return [...others.values()]
}
