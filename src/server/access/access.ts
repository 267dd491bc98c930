/**
 * Who may use this node, and for what: the users, what they were refused, and the file that names
 * them.
 */
import type { AclLog } from '../../acl/log.ts'
import type { PasswordSource } from '../../acl/passwords.ts'
import type { Users } from '../../acl/users.ts'
import type { LearntUsers } from '../port.ts'

export interface FileUsers {
  /** See `LearntUsers`. */
  readonly basis: string
  /** The users of the file, as this node would describe them. */
  readonly text: string
}

export interface NodeAccess {
  readonly users: Users
  readonly log: AclLog
  readonly passwords: PasswordSource
  /** What the configuration file says of users. */
  readonly file: FileUsers
  /** [aclfile] Undefined: the users stand in the configuration file. */
  readonly aclFile: NodeAclFile | undefined
}

/** [aclfile] The file, which `io/` reads and writes at once: operators wait for the answer. */
export interface NodeAclFile {
  /** The path as the configuration names it. */
  readonly path: string
  /** The contents at the start; `checkNodeAclFile` has found them sound. */
  readonly text: string
  read():
    | { readonly ok: true; readonly text: string }
    | { readonly ok: false; readonly reason: string }
  /** Undefined: the text is safely on disk. Otherwise the reason why not. */
  write(text: string): string | undefined
}

/**
 * The users that CONFIG REWRITE is to keep; undefined: the file says the same, or there is an
 * aclfile.
 */
export function learntUsers({ users, file, aclFile }: NodeAccess): LearntUsers | undefined {
  if (aclFile !== undefined) return undefined
  const lines = users.all.map((account) => users.describe(account))
  return JSON.stringify(lines) === file.text ? undefined : { basis: file.basis, lines }
}
