/**
 * [rename-command] What clients must call a command here; empty: it is switched off. One line after another
 * is read, so a line may name a command by the name that a line before gave it.
 */

/** The command's own name in lower case, and what it is called here. */
export type CommandRename = readonly [own: string, here: string]

export type RenameFault =
  | 'Bad directive or wrong number of arguments'
  | 'No such command in rename-command'
  | 'Target command name already exists'

/** The names after one more line, or why it is refused, in Redis' words. `isCommand`: by own name. */
export function withRename(
  renames: readonly CommandRename[],
  words: readonly string[],
  isCommand: (name: string) => boolean,
): readonly CommandRename[] | RenameFault {
  const [name, here, ...more] = words
  if (name === undefined || here === undefined || more.length > 0) {
    return 'Bad directive or wrong number of arguments'
  }
  const own = commandMeant(renames, name, isCommand)
  if (own === undefined) return 'No such command in rename-command'
  if (here !== '' && commandMeant(renames, here, isCommand) !== undefined) {
    return 'Target command name already exists'
  }
  return [...renames.filter(([known]) => known !== own), [own, here]]
}

/** The command that a client means by this word, in either case; undefined: none. */
export function commandMeant(
  renames: readonly CommandRename[],
  word: string,
  isCommand: (name: string) => boolean,
): string | undefined {
  const typed = word.toLowerCase()
  const renamed = renames.find(([, here]) => here !== '' && here.toLowerCase() === typed)
  if (renamed !== undefined) return renamed[0]
  return isCommand(typed) && !renames.some(([own]) => own === typed) ? typed : undefined
}
