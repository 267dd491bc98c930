/** Who may use this node, and for what: the users, what they were refused, and the file they stand in. */
import type { AclLog } from '../../acl/log.ts'
import type { PasswordSource } from '../../acl/passwords.ts'
import type { Users } from '../../acl/users.ts'
import type { LearntUsers } from '../port.ts'

export interface FileUsers {
  /** See `LearntUsers`. */
  readonly basis: string
  /** The users of the file as we would describe them. */
  readonly text: string
}

export interface NodeAccess {
  readonly users: Users
  readonly log: AclLog
  readonly passwords: PasswordSource
  /** What the configuration file says of users. */
  readonly file: FileUsers
  /** [aclfile] Undefined: users stand in the configuration file. */
  readonly aclFile: NodeAclFile | undefined
}

/** [aclfile] What `io/` does for the node with it, at once: operators wait for the answer. */
export interface NodeAclFile {
  /** As the configuration names it. */
  readonly path: string
  /** What stood in it at the start; `checkNodeAclFile` has found it sound. */
  readonly text: string
  read():
    | { readonly ok: true; readonly text: string }
    | { readonly ok: false; readonly reason: string }
  /** Undefined: it is safely on disk. Otherwise why not. */
  write(text: string): string | undefined
}

/** What CONFIG REWRITE is to keep of the users; undefined: the file says the same, or an aclfile does. */
export function learntUsers({ users, file, aclFile }: NodeAccess): LearntUsers | undefined {
  if (aclFile !== undefined) return undefined
  const lines = users.all.map((account) => users.describe(account))
  return JSON.stringify(lines) === file.text ? undefined : { basis: file.basis, lines }
}
