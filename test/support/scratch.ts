/**
 * Folders for the files of a test. setup.ts removes each when its test file is over, pass or fail; a test
 * that needs it gone sooner removes it. All of them are in the folder of the run (run-folder.ts), which
 * names at its end what was left behind.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const made = new Set<string>()

/** A new empty folder; the name says which test it belongs to, if it is ever found. */
export function scratchFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `vedette-${name}-`))
  made.add(folder)
  return folder
}

/** Killed programs may take a moment to release their files. */
export function removeScratchFolders(): void {
  for (const folder of made) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  made.clear()
}
