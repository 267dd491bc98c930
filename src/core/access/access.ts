/**
 * Which users may use this Sentinel's own port, and for what. The users come from the configuration
 * file or from [aclfile]. Users that ACL SETUSER and DELUSER change are saved with everything else
 * the Sentinel has learnt, unless there is an aclfile, which only ACL SAVE writes.
 */
import type { AclLog } from '../../acl/log.ts'
import type { PasswordSource } from '../../acl/passwords.ts'
import type { UserLine } from '../../acl/user-lines.ts'
import type { Users } from '../../acl/users.ts'
import type { SavedState } from '../persistence/saved.ts'

export interface Access {
  readonly users: Users
  readonly log: AclLog
  readonly passwords: PasswordSource
  /** The users as the configuration file has them. */
  fileLines: readonly UserLine[]
  /** ACL SETUSER or DELUSER has changed what the file says. */
  isLearnt: boolean
  /** [aclfile] Its path, as texts show it; undefined: there is none. */
  readonly aclFile: string | undefined
}

/** What must be saved about the users; undefined: nothing that the files do not say. */
export function savedUsers({ users, fileLines, isLearnt, aclFile }: Access): SavedState['users'] {
  if (!isLearnt || aclFile !== undefined) return undefined
  return { file: fileLines, current: users.all.map((account) => users.describe(account)) }
}

/**
 * The lines that count: the file's lines, and users made at run time. A user who was changed at run
 * time keeps the change as long as the file says the same about him as it did then; a deleted user
 * stays deleted in the same way.
 */
export function restoredLines(
  fileLines: readonly UserLine[],
  saved: SavedState['users'],
): readonly UserLine[] {
  if (saved === undefined) return fileLines
  const before = byName(saved.file)
  const current = byName(saved.current)
  const inFile = byName(fileLines)
  const fromFile = fileLines.map((line) => {
    const name = nameOf(line)
    return isSame(before.get(name), line) ? current.get(name) : line
  })
  const fromRunTime = saved.current.filter((line) => {
    const name = nameOf(line)
    return !inFile.has(name) && !before.has(name)
  })
  return [...fromFile, ...fromRunTime].filter((line) => line !== undefined)
}

function byName(lines: readonly UserLine[]): ReadonlyMap<string, UserLine> {
  return new Map(lines.map((line) => [nameOf(line), line]))
}

function nameOf([name = '']: UserLine): string {
  return name
}

function isSame(one: UserLine | undefined, other: UserLine): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
