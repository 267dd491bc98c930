/** The users of a data node, from its configuration: `user` lines, or an aclfile. */
import { randomBytes } from 'node:crypto'
import { USERS_AND_ACL_FILE, type UserLine } from '../../acl/user-lines.ts'
import { reasonOf, StartError } from '../../io/start-error.ts'
import type { NodeAclFile } from '../../server/access/access.ts'
import { checkNodeAclFile, checkNodeUsers } from '../../server/access/access-start.ts'
import type { Settings } from '../../server/settings/settings.ts'
import { type OpenedAclFile, openAclFile } from '../daemon/acl-files.ts'

/** The `user` lines as they are read, each checked together with those before it. */
export class UserLines {
  readonly lines: UserLine[] = []
  readonly #names = new Set<string>()

  /** Why a line is not valid, in Redis' words; undefined if it is. */
  add(words: UserLine, settings: Settings): string | undefined {
    if (words.length === 0) return 'wrong number of arguments'
    // All lines are checked again only if two lines are about one user: doing that for each line
    // would take for ever.
    const [name = ''] = words
    const others = this.#names.has(name) ? this.lines : []
    const fault = checkNodeUsers([...others, words], settings)
    if (fault !== undefined) return fault
    this.lines.push(words)
    this.#names.add(name)
    return undefined
  }
}

/** The users with which the node starts. Throws a StartError. */
export function nodeUsers({ lines }: UserLines, settings: Settings) {
  const path = settings.text('aclfile')
  if (path !== '' && lines.length > 0) {
    throw new StartError('E_ACL_FILE', USERS_AND_ACL_FILE, 'move the user lines into the aclfile')
  }
  const opened = openAclFile(path, settings.text('dir'), (found) =>
    checkNodeAclFile(found, settings),
  )
  const aclFile = opened === undefined ? undefined : toNodeAclFile(opened)
  return { users: lines, aclFile, secret: randomBytes(32).toString('hex') }
}

function toNodeAclFile({ file, path, text }: OpenedAclFile): NodeAclFile {
  return {
    path,
    text,
    read() {
      try {
        return { ok: true, text: file.readSync() }
      } catch (error) {
        return { ok: false, reason: reasonOf(error) }
      }
    },
    write(newText) {
      try {
        file.writeSync(newText)
        return undefined
      } catch (error) {
        return reasonOf(error)
      }
    },
  }
}
