/**
 * The folder of a simulated data node, down to what a power cut leaves of it.
 *
 * A file is its bytes and how many of them are synced; names are separate, because a rename is a
 * change of the folder. A process that is killed leaves everything as it wrote it. A power cut
 * leaves of each file what was synced and perhaps a part of what came after; and of the changes of
 * names since the folder was last synced it leaves the first few, or none, or all.
 */
import { unreachable } from '../../base/assert.ts'
import type { Rng } from '../../base/rng.ts'
import {
  type FileAnswer,
  type FileFailure,
  type FileRequest,
  NO_JOURNAL,
} from '../../server/persistence/files.ts'

interface Inode {
  bytes: string
  syncedBytes: number
}

type Names = Map<string, Inode>

/** How a failing disk answers, and to which requests. */
export interface FileFault {
  readonly operation: 'write' | 'sync'
  readonly code: string
}

const DONE: FileAnswer = { kind: 'done' }

export class DataFiles {
  /** The files as processes see them. */
  #names: Names = new Map()
  /** The names that the folder certainly has, and then every change of names that is not synced. */
  #synced: Names = new Map()
  #unsynced: ((names: Names) => void)[] = []
  #fault: FileFault | undefined
  /** Folders that were deleted and not created again. */
  readonly #missing = new Set<string>()

  /** From now on requests of that kind fail with this fault; undefined repairs the disk. */
  failWith(fault: FileFault | undefined): void {
    this.#fault = fault
  }

  /** The bytes of a file as processes see them. */
  read(path: string): string | undefined {
    return this.#names.get(path)?.bytes
  }

  paths(): string[] {
    return [...this.#names.keys()].sort()
  }

  /** Puts a file there, synced. */
  install(path: string, bytes: string): void {
    const inode = { bytes, syncedBytes: bytes.length }
    this.#rename(path, inode)
    this.#syncNames()
  }

  /** Deletes a folder with everything in it, synced. */
  takeAway(folder: string): void {
    for (const name of this.#list(folder)) this.#remove(`${folder}/${name}`)
    this.#syncNames()
    this.#missing.add(folder)
  }

  wipe(): void {
    this.#names = new Map()
    this.#synced = new Map()
    this.#unsynced = []
  }

  ask(request: FileRequest): FileAnswer {
    if (this.#fails(request)) return failure(this.#fault?.code ?? 'EIO')
    switch (request.kind) {
      case 'list':
        return { kind: 'names', names: this.#list(request.folder) }
      case 'size':
        return { kind: 'size', sizeBytes: this.#names.get(request.path)?.bytes.length }
      case 'read':
        return this.#read(request)
      case 'create':
        if (this.#missing.has(request.path.split('/')[0] ?? '')) return failure('ENOENT')
        this.#rename(request.path, { bytes: '', syncedBytes: 0 })
        return DONE
      case 'append':
        return this.#on(request.path, (inode) => {
          inode.bytes += request.bytes
        })
      case 'sync':
        return this.beginSync(request.path)()
      case 'truncate':
        return this.#on(request.path, (inode) => {
          inode.bytes = inode.bytes.slice(0, request.sizeBytes)
          inode.syncedBytes = Math.min(inode.syncedBytes, request.sizeBytes)
        })
      case 'rename':
        return this.#on(request.from, (inode) => {
          this.#remove(request.from)
          this.#rename(request.to, inode)
          this.#syncNames()
        })
      case 'remove':
        this.#remove(request.path)
        return DONE
      case 'makeFolder':
        this.#missing.delete(request.folder)
        return DONE
      case 'journal':
        return NO_JOURNAL
      default:
        return unreachable(request)
    }
  }

  /**
   * Begins a sync that covers what was written before; the bytes are synced when the returned
   * function is called.
   */
  beginSync(path: string): () => FileAnswer {
    const sizeBytes = this.#names.get(path)?.bytes.length ?? 0
    return () => {
      if (this.#fault?.operation === 'sync') return failure(this.#fault.code)
      return this.#on(path, (inode) => {
        inode.syncedBytes = Math.max(inode.syncedBytes, Math.min(sizeBytes, inode.bytes.length))
      })
    }
  }

  appendNow(path: string, bytes: string): FileFailure | undefined {
    if (this.#fault?.operation === 'write') return failure(this.#fault.code)
    const inode = this.#names.get(path)
    if (inode === undefined) return failure('ENOENT')
    inode.bytes += bytes
    return undefined
  }

  /** Keeps only what will be there when the machine comes back. */
  losePower(rng: Rng): void {
    const survived = rng.below(this.#unsynced.length + 1)
    for (const change of this.#unsynced.slice(0, survived)) change(this.#synced)
    for (const inode of new Set(this.#synced.values())) cutShort(inode, rng)
    this.#unsynced = []
    this.#names = new Map(this.#synced)
  }

  #fails(request: FileRequest): boolean {
    if (this.#fault === undefined) return false
    if (this.#fault.operation === 'sync')
      return request.kind === 'sync' || request.kind === 'rename'
    return request.kind === 'create' || request.kind === 'append' || request.kind === 'rename'
  }

  #list(folder: string): string[] {
    const prefix = folder === '' ? '' : `${folder}/`
    return this.paths()
      .filter((path) => path.startsWith(prefix))
      .map((path) => path.slice(prefix.length))
      .filter((name) => !name.includes('/'))
  }

  #read({ path, offset, maxBytes }: FileRequest & { kind: 'read' }): FileAnswer {
    const inode = this.#names.get(path)
    if (inode === undefined) return failure('ENOENT')
    return { kind: 'bytes', bytes: inode.bytes.slice(offset, offset + maxBytes) }
  }

  #on(path: string, use: (inode: Inode) => void): FileAnswer {
    const inode = this.#names.get(path)
    if (inode === undefined) return failure('ENOENT')
    use(inode)
    return DONE
  }

  #rename(path: string, inode: Inode): void {
    this.#change((names) => names.set(path, inode))
  }

  #remove(path: string): void {
    this.#change((names) => names.delete(path))
  }

  #change(change: (names: Names) => void): void {
    change(this.#names)
    this.#unsynced.push(change)
  }

  #syncNames(): void {
    this.#synced = new Map(this.#names)
    this.#unsynced = []
  }
}

/** The disk keeps the first part of what was not synced, or none of it, or all. */
function cutShort(inode: Inode, rng: Rng): void {
  const unsyncedBytes = inode.bytes.length - inode.syncedBytes
  const keptBytes = inode.syncedBytes + rng.below(unsyncedBytes + 1)
  inode.bytes = inode.bytes.slice(0, keptBytes)
  inode.syncedBytes = keptBytes
}

function failure(code: string): FileFailure {
  return { kind: 'failed', code, text: code }
}
