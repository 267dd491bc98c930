/**
 * A disk that can be full: a small file system in memory over the folder of one process, and one
 * big file on it. Only processes whose disk is to fail in a scenario get one.
 */
import {
  closeSync,
  copyFileSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { runTool } from './tool.ts'

const SIZE = '16m'
const CHUNK_BYTES = 4_096
const FILLER = '.filler'
const PINNED = '.pinned'

export async function mountDisk(folder: string): Promise<void> {
  await runTool('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'vedette', folder])
}

/** From now on every write that needs room fails with ENOSPC, and a Sentinel's next save needs room. */
export function fillDisk(folder: string): void {
  moveStates(folder)
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

/**
 * A Sentinel goes on writing over its two copies on a full disk. It makes new ones when those are not the files that it
 * wrote, so each is replaced by the same bytes. The old ones stay under another name, or their room would be free.
 */
function moveStates(folder: string): void {
  const names = readdirSync(folder)
  if (names.includes(FILLER)) return
  for (const name of names.filter((one) => names.includes(`${one}.copy`))) {
    for (const path of [join(folder, name), join(folder, `${name}.copy`)]) {
      linkSync(path, path + PINNED)
      copyFileSync(path, `${path}.moved`)
      renameSync(`${path}.moved`, path)
    }
  }
}

export function makeRoom(folder: string): void {
  const ours = readdirSync(folder).filter((name) => name === FILLER || name.endsWith(PINNED))
  for (const name of ours) rmSync(join(folder, name))
}

/** Removes every file; the folder stays. */
export function emptyFolder(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
}
