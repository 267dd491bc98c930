/**
 * The folder of a data node on a real file system. Requests are carried out in the background, those on
 * one path in the order they were made. What is appended at once (the append-only file, before replies
 * leave) is written before the call returns; only syncing it is left to the background.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { unreachable } from '../base/assert.ts'
import type { FileAnswer, FileFailure, FileRequest } from '../server/persistence/files.ts'
import type { NodeFolder } from './node-host.ts'
import { reasonOf } from './start-error.ts'

const DONE: FileAnswer = { kind: 'done' }
/** What is kept is nobody else's. */
const PRIVATE_MODE = 0o600

export class NodeFiles implements NodeFolder {
  readonly #folder: () => string
  /** What was last asked of each path; the next request waits for it. */
  readonly #last = new Map<string, Promise<unknown>>()
  /** Files that are being appended to, with `appendNow`. */
  readonly #open = new Map<string, number>()

  /** `folder` is asked each time: [dir] may be changed while the node runs. */
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
   * Appends before it returns; the file is made if it is not there. A write that fails half-way is taken
   * back. Undefined: done.
   */
  appendNow(path: string, bytes: string): FileFailure | undefined {
    try {
      appendWhole(this.#descriptor(path), Buffer.from(bytes, 'latin1'))
      return undefined
    } catch (error) {
      return failureOf(error)
    }
  }

  /** Closes a file that `appendNow` has opened. */
  #close(path: string): void {
    const descriptor = this.#open.get(path)
    if (descriptor === undefined) return
    this.#open.delete(path)
    closeSync(descriptor)
  }

  #descriptor(path: string): number {
    const known = this.#open.get(path)
    if (known !== undefined) return known
    const descriptor = openSync(this.#full(path), 'a', PRIVATE_MODE)
    this.#open.set(path, descriptor)
    return descriptor
  }

  #full(path: string): string {
    return join(this.#folder(), path)
  }

  async #carryOut(request: FileRequest): Promise<FileAnswer> {
    switch (request.kind) {
      case 'list':
        return { kind: 'names', names: await namesIn(this.#full(request.folder)) }
      case 'size':
        return { kind: 'size', sizeBytes: await sizeOf(this.#full(request.path)) }
      case 'read':
        return { kind: 'bytes', bytes: await this.#read(request) }
      case 'create':
        this.#close(request.path)
        return await this.#with(request.path, 'w', () => Promise.resolve())
      case 'append':
        return await this.#with(request.path, 'a', (file) =>
          file.appendFile(request.bytes, 'latin1'),
        )
      case 'sync':
        return await this.#with(request.path, 'r+', (file) => file.datasync())
      case 'truncate':
        return await this.#with(request.path, 'r+', (file) => file.truncate(request.sizeBytes))
      case 'rename':
        return await this.#rename(request.from, request.to)
      case 'remove':
        this.#close(request.path)
        await rm(this.#full(request.path), { force: true })
        return DONE
      case 'makeFolder':
        await mkdir(this.#full(request.folder), { recursive: true })
        await syncFolder(dirname(this.#full(request.folder)))
        return DONE
      default:
        return unreachable(request)
    }
  }

  async #read({ path, offset, maxBytes }: FileRequest & { kind: 'read' }): Promise<string> {
    const file = await open(this.#full(path), 'r')
    try {
      const { buffer, bytesRead } = await file.read(
        Buffer.allocUnsafe(maxBytes),
        0,
        maxBytes,
        offset,
      )
      return buffer.toString('latin1', 0, bytesRead)
    } finally {
      await file.close()
    }
  }

  async #with(
    path: string,
    flags: string,
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
    this.#close(from)
    this.#close(to)
    await rename(this.#full(from), this.#full(to))
    await syncFolder(dirname(this.#full(to)))
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
    default:
      return request.path
  }
}

/** All of it, or the file is as it was. Throws the file system's error. */
function appendWhole(descriptor: number, bytes: Buffer): void {
  let written = 0
  try {
    while (written < bytes.length) written += writeSync(descriptor, bytes, written)
  } catch (error) {
    if (written > 0) takeBack(descriptor, written)
    throw error
  }
}

function takeBack(descriptor: number, writtenBytes: number): void {
  ftruncateSync(descriptor, fstatSync(descriptor).size - writtenBytes)
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
    return await readdir(folder)
  } catch (error) {
    if (isAbsent(error)) return []
    throw error
  }
}

/** A rename lives in the folder. Windows has no way to open one; its renames are durable without. */
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
