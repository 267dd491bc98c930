/** A directive of several words at once, each of which says one thing: `save now`. */
import { accepted, type Parsed, refused, type SettingType } from './setting-types.ts'

/**
 * `none`: the word that says nothing, shown when there is no other. `words`: the others, in the order
 * they are shown. `conflict`: why some of them cannot stand together; undefined: they can.
 */
export function flagWords(
  none: string,
  words: readonly string[],
  conflict: (given: ReadonlySet<string>) => string | undefined,
): SettingType<string> {
  const parse = (text: string): Parsed<string> => {
    const given = new Set(text.toLowerCase().split(' '))
    const known = [none, ...words]
    for (const word of given) {
      if (known.includes(word)) continue
      return refused(`argument(s) must be one of the following: ${known.join(', ')}`)
    }
    const reason = conflict(given)
    if (reason !== undefined) return refused(reason)
    return accepted(words.filter((word) => given.has(word)).join(' ') || none)
  }
  return { initial: none, access: 'mutable', parse, format: String }
}

/** What SIGINT or SIGTERM asks for beyond ending. */
export function shutdownWords(): SettingType<string> {
  return flagWords('default', ['save', 'nosave', 'now', 'force'], (given) =>
    given.has('save') && given.has('nosave')
      ? "shutdown options SAVE and NOSAVE can't be used simultaneously"
      : undefined,
  )
}
