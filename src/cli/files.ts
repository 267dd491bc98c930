import { readFileSync } from 'node:fs'
import { reasonOf, StartError } from '../io/start-error.ts'

/** Reads a file the user named. Throws a StartError that says which one it is and what is wrong. */
export function readTextFile(path: string, encoding: 'utf8' | 'latin1'): string {
  try {
    return readFileSync(path, encoding)
  } catch (error) {
    const reason = reasonOf(error)
    throw new StartError(
      'E_CONFIG_FILE',
      `cannot read ${path}: ${reason === 'ENOENT' ? 'there is no such file' : reason}`,
      'check the name, and that this user may read it',
    )
  }
}
