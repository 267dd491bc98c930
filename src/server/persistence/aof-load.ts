/**
 * Loads the append-only file: the base, then every increment, in the order of the manifest. Nothing on
 * disk is changed here; the result says what has to be changed once everything has been read.
 *
 * The end of the last file may be missing: what was not synced when the power went is gone, and the rest
 * is the data as they were a moment before. Anywhere else a missing piece would be a hole in the middle
 * of history, and is refused, as is whatever cannot be read.
 */
import { LogReader } from '../aof/log-reader.ts'
import type { Manifest, ManifestFile } from '../aof/manifest.ts'
import { MAGIC_BYTES, versionOfMagic } from '../rdb/rdb-format.ts'
import type { Settings } from '../settings/settings.ts'
import { readBytes, sizeOf, type Work } from './files.ts'
import type { LoadProgress } from './load-progress.ts'
import { type LoadFault, refusedFile, unreadFile } from './load-refusals.ts'
import type { LoadedCommand, LoadRefused } from './load-result.ts'
import { type RdbLoad, tooLargeText } from './rdb-load.ts'

export interface AofSource {
  readonly manifest: Manifest
  /** The path of a file in the manifest. */
  pathOf(file: ManifestFile): string
}

/** A file whose end is missing. */
export interface TornEnd {
  readonly path: string
  /** How many bytes are valid, and how many the file has. */
  readonly soundBytes: number
  readonly sizeBytes: number
}

/** What becomes of what is read: a node takes it as its data, a check only looks at it. */
export interface AofTarget {
  readonly settings: Settings
  apply(argv: readonly string[]): LoadedCommand
  /** The RDB payload that the file begins with. `keys`: how many it has. */
  loadBase(path: string): Work<LoadedBase | Exclude<RdbLoad, { kind: 'loaded' }>>
  /** What an operator should hear of. */
  log(text: string): void
}

export interface LoadedBase {
  readonly kind: 'loaded'
  readonly keys: number
  readonly endOffset: number
}

export type AofProgress = Pick<LoadProgress, 'expect' | 'advance' | 'onKeys'>

export interface AofLoaded {
  readonly kind: 'loaded'
  /** The sizes of the base and of each increment on disk. */
  readonly sizes: readonly number[]
  readonly torn: TornEnd | undefined
  /** How many keys the base had, if it is RDB; commands may have deleted them since. */
  readonly rdbKeys: number
}

interface FoundFile {
  readonly path: string
  readonly sizeBytes: number
  readonly isBase: boolean
}

/** How much one turn reads and executes: a few milliseconds of work. */
const READ_BYTES = 64 * 1024
const MISSING: LoadFault = { cause: 'missing', reason: 'is missing, and the manifest names it' }
/** At most this many failed commands are logged one by one. */
const MAX_TOLD_ERRORS = 10

export class AofLoader {
  readonly #target: AofTarget
  readonly #progress: AofProgress
  #errors = 0
  #rdbKeys = 0

  constructor(target: AofTarget, progress: AofProgress) {
    this.#target = target
    this.#progress = progress
  }

  *load(source: AofSource): Work<AofLoaded | LoadRefused> {
    const files = yield* this.#find(source)
    if (!Array.isArray(files)) return files as LoadRefused
    let torn: TornEnd | undefined
    for (const [index, file] of (files as FoundFile[]).entries()) {
      const isFollowed = files.slice(index + 1).some(({ sizeBytes }) => sizeBytes > 0)
      const result = yield* this.#loadFile(file, isFollowed)
      if (typeof result === 'object') return result
      if (result < file.sizeBytes) torn = { ...file, soundBytes: result }
    }
    this.#tellErrors()
    const sizes = files.map(({ sizeBytes }) => sizeBytes)
    return { kind: 'loaded', sizes, torn, rdbKeys: this.#rdbKeys }
  }

  *#find({ manifest, pathOf }: AofSource): Work<FoundFile[] | LoadRefused> {
    const { base, increments } = manifest
    const found: FoundFile[] = []
    for (const file of base === undefined ? increments : [base, ...increments]) {
      const path = pathOf(file)
      const size = yield* sizeOf(path)
      if (size === 'absent') return this.#refuse(path, MISSING)
      if (typeof size !== 'number') return this.#refuse(path, unreadFile(size))
      this.#progress.expect(size)
      found.push({ path, sizeBytes: size, isBase: file === base })
    }
    return found
  }

  /** Returns how many bytes of the file are valid. */
  *#loadFile(file: FoundFile, isFollowed: boolean): Work<number | LoadRefused> {
    const start = file.isBase ? yield* this.#loadPreamble(file) : 0
    if (typeof start !== 'number') return start
    // Each file selects its own databases.
    this.#target.apply(['SELECT', '0'])
    return yield* this.#loadLog(file, start, isFollowed)
  }

  /** Loads the data a base begins with. Returns where in the file commands begin. */
  *#loadPreamble({ path }: FoundFile): Work<number | LoadRefused> {
    const magic = yield* readBytes(path, 0, MAGIC_BYTES)
    if (typeof magic !== 'string' || versionOfMagic(magic) === undefined) return 0
    const read = yield* this.#target.loadBase(path)
    if (read.kind === 'absent') return this.#refuse(path, MISSING)
    if (read.kind === 'tooLarge') return this.#tooLarge(path, read.reason)
    if (read.kind === 'unusable') return this.#refuse(path, ofBase(read.fault))
    this.#rdbKeys = read.keys
    return read.endOffset
  }

  *#loadLog(file: FoundFile, start: number, isFollowed: boolean): Work<number | LoadRefused> {
    const { path } = file
    const reader = new LogReader(start)
    for (let offset = start; ; ) {
      const bytes = yield* readBytes(path, offset, READ_BYTES)
      if (typeof bytes !== 'string') return this.#refuse(path, unreadFile(bytes, offset))
      if (bytes === '') break
      offset += bytes.length
      reader.push(bytes)
      const full = this.#advance(bytes.length)
      if (full !== undefined) return this.#tooLarge(path, full)
      const problem = this.#carryOut(reader, isFollowed)
      if (problem !== undefined) return this.#refuse(path, problem)
    }
    return this.#end(file, reader, isFollowed)
  }

  /** Executes the complete commands; returns why it cannot go on, if so. */
  #carryOut(reader: LogReader, isFollowed: boolean): LoadFault | undefined {
    let commands = 0
    for (let step = reader.next(); step !== 'more'; step = reader.next()) {
      if (!('kind' in step)) {
        const problem = this.#apply(step)
        commands++
        if (problem !== undefined) return endingAt(problem, reader.soundBytes)
      } else {
        const reason = `is damaged at byte ${step.offset}: ${step.reason}`
        return { cause: isFollowed ? 'damagedMiddle' : 'damagedLog', reason }
      }
    }
    this.#progress.onKeys(commands)
    return undefined
  }

  #apply(argv: readonly string[]): LoadFault | undefined {
    const outcome = this.#target.apply(argv)
    if (outcome.kind === 'unknown') {
      const reason = `has the command '${shown(argv[0] ?? '')}', which this node does not know,`
      return { cause: 'unknownCommand', reason }
    }
    if (outcome.kind === 'done') return undefined
    // The commands after it would change the wrong database.
    if (argv[0]?.toLowerCase() === 'select') {
      const reason = `selects database ${shown(argv[1] ?? '')}, which is not here,`
      return { cause: 'database', reason }
    }
    if (++this.#errors <= MAX_TOLD_ERRORS) {
      this.#log(`loading: '${shown(argv[0] ?? '')}' failed: ${outcome.text}`)
    }
    return undefined
  }

  #end(file: FoundFile, reader: LogReader, isFollowed: boolean): number | LoadRefused {
    const { soundBytes, isInTransaction } = reader
    if (isInTransaction) this.#target.apply(['DISCARD'])
    if (soundBytes >= file.sizeBytes) return soundBytes
    const what = isInTransaction ? 'a transaction' : 'a command'
    const where = `ends in the middle of ${what} that begins at byte ${soundBytes}`
    if (isFollowed) {
      const reason = `${where}, and is not the last file`
      return this.#refuse(file.path, { cause: 'damagedMiddle', reason })
    }
    if (!this.#target.settings.flag('aof-load-truncated')) {
      const reason = `${where}, and aof-load-truncated is no`
      return this.#refuse(file.path, { cause: 'torn', reason })
    }
    return soundBytes
  }

  readonly #advance = (bytes: number) => this.#progress.advance(bytes)

  #tellErrors(): void {
    const untold = this.#errors - MAX_TOLD_ERRORS
    if (untold > 0) this.#log(`loading: ${untold} more commands failed`)
  }

  #tooLarge(path: string, reason: string): LoadRefused {
    return { kind: 'refused', text: tooLargeText(this.#target.settings.text('dir'), path, reason) }
  }

  #refuse(path: string, fault: LoadFault): LoadRefused {
    return refusedAof(this.#target.settings, path, fault)
  }

  #log(text: string): void {
    this.#target.log(text)
  }
}

/** For the operator: what is wrong, and what to do about it. */
export function refusedAof(settings: Settings, path: string, fault: LoadFault): LoadRefused {
  const manifest = `${settings.text('appenddirname')}/${settings.text('appendfilename')}.manifest`
  return refusedFile({ dir: settings.text('dir'), path, manifest }, fault)
}

/** redis-check-aof mends logs alone. */
function ofBase(fault: LoadFault): LoadFault {
  const isDamage = fault.cause === 'damaged' || fault.cause === 'foreign'
  return isDamage ? { ...fault, cause: 'damagedBase' } : fault
}

function endingAt({ cause, reason }: LoadFault, offset: number): LoadFault {
  return { cause, reason: `${reason} before byte ${offset}` }
}

function shown(name: string): string {
  return name.slice(0, 64).replace(/[^\x20-\x7e]/g, '?')
}
