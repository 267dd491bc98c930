/**
 * Replacing files so that a crash at any moment leaves either the old content or the new, never a mix:
 * the new content is written beside the old and synced, then renamed over it, then the folder is synced,
 * because a rename is a change of the folder. Only after that may we report that it is saved.
 */
import {
  closeSync,
  constants,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** The content may include passwords. */
const PRIVATE_MODE = 0o600
const { O_WRONLY, O_CREAT, O_EXCL } = constants
/**
 * Each write returns when it is on the disk (open(2)). Elsewhere than on Linux a sync does more than that, or the
 * flag is not there.
 */
export const SYNCED_WRITES = process.platform === 'linux' ? constants.O_DSYNC : 0
const CREATED = O_WRONLY | O_CREAT | O_EXCL | SYNCED_WRITES

/**
 * The part of a file system that this module needs. Node's own, or one that tests can cut the power
 * of.
 */
export interface FileSystem {
  open(path: string, flags: number, mode?: number): Promise<OpenFile>
  rename(from: string, to: string): Promise<void>
  rm(path: string): Promise<void>
}

export interface OpenFile {
  writeFile(text: string | Uint8Array): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

/**
 * Gives all named files in a folder the same content. Rejects with the file system's error. Each step is a turn of
 * another thread, and a vote or a switch waits for the last one: so what can be done beside a step is.
 */
export async function replaceFiles(
  folder: string,
  names: readonly string[],
  text: string | Uint8Array,
  files: FileSystem = { open, rename, rm },
): Promise<void> {
  const paths = names.map((name) => join(folder, name))
  const opening = canSyncFolders() ? files.open(folder, constants.O_RDONLY) : undefined
  try {
    await allOver(paths.map((path) => writeSynced(files, temporary(path), text)))
    await allOver(paths.map((path) => files.rename(temporary(path), path)))
    await (await opening)?.sync()
  } finally {
    closeBeside(opening)
  }
}

/** When one has failed the others are waited for too: the next save must not find their steps among its own. */
async function allOver(steps: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(steps)
  await Promise.all(steps)
}

async function writeSynced(
  files: FileSystem,
  path: string,
  text: string | Uint8Array,
): Promise<void> {
  const opening = openNew(files, path)
  try {
    const file = await opening
    await file.writeFile(text)
    if (SYNCED_WRITES === 0) await file.sync()
  } finally {
    closeBeside(opening)
  }
}

/** What has been synced is safe, however closing ends. */
function closeBeside(opening: Promise<OpenFile> | undefined): void {
  opening?.then((file) => file.close()).catch(() => undefined)
}

/**
 * The file is always newly created: whatever a crash left at that path, or an attacker put there (a link
 * to one of our files, a file others may read, a pipe), is removed and never written through.
 */
async function openNew(files: FileSystem, path: string): Promise<OpenFile> {
  try {
    return await files.open(path, CREATED, PRIVATE_MODE)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    await files.rm(path)
    return files.open(path, CREATED, PRIVATE_MODE)
  }
}

/** The same for one file, synchronously. Throws the file system's error. */
export function replaceFileSync(folder: string, name: string, text: string | Uint8Array): void {
  const path = join(folder, name)
  rmSync(temporary(path), { force: true })
  withFileSync(temporary(path), 'wx', (file) => writeFileSync(file, text))
  renameSync(temporary(path), path)
  if (canSyncFolders()) withFileSync(folder, 'r', () => undefined)
}

function withFileSync(path: string, flags: string, use: (file: number) => void): void {
  const file = openSync(path, flags, PRIVATE_MODE)
  try {
    use(file)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function temporary(path: string): string {
  return `${path}.tmp`
}

/** Windows cannot open a folder; its renames are durable without that. */
function canSyncFolders(): boolean {
  return process.platform !== 'win32'
}
