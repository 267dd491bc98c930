/** [aclfile] at the start of a program: read and checked before the program listens. */
import { AclFile } from '../../io/files/acl-file.ts'
import { reasonOf, StartError } from '../../io/start-error.ts'

export interface OpenedAclFile {
  readonly file: AclFile
  readonly path: string
  readonly text: string
}

/**
 * Undefined if none is configured (`path` is empty). A relative path is relative to `folder`. `check`
 * returns, in Redis' words, why a text is not valid. Throws a StartError.
 */
export function openAclFile(
  path: string,
  folder: string,
  check: (file: { readonly path: string; readonly text: string }) => string | undefined,
): OpenedAclFile | undefined {
  if (path === '') return undefined
  const file = new AclFile(path, folder)
  const text = read(file)
  const fault = check({ path, text })
  if (fault !== undefined) throw broken(fault, MEND)
  return { file, path, text }
}

const MEND = 'mend these lines: one user per line, no comments, no db= or resetdbs (Valkey 9.1)'

function read(file: AclFile): string {
  try {
    return file.readSync()
  } catch (error) {
    const problem = `Error loading ACLs, opening file '${file.path}': ${reasonOf(error)}`
    const hint = 'an aclfile has to be there; it may be empty'
    throw broken(`Aborting Redis startup because of ACL errors: ${problem}`, hint)
  }
}

function broken(message: string, hint: string): StartError {
  return new StartError('E_ACL_FILE', message, hint)
}
