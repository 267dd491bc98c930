/**
 * The append-only file when the node starts: its files are found (aof-finding.ts) and loaded (aof-load.ts), and then
 * prepared for appending. What the last process did not finish is put in order, but only after everything was
 * loaded: files that cannot be loaded stay as they are.
 *
 * The single file of a server before 7.0 is moved into the folder and becomes the base. If there is nothing at all, an
 * empty base and an empty increment are created.
 */
import { EMPTY_MANIFEST, type Manifest, type ManifestFile } from '../aof/manifest.ts'
import { newBaseSource } from './aof-base.ts'
import type { AofFiles } from './aof-files.ts'
import { AofFinding } from './aof-finding.ts'
import { type AofLoaded, AofLoader, refusedAof, type TornEnd } from './aof-load.ts'
import { nodeTarget } from './aof-target.ts'
import { change, type FileFailure, sizeOf, type Work } from './files.ts'
import type { PersistenceHost } from './host.ts'
import type { LoadProgress } from './load-progress.ts'
import type { LoadFault } from './load-refusals.ts'
import type { LoadRefused } from './load-result.ts'
import { writeSnapshot } from './rdb-save.ts'
import type { UnreadDump } from './unread-dump.ts'

export interface OpenedAof {
  readonly kind: 'opened'
  /** The increment that commands are appended to. */
  readonly increment: ManifestFile
  readonly incrementBytes: number
  readonly baseBytes: number
  /** The size of all files except that increment. */
  readonly olderBytes: number
  readonly rdbKeys: number
}

const GONE: LoadFault = { cause: 'missing', reason: 'has disappeared while it was loaded' }

export interface OpeningParts {
  readonly host: PersistenceHost
  readonly files: AofFiles
  readonly unreadDump: UnreadDump
  readonly progress: LoadProgress
}

export class AofOpening {
  readonly #host: PersistenceHost
  readonly #files: AofFiles
  readonly #finding: AofFinding
  readonly #loader: AofLoader

  constructor({ host, files, unreadDump, progress }: OpeningParts) {
    this.#host = host
    this.#files = files
    const { settings, port } = host
    const log = (text: string) => port.log('warning', text)
    const noteDump = (path: string) => unreadDump.note(path)
    this.#finding = new AofFinding({ settings, files, log, noteDump })
    this.#loader = new AofLoader(nodeTarget(host, progress), progress)
  }

  *run(): Work<OpenedAof | LoadRefused> {
    const found = yield* this.#finding.run()
    if (found.kind === 'refused') return found
    const { manifest, isSingle } = found
    const files = this.#files
    const loaded = yield* this.#loader.load(found)
    if (loaded.kind === 'refused') return loaded
    files.adopt(manifest)
    const failure =
      (yield* change({ kind: 'makeFolder', folder: files.folder })) ??
      (yield* this.#cutOff(loaded.torn)) ??
      (yield* this.#moveSingle(isSingle))
    if (failure !== undefined) return this.#cannotOpen(failure)
    return yield* this.#open(loaded)
  }

  // Preparing the files for appending

  *#cutOff(torn: TornEnd | undefined): Work<FileFailure | undefined> {
    if (torn === undefined) return undefined
    const { path, soundBytes, sizeBytes } = torn
    this.#host.port.log(
      'warning',
      `${path} ends with ${sizeBytes - soundBytes} bytes of something incomplete: it is cut off at ` +
        `byte ${soundBytes}`,
    )
    return (
      (yield* change({ kind: 'truncate', path, sizeBytes: soundBytes })) ??
      (yield* change({ kind: 'sync', path }))
    )
  }

  *#open({ sizes, rdbKeys }: AofLoaded): Work<OpenedAof | LoadRefused> {
    const files = this.#files
    const { history, increments } = files.manifest
    const leftover = yield* change({ kind: 'remove', path: files.newBasePath })
    if (leftover !== undefined) return this.#cannotOpen(leftover)
    const base = sizes.length > 0 ? files.manifest.base : yield* this.#firstBase()
    if (base !== undefined && 'kind' in base) return this.#cannotOpen(base)
    const increment = increments.at(-1) ?? files.nextIncrement()
    const all = increments.length > 0 ? increments : [increment]
    const failure =
      (yield* this.#makeSafe(files.pathOf(increment), increments.length === 0)) ??
      (yield* this.#writeManifest({ base, history, increments: all }, increments.length === 0)) ??
      (yield* files.deleteHistory())
    if (failure !== undefined) return this.#cannotOpen(failure)
    return yield* this.#measured(base, all, rdbKeys)
  }

  /**
   * Even if nothing changes: the last process may have died before its manifest was durable. Then a full disk does
   * not keep the node from starting, as it does not keep Redis: reads are served, and writes refused until
   * there is room.
   */
  *#writeManifest(manifest: Manifest, isNew: boolean): Work<FileFailure | undefined> {
    const failure = yield* this.#files.replaceManifest(manifest)
    if (failure === undefined || isNew || !isFull(failure)) return failure
    const { manifestPath } = this.#files
    this.#host.port.log(
      'warning',
      `${manifestPath} stays as it is: ${failure.text}. Make room on the disk: writes are refused until then`,
    )
    return undefined
  }

  /** Clients that have read something of it may rely on it. */
  *#makeSafe(path: string, isNew: boolean): Work<FileFailure | undefined> {
    return isNew ? yield* change({ kind: 'create', path }) : yield* change({ kind: 'sync', path })
  }

  *#firstBase(): Work<ManifestFile | FileFailure> {
    const files = this.#files
    const isRdb = this.#host.settings.flag('aof-use-rdb-preamble')
    const base = files.nextBase(isRdb)
    const source = newBaseSource(this.#host, isRdb)
    const failure =
      (yield* writeSnapshot(source, files.newBasePath)) ??
      (yield* change({ kind: 'rename', from: files.newBasePath, to: files.pathOf(base) }))
    source.giveUp()
    return failure ?? base
  }

  /**
   * First the manifest names it as the base: without a manifest no server would look for it in the
   * folder.
   */
  *#moveSingle(isSingle: boolean): Work<FileFailure | undefined> {
    if (!isSingle) return undefined
    const files = this.#files
    const base = files.singleAsBase()
    const from = files.singlePath
    const to = files.pathOf(base)
    this.#host.port.log('notice', `${from} of an earlier version becomes ${to}`)
    return (
      (yield* files.replaceManifest({ ...EMPTY_MANIFEST, base })) ??
      (yield* change({ kind: 'rename', from, to }))
    )
  }

  *#measured(
    base: ManifestFile | undefined,
    increments: readonly ManifestFile[],
    rdbKeys: number,
  ): Work<OpenedAof | LoadRefused> {
    const sizes: number[] = []
    for (const file of base === undefined ? increments : [base, ...increments]) {
      const path = this.#files.pathOf(file)
      const size = yield* sizeOf(path)
      if (typeof size !== 'number') return refusedAof(this.#host.settings, path, GONE)
      sizes.push(size)
    }
    const incrementBytes = sizes.at(-1) ?? 0
    return {
      kind: 'opened',
      increment: increments.at(-1) as ManifestFile,
      incrementBytes,
      baseBytes: base === undefined ? 0 : (sizes[0] ?? 0),
      olderBytes: sizes.reduce((sum, size) => sum + size, -incrementBytes),
      rdbKeys,
    }
  }

  #cannotOpen(failure: FileFailure): LoadRefused {
    const { settings } = this.#host
    const folder = `${settings.text('dir')}/${this.#files.folder}`
    return {
      kind: 'refused',
      text:
        `the data are loaded, but the append-only file in ${folder} cannot be written: ${failure.text}. ` +
        wayToWrite(failure),
    }
  }
}

function isFull({ code }: FileFailure): boolean {
  return code === 'ENOSPC' || code === 'EDQUOT'
}

function wayToWrite(failure: FileFailure): string {
  if (isFull(failure)) return 'Make room on the disk, and start again.'
  switch (failure.code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return (
        'Let the user of this process write there (chown, chmod, a mount that is not read-only; under systemd ' +
        'also ReadWritePaths=), and start again.'
      )
    default:
      return 'Look after the disk (dmesg), and start again.'
  }
}
