/**
 * The state file of a Sentinel: what it must not forget, in two identical copies. Each save writes the main one first, so
 * that it is never older than its copy; one that a power cut has torn or a failing disk has damaged is replaced by the
 * other. Only when neither can be read does the Sentinel refuse to start: one that forgot its votes could give a second
 * one in the same epoch.
 */
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { decodeState, encodeState } from '../../config/state-file.ts'
import type { SavedState } from '../../core/persistence/saved.ts'
import { reasonOf, StartError } from '../start-error.ts'
import { StateCopies } from './state-copies.ts'

export interface LoadedState {
  /** Undefined if there is no file yet: this is the first start. */
  readonly saved: SavedState | undefined
  /** What the operator should know about the two copies, and which of them is used. */
  readonly warning: string | undefined
}

type Copy =
  | { readonly kind: 'missing' }
  | { readonly kind: 'valid'; readonly state: SavedState }
  | { readonly kind: 'damaged'; readonly reason: string }
  /** Another version of this program wrote it. */
  | { readonly kind: 'foreign'; readonly reason: string }
  /** This user may not read it: nothing is known of its contents. */
  | { readonly kind: 'barred'; readonly reason: string }

/** So that it keeps its size, and can be written where it lies: a block of most disks. */
const BLOCK_BYTES = 4_096

export class StateFile {
  readonly #path: string
  readonly #copies: StateCopies

  /** Throws a StartError if the folder is not there, or cannot be written to. `warn` is told of trouble with a copy. */
  constructor(path: string, warn: (text: string) => void = () => undefined) {
    this.#path = resolve(path)
    const folder = dirname(this.#path)
    const name = basename(this.#path)
    prepareFolder(folder)
    this.#copies = new StateCopies(folder, [name, `${name}.copy`], warn)
  }

  /** Reads the better copy. Throws a StartError if the file exists and no copy of it is valid. */
  load(): LoadedState {
    return loadState(this.#path)
  }

  /** Resolves once it is safely on disk. Rejects with an error that names the file and the reason. */
  async save(state: SavedState): Promise<void> {
    const text = encodeState(state, digestOf, BLOCK_BYTES)
    try {
      await this.#copies.write(Buffer.from(text, 'latin1'))
    } catch (error) {
      throw new Error(`${this.#path}: ${reasonOf(error)}`, { cause: error })
    }
  }

  /** Resolves once the second copy is there too. Another save opens them again. */
  close(): Promise<void> {
    return this.#copies.close()
  }
}

/** The same for programs that only look: nothing is created or tested. */
export function loadState(path: string): LoadedState {
  const copyPath = `${path}.copy`
  const main = readCopy(path)
  const copy = readCopy(copyPath)
  if (main.kind === 'valid') {
    const fault = describe(copyPath, copy)
    return { saved: main.state, warning: fault && `${fault}; the next save makes it anew` }
  }
  // A foreign main file is newer than its copy, which may lack a vote.
  if (copy.kind === 'valid' && main.kind !== 'foreign') {
    return { saved: copy.state, warning: `${describe(path, main)}; its copy is used` }
  }
  if (main.kind === 'missing' && copy.kind === 'missing') {
    return { saved: undefined, warning: undefined }
  }
  const faults = [describe(path, main), describe(copyPath, copy)].filter(Boolean).join('; ')
  throw refusal(faults, hintFor([main.kind, copy.kind]))
}

function hintFor(kinds: readonly Copy['kind'][]): string {
  if (kinds.includes('barred')) return BARRED
  return kinds.includes('foreign') ? FOREIGN : DAMAGED
}

const DAMAGED =
  'restore one of the two files from a backup; or delete both to start as a new Sentinel, ' +
  'but only after the failovers it may have voted in are over'

/** Most often a Sentinel was run as root once. Its files are sound, and deleting them would forget its votes. */
const BARRED = 'give both files to the user that this Sentinel runs as (chown)'

/** Its votes are all there, for that version. */
const FOREIGN =
  'another version of Vedette wrote it, and it is not damaged: install that version again, or see "Going back" in ' +
  'docs/install.md; do not delete it'

function digestOf(text: string): string {
  return createHash('sha256').update(text, 'latin1').digest('hex')
}

function refusal(faults: string, hint: string): StartError {
  return new StartError(
    'E_STATE_DAMAGED',
    `the state of this Sentinel cannot be read: ${faults}`,
    hint,
  )
}

/** Undefined for a valid copy. */
function describe(path: string, copy: Copy): string | undefined {
  switch (copy.kind) {
    case 'valid':
      return undefined
    case 'missing':
      return `${path} is missing`
    default:
      return `${path}: ${copy.reason}`
  }
}

function readCopy(path: string): Copy {
  let text: string
  try {
    text = readFileSync(path, 'latin1')
  } catch (error) {
    return unread(reasonOf(error))
  }
  const decoded = decodeState(text)
  if (decoded.ok) return { kind: 'valid', state: decoded.value }
  return { kind: decoded.isWhole ? 'foreign' : 'damaged', reason: decoded.reason }
}

function unread(reason: string): Copy {
  if (reason === 'ENOENT') return { kind: 'missing' }
  return { kind: reason === 'EACCES' || reason === 'EPERM' ? 'barred' : 'damaged', reason }
}

/**
 * A folder that is not there is not made: under a mistyped name the Sentinel would begin anew, without the
 * votes it has given. Writes a file and removes it: permission bits alone are not enough, and later would
 * be too late to find out.
 */
function prepareFolder(folder: string): void {
  const fault = missingStateFolder(folder)
  if (fault !== undefined) throw fault
  const probe = resolve(folder, `.vedette-probe-${process.pid}`)
  try {
    rmSync(probe, { force: true })
    writeFileSync(probe, '', { flag: 'wx' })
    rmSync(probe)
  } catch (error) {
    throw new StartError(
      'E_STATE_FOLDER',
      `cannot write to the state folder ${folder}: ${reasonOf(error)}`,
      'make it writable for this user, or set state-dir to a folder that is',
    )
  }
}

/** Why a Sentinel must not start with this state folder; undefined if it is there. */
export function missingStateFolder(folder: string): StartError | undefined {
  try {
    if (statSync(folder).isDirectory()) return undefined
    const hint = 'set state-dir (dir in a sentinel.conf) to a folder'
    return new StartError('E_STATE_FOLDER', `the state folder ${folder} is no folder`, hint)
  } catch (error) {
    const reason = reasonOf(error)
    const words = reason === 'ENOENT' ? 'there is no such folder' : reason
    const hint =
      'correct state-dir (dir in a sentinel.conf): a Sentinel that has lost its votes could vote twice. ' +
      `Only if this is its first start: mkdir -p ${folder}, writable for its user`
    return new StartError('E_STATE_FOLDER', `the state folder ${folder}: ${words}`, hint)
  }
}
