/**
 * A disk that can be full: a small file system in memory over the folder of one process, and one
 * big file on it. Only processes whose disk is to fail in a scenario get one.
 */
import { closeSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { runTool, runToolSync } from './tool.ts'

const SIZE = '16m'
const CHUNK_BYTES = 4_096
const FILLER = '.filler'

export async function mountDisk(folder: string): Promise<void> {
  await runTool('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'vedette', folder])
}

export function unmountDisk(folder: string): void {
  runToolSync('umount', ['--lazy', folder])
}

/** From now on every write that needs room fails with ENOSPC. */
export function fillDisk(folder: string): void {
  const file = openSync(join(folder, FILLER), 'a')
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    while (writeSync(file, chunk) === CHUNK_BYTES);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    closeSync(file)
  }
}

export function makeRoom(folder: string): void {
  rmSync(join(folder, FILLER), { force: true })
}

/** Removes every file; the folder stays. */
export function emptyFolder(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
}
