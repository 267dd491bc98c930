/**
 * Which files the append-only file is read from when a node starts. Nothing is changed, so that `vedette check` can look
 * as the node would.
 *
 * A server before 7.0 kept everything in one file beside the folder. It counts as the base.
 */
import { unreachable } from '../../base/assert.ts'
import { EMPTY_MANIFEST, type Manifest, type ManifestFile } from '../aof/manifest.ts'
import type { Settings } from '../settings/settings.ts'
import type { AofFiles } from './aof-files.ts'
import { type AofSource, refusedAof } from './aof-load.ts'
import { readManifest } from './aof-manifest-file.ts'
import { type FileFailure, namesIn, sizeOf, type Work } from './files.ts'
import { unreadFile } from './load-refusals.ts'
import type { LoadRefused } from './load-result.ts'

export interface FoundAof extends AofSource {
  readonly kind: 'found'
  /** Whether the base is the single file of an old server, still beside the folder. */
  readonly isSingle: boolean
}

export interface FindingParts {
  readonly settings: Settings
  readonly files: AofFiles
  /** What an operator should hear of. */
  log(text: string): void
  /** There is a dump, and it will not be read. */
  noteDump(path: string): void
}

export class AofFinding {
  readonly #parts: FindingParts

  constructor(parts: FindingParts) {
    this.#parts = parts
  }

  *run(): Work<FoundAof | LoadRefused> {
    const { manifestPath, singlePath } = this.#parts.files
    const found = yield* readManifest(manifestPath)
    if (found.kind === 'failed') return this.#unreadable(manifestPath, found)
    const single = yield* sizeOf(singlePath)
    if (typeof single === 'object') return this.#unreadable(singlePath, single)
    const hasSingle = single !== 'absent'
    switch (found.kind) {
      case 'absent':
        return yield* this.#findWithout(hasSingle)
      case 'read': {
        const isSingle = hasSingle && (yield* this.#isHalfMoved(found.manifest))
        return this.#found(found.manifest, isSingle)
      }
      case 'tooLong':
        return this.#unsoundManifest(`has ${found.sizeBytes} bytes, which no manifest has`)
      case 'damaged':
        return this.#unsoundManifest(`is damaged in line ${found.line}: ${found.reason}`)
      default:
        return unreachable(found)
    }
  }

  /** For a folder without a manifest. */
  *#findWithout(hasSingle: boolean): Work<FoundAof> {
    yield* this.#warnOfStrangers()
    const base = hasSingle ? this.#parts.files.singleAsBase() : undefined
    if (!hasSingle) yield* this.#warnOfDump()
    return this.#found({ ...EMPTY_MANIFEST, base }, hasSingle)
  }

  /** The last process named the single file in a manifest, but ended before it moved it. */
  *#isHalfMoved({ base, history, increments }: Manifest): Work<boolean> {
    if (base === undefined || base.name !== this.#parts.files.singlePath) return false
    if (history.length + increments.length > 0) return false
    return (yield* sizeOf(this.#parts.files.pathOf(base))) === 'absent'
  }

  /** Without a manifest we cannot know what they are, but they may be all that is left of a user's data. */
  *#warnOfStrangers(): Work<void> {
    const { folder, manifestPath } = this.#parts.files
    const names = yield* namesIn(folder)
    const strangers = 'kind' in names ? [] : this.#parts.files.strangersAmong(names)
    if (strangers.length === 0) return
    this.#parts.log(
      `${manifestPath} is missing: ${strangers.join(', ')} in ${folder} are not loaded, and stay as ` +
        'they are',
    )
  }

  *#warnOfDump(): Work<void> {
    const { settings, noteDump, log } = this.#parts
    const dump = settings.text('dbfilename')
    const size = yield* sizeOf(dump)
    if (typeof size !== 'number') return
    noteDump(dump)
    log(
      `there is no append-only file yet, and appendonly is yes: the node starts without data, and ` +
        `${dump} (${size} bytes) is not loaded. To keep its data start with appendonly no, then ` +
        'CONFIG SET appendonly yes',
    )
  }

  #found(manifest: Manifest, isSingle: boolean): FoundAof {
    const { files } = this.#parts
    const pathOf = (file: ManifestFile) =>
      isSingle && file === manifest.base ? files.singlePath : files.pathOf(file)
    return { kind: 'found', manifest, isSingle, pathOf }
  }

  #unreadable(path: string, failure: FileFailure): LoadRefused {
    return refusedAof(this.#parts.settings, path, unreadFile(failure))
  }

  #unsoundManifest(reason: string): LoadRefused {
    return refusedAof(this.#parts.settings, this.#parts.files.manifestPath, {
      cause: 'damagedManifest',
      reason,
    })
  }
}
