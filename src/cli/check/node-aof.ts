/**
 * The append-only file that a data node would load: with a torn or damaged one it does not start, or lacks an end. It is
 * found and read by the code of the node, but no command is carried out and no key is kept.
 */
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { utf8Text } from '../../base/utf8.ts'
import type { Problem } from '../../config/problem.ts'
import { reasonOf } from '../../io/start-error.ts'
import { nodeCommands } from '../../server/commands/registry.ts'
import { AofFiles } from '../../server/persistence/aof-files.ts'
import { AofFinding } from '../../server/persistence/aof-finding.ts'
import { type AofLoaded, AofLoader, type AofTarget } from '../../server/persistence/aof-load.ts'
import type { FileAnswer, FileRequest, Work, WorkPause } from '../../server/persistence/files.ts'
import { wayOutOf } from '../../server/persistence/load-refusals.ts'
import type { LoadedCommand, LoadRefused } from '../../server/persistence/load-result.ts'
import { loadRdb } from '../../server/persistence/rdb-load.ts'
import type { Settings } from '../../server/settings/settings.ts'
import { unkeptTables } from './unkept-entries.ts'

type Place = Pick<Problem, 'file' | 'line' | 'column' | 'path'>

/** `place`: where the file switches the append-only file on. */
export function aofProblems(settings: Settings, place: Place): readonly Problem[] {
  if (!settings.flag('appendonly')) return []
  const folder = new Folder(utf8Text(settings.text('dir')))
  // A node that runs may just have replaced its files by others.
  const first = folder.carryOut(load(settings))
  const loaded = first.kind === 'refused' ? folder.carryOut(load(settings)) : first
  if (loaded.kind === 'loaded') {
    return [...tornProblems(loaded, folder.path, place), ...strangerProblems(loaded, folder, place)]
  }
  const { about, text } = loaded
  // What this user may not read, the user of the node may.
  if (about === undefined || folder.isClosed) return []
  const message = `${join(folder.path, utf8Text(about.path))} ${about.reason}, and the node does not start with it`
  return [{ ...place, severity: 'error', code: 'E_AOF', message, hint: about.wayOut ?? text }]
}

function tornProblems({ torn }: AofLoaded, folder: string, place: Place): readonly Problem[] {
  if (torn === undefined) return []
  const { path, soundBytes, sizeBytes } = torn
  const bytes = sizeBytes - soundBytes
  const message = `${join(folder, utf8Text(path))} ends with ${bytes} bytes of something incomplete, which a node that starts cuts off at byte ${soundBytes}`
  const hint =
    'with aof-load-truncated no it does not start; a copy of a file that is written to may end like this'
  return [{ ...place, severity: 'warning', code: 'W_AOF_TORN', message, hint }]
}

/** Without the manifest no server knows what they are: it starts without them. */
function strangerProblems({ files }: Looked, folder: Folder, place: Place): readonly Problem[] {
  const { strangers, manifestPath } = files
  if (strangers.length === 0) return []
  const missing = join(folder.path, utf8Text(manifestPath))
  const names = strangers.map(utf8Text).join(', ')
  const message = `${missing} is missing: the node starts without what is in ${names}`
  const hint = wayOutOf('damagedManifest')
  return [{ ...place, severity: 'warning', code: 'W_AOF_NOT_LOADED', message, hint }]
}

const UNCOUNTED = { expect: () => undefined, advance: () => undefined, onKeys: () => false }

interface Looked extends AofLoaded {
  readonly files: AofFiles
}

function* load(settings: Settings): Work<Looked | LoadRefused> {
  const files = new AofFiles(settings)
  const silent = { log: () => undefined, noteDump: () => undefined }
  const found = yield* new AofFinding({ settings, files, ...silent }).run()
  if (found.kind === 'refused') return found
  const loaded = yield* new AofLoader(lookingTarget(settings), UNCOUNTED).load(found)
  return loaded.kind === 'loaded' ? { ...loaded, files } : loaded
}

function lookingTarget(settings: Settings): AofTarget {
  const table = nodeCommands(settings.renames)
  const databases = settings.int('databases')
  return {
    settings,
    apply(argv): LoadedCommand {
      if (table.find(argv) === undefined) return { kind: 'unknown' }
      const isSelect = argv[0]?.toLowerCase() === 'select'
      const isElsewhere = isSelect && !(Number(argv[1]) < databases)
      return isElsewhere ? { kind: 'failed', text: 'out of range' } : { kind: 'done' }
    },
    *loadBase(path) {
      const dbs = unkeptTables(databases)
      const isVerified = settings.flag('rdbchecksum')
      const usage = { restored: () => 0 }
      const read = yield* loadRdb(path, { dbs, serial: 0, usage, isVerified, progress: UNCOUNTED })
      return read.kind === 'loaded' ? { kind: 'loaded', keys: 0, endOffset: read.endOffset } : read
    },
    log: () => undefined,
  }
}

/** Reads for work on files, at once, and changes nothing. */
class Folder {
  readonly path: string
  /** Something is there that this user may not read. */
  isClosed = false

  constructor(path: string) {
    this.path = path
  }

  carryOut<Result>(work: Work<Result>): Result {
    let step = work.next()
    while (step.done !== true) step = work.next(this.#answer(step.value))
    return step.value
  }

  #answer(request: FileRequest | WorkPause): FileAnswer {
    try {
      return this.#read(request)
    } catch (error) {
      const code = reasonOf(error)
      if (code === 'EACCES' || code === 'EPERM') this.isClosed = true
      return { kind: 'failed', code, text: code }
    }
  }

  #read(request: FileRequest | WorkPause): FileAnswer {
    switch (request.kind) {
      case 'list':
        return {
          kind: 'names',
          names: this.#ifThere(request.folder, (path) => readdirSync(path)) ?? [],
        }
      case 'size':
        return {
          kind: 'size',
          sizeBytes: this.#ifThere(request.path, (path) => statSync(path).size),
        }
      case 'read':
        return { kind: 'bytes', bytes: piece(this.#full(request.path), request) }
      default:
        return { kind: 'failed', code: 'EROFS', text: 'a check changes nothing' }
    }
  }

  #full(path: string): string {
    return join(this.path, utf8Text(path))
  }

  #ifThere<Answer>(path: string, ask: (full: string) => Answer): Answer | undefined {
    try {
      return ask(this.#full(path))
    } catch (error) {
      if (reasonOf(error) === 'ENOENT') return undefined
      throw error
    }
  }
}

function piece(path: string, { offset, maxBytes }: FileRequest & { kind: 'read' }): string {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(maxBytes)
    return buffer.toString('latin1', 0, readSync(file, buffer, 0, maxBytes, offset))
  } finally {
    closeSync(file)
  }
}
