/**
 * The folder of a data node on a real file system. Requests are carried out in the background, those on
 * one path in the order in which they were made. Only `appendNow` (for the append-only file, before
 * replies leave) writes before it returns; syncing is left to the background.
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { unreachable } from '../../base/assert.ts'
import { utf8Text } from '../../base/utf8.ts'
import {
  type FileAnswer,
  type FileFailure,
  type FileRequest,
  NO_JOURNAL,
} from '../../server/persistence/files.ts'
import type { NodeFolder } from '../node-host.ts'
import { reasonOf } from '../start-error.ts'
import { ReadAhead } from './read-ahead.ts'

const DONE: FileAnswer = { kind: 'done' }
/** The data are for this user only. */
const PRIVATE_MODE = 0o600
const APPEND_TO_EXISTING = constants.O_WRONLY | constants.O_APPEND

export class NodeFiles implements NodeFolder {
  readonly #folder: () => string
  /** The last request on each path; the next one waits for it. */
  readonly #last = new Map<string, Promise<unknown>>()
  /** Files that `appendNow` keeps open. */
  readonly #open = new Map<string, number>()
  /** Files that end in half a write which could not be taken back, and the size they should have. */
  readonly #torn = new Map<string, number>()
  /** The folder each file was created in: a file begun in one [dir] is finished there. */
  readonly #homes = new Map<string, string>()
  readonly #ahead = new ReadAhead((path, offset, maxBytes) => this.#fetch(path, offset, maxBytes))

  /** `folder` is called each time: [dir] may change while the node runs. */
  constructor(folder: () => string) {
    this.#folder = folder
  }

  /** Never rejects. */
  ask(request: FileRequest): Promise<FileAnswer> {
    const name = pathOf(request)
    const before = this.#last.get(name) ?? Promise.resolve()
    const answer = before.then(() => this.#carryOut(request)).catch(failureOf)
    this.#last.set(name, answer)
    void answer.then(() => {
      if (this.#last.get(name) === answer) this.#last.delete(name)
    })
    return answer
  }

  /**
   * Appends to an existing file before it returns. A write that fails half-way is taken back.
   * Undefined if it succeeded.
   */
  appendNow(path: string, bytes: string): FileFailure | undefined {
    try {
      this.#ahead.forget(path)
      const descriptor = this.#descriptor(path)
      this.#takeBack(path, descriptor)
      this.#appendWhole(path, descriptor, Buffer.from(bytes, 'latin1'))
      return undefined
    } catch (error) {
      return failureOf(error)
    }
  }

  /** Writes all of it, or leaves the file as it was. Throws the file system's error. */
  #appendWhole(path: string, descriptor: number, bytes: Buffer): void {
    let written = 0
    try {
      while (written < bytes.length) written += writeSync(descriptor, bytes, written)
    } catch (error) {
      if (written > 0) this.#torn.set(path, fstatSync(descriptor).size - written)
      this.#takeBack(path, descriptor)
      throw error
    }
  }

  /** Nothing may follow half a write: if it cannot be taken back now, we try again before the next write. */
  #takeBack(path: string, descriptor: number): void {
    const sizeBytes = this.#torn.get(path)
    if (sizeBytes === undefined) return
    ftruncateSync(descriptor, sizeBytes)
    this.#torn.delete(path)
  }

  /** From now on this name means another file: closes the old one if `appendNow` has opened it. */
  #close(path: string): void {
    this.#homes.delete(path)
    this.#torn.delete(path)
    const descriptor = this.#open.get(path)
    if (descriptor === undefined) return
    this.#open.delete(path)
    closeSync(descriptor)
  }

  #descriptor(path: string): number {
    const known = this.#open.get(path)
    if (known !== undefined) return known
    const descriptor = openSync(this.#full(path), APPEND_TO_EXISTING)
    this.#open.set(path, descriptor)
    return descriptor
  }

  #full(path: string): string {
    return join(this.#homes.get(path) ?? this.#folder(), utf8Text(path))
  }

  async #carryOut(request: FileRequest): Promise<FileAnswer> {
    this.#forgetChanged(request)
    switch (request.kind) {
      case 'list':
        return { kind: 'names', names: await namesIn(this.#full(request.folder)) }
      case 'size':
        return { kind: 'size', sizeBytes: await sizeOf(this.#full(request.path)) }
      case 'read':
        return {
          kind: 'bytes',
          bytes: await this.#ahead.read(request.path, request.offset, request.maxBytes),
        }
      case 'create':
        this.#close(request.path)
        this.#homes.set(request.path, this.#folder())
        return await this.#with(request.path, 'w', () => Promise.resolve())
      case 'append':
        return await this.#with(request.path, APPEND_TO_EXISTING, (file) =>
          file.appendFile(request.bytes, 'latin1'),
        )
      case 'sync':
        return await this.#with(request.path, 'r+', (file) => file.datasync())
      case 'truncate':
        return await this.#with(request.path, 'r+', (file) => file.truncate(request.sizeBytes))
      case 'rename':
        return await this.#rename(request.from, request.to)
      case 'remove':
        return await this.#remove(request.path)
      case 'makeFolder':
        await mkdir(this.#full(request.folder), { recursive: true })
        await syncFolder(dirname(this.#full(request.folder)))
        return DONE
      case 'journal':
        return NO_JOURNAL
      default:
        return unreachable(request)
    }
  }

  /** What was read ahead of a file is valid only until the file changes. */
  #forgetChanged(request: FileRequest): void {
    if (request.kind !== 'read' && request.kind !== 'size') this.#ahead.forget(pathOf(request))
    if (request.kind === 'rename') this.#ahead.forget(request.to)
  }

  async #fetch(path: string, offset: number, maxBytes: number): Promise<Buffer> {
    const file = await open(this.#full(path), 'r')
    try {
      const buffer = Buffer.allocUnsafe(maxBytes)
      const { bytesRead } = await file.read(buffer, 0, maxBytes, offset)
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  }

  async #with(
    path: string,
    flags: string | number,
    use: (file: FileHandle) => Promise<unknown>,
  ): Promise<FileAnswer> {
    const file = await open(this.#full(path), flags, PRIVATE_MODE)
    try {
      await use(file)
    } finally {
      await file.close()
    }
    return DONE
  }

  async #rename(from: string, to: string): Promise<FileAnswer> {
    const home = this.#homes.get(from) ?? this.#folder()
    const target = join(home, utf8Text(to))
    await rename(join(home, utf8Text(from)), target)
    // Only now: a file that could not be renamed is removed next, in the folder that it is in.
    this.#close(from)
    this.#close(to)
    await syncFolder(dirname(target))
    return DONE
  }

  async #remove(path: string): Promise<FileAnswer> {
    const full = this.#full(path)
    this.#close(path)
    await rm(full, { force: true })
    return DONE
  }
}

function pathOf(request: FileRequest): string {
  switch (request.kind) {
    case 'rename':
      return request.from
    case 'list':
    case 'makeFolder':
      return request.folder
    case 'journal':
      return ''
    default:
      return request.path
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder)
    return names.map((name) => Buffer.from(name).toString('latin1'))
  } catch (error) {
    if (isAbsent(error)) return []
    throw error
  }
}

/** A rename is a change of the folder. Windows cannot open one; its renames are durable without that. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function isAbsent(error: unknown): boolean {
  return codeOf(error) === 'ENOENT'
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' ? code : 'EUNKNOWN'
}

function failureOf(error: unknown): FileFailure {
  return { kind: 'failed', code: codeOf(error), text: reasonOf(error) }
}
