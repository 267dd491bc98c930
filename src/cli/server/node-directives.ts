/** How a data node checks the lines of a redis.conf, at its start and for programs that only check. */

import { withRename } from '../../base/command-renames.ts'
import { utf8Text } from '../../base/utf8.ts'
import type { ConfOutside } from '../../config/config-filesystem.ts'
import { type DirectiveCheck, UNKNOWN_DIRECTIVE } from '../../config/redis-conf.ts'
import { isNodeCommand } from '../../server/commands/registry.ts'
import { isObsolete, Settings } from '../../server/settings/settings.ts'
import type { UserLines } from './node-users.ts'

/** Directives that would be dangerous to ignore. */
const REFUSED: Readonly<Record<string, string>> = {
  loadmodule: 'modules are not loaded by this data node',
}

/** Applies valid lines to the settings and the users. */
export function nodeDirectives(
  settings: Settings,
  users: UserLines,
  outside: Pick<ConfOutside, 'folderFault'>,
): DirectiveCheck {
  return (name, words) => {
    const refused = REFUSED[name]
    if (refused !== undefined) return refused
    if (name === 'rename-command') return rename(settings, words)
    if (name === 'user') return users.add(words, settings)
    if (name === 'dir' && words[0] !== undefined) {
      const fault = outside.folderFault(utf8Text(words[0]))
      if (fault !== undefined) return fault
    }
    if (settings.knows(name)) return settings.load(name, words)
    return isObsolete(name) && words.length === 1 ? undefined : UNKNOWN_DIRECTIVE
  }
}

function rename(settings: Settings, words: readonly string[]): string | undefined {
  const renames = withRename(settings.renames, words, isNodeCommand)
  if (typeof renames === 'string') return renames
  settings.renames = renames
  return undefined
}

/** Whether a directive has the value that it would have without a file. */
export function isUsual(settings: Settings): (directive: string) => boolean {
  const usual = new Settings()
  return (directive) => !isObsolete(directive) && settings.get(directive) === usual.get(directive)
}
