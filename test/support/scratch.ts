/**
 * Folders for the files of a test. Each is removed when its test file is over, pass or fail, by
 * setup.ts; who needs it gone sooner removes it. All of them lie in the folder of the run (run-folder.ts),
 * whose end tells by name what was left behind.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const made = new Set<string>()

/** A new empty folder; the name says whose it is, should it ever be found. */
export function scratchFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `vedette-${name}-`))
  made.add(folder)
  return folder
}

/** Programs that were killed may take a moment to let go of their files. */
export function removeScratchFolders(): void {
  for (const folder of made) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  made.clear()
}
