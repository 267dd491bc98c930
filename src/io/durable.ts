/**
 * Replacing files so that a crash at any moment leaves either the old content or the new, never a mix:
 * the new content is written beside the old and synced, then renamed over it, then the folder is synced,
 * because a rename lives in the folder. Only after that may anybody be told that it is saved.
 */
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'

/** What is kept may hold passwords. */
const PRIVATE_MODE = 0o600

/** The part of a file system this needs. Node's own, or one whose power can be cut. */
export interface FileSystem {
  open(path: string, flags: string, mode?: number): Promise<OpenFile>
  rename(from: string, to: string): Promise<void>
}

export interface OpenFile {
  writeFile(text: string | Uint8Array): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

/** Gives all named files in a folder the same content. Rejects with the file system's error. */
export async function replaceFiles(
  folder: string,
  names: readonly string[],
  text: string | Uint8Array,
  files: FileSystem = { open, rename },
): Promise<void> {
  const paths = names.map((name) => join(folder, name))
  await Promise.all(paths.map((path) => writeSynced(files, temporary(path), text)))
  for (const path of paths) await files.rename(temporary(path), path)
  await syncFolder(files, folder)
}

async function writeSynced(
  files: FileSystem,
  path: string,
  text: string | Uint8Array,
): Promise<void> {
  const file = await files.open(path, 'w', PRIVATE_MODE)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolder(files: FileSystem, folder: string): Promise<void> {
  if (!canSyncFolders()) return
  const handle = await files.open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The same for one file, for those who cannot wait. Throws the file system's error. */
export function replaceFileSync(folder: string, name: string, text: string | Uint8Array): void {
  const path = join(folder, name)
  withFileSync(temporary(path), 'w', (file) => writeFileSync(file, text))
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

/** Windows has no way to open a folder; its renames are durable without. */
function canSyncFolders(): boolean {
  return process.platform !== 'win32'
}
