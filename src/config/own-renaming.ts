/** `rename-command <name> <new name>` of the file itself: what our own commands are called here. */
import { type Draft, type Objection, refusal } from './sentinel-draft.ts'

/** The commands a Sentinel of Redis 7.0 has. */
const COMMANDS: ReadonlySet<string> = new Set(
  `acl auth client command hello info ping psubscribe publish punsubscribe role sentinel shutdown
   subscribe unsubscribe`.split(/\s+/),
)

/** An empty new name switches the command off. */
export function renameOwnCommand(draft: Draft, words: readonly string[]): Objection | undefined {
  const [name, sentAs, ...more] = words
  if (name === undefined || sentAs === undefined || more.length > 0) {
    return refusal('E_TYPE', 'Bad directive or wrong number of arguments')
  }
  const renamed = draft.core.ownRenamedCommands
  const command = name.toLowerCase()
  const isThere = (one: string) =>
    renamed.some(([, other]) => other.toLowerCase() === one) ||
    (COMMANDS.has(one) && !renamed.some(([known]) => known === one))
  if (!isThere(command)) return refusal('E_UNKNOWN', 'No such command in rename-command')
  if (sentAs !== '' && isThere(sentAs.toLowerCase())) {
    return refusal('E_DUPLICATE', 'Target command name already exists')
  }
  const original = renamed.find(([, other]) => other.toLowerCase() === command)?.[0] ?? command
  const others = renamed.filter(([known]) => known !== original)
  draft.core.ownRenamedCommands = [...others, [original, sentAs]]
  return undefined
}
