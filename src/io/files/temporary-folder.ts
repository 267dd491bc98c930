import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reasonOf, StartError } from '../start-error.ts'

/** Makes a new folder among the temporary files. `user`: what needs it. Throws a StartError that says how to mend it. */
export function temporaryFolder(user: string, prefix: string): string {
  const parent = tmpdir()
  try {
    return mkdtempSync(join(parent, prefix))
  } catch (error) {
    throw new StartError(
      'E_STATE_FOLDER',
      `${user} needs a folder in ${parent}, and cannot make one: ${reasonOf(error)}`,
      'set TMPDIR to a folder that is there, and that this user may write to',
    )
  }
}
