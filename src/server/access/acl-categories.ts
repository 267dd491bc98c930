/**
 * The ACL categories of a command. Most follow from its flags, the rest from its family or its
 * spec.
 */

export interface Categorized {
  readonly flags: readonly string[]
  /** Categories that the family adds, separated by spaces; undefined: none. */
  readonly familyCategory: string | undefined
  /** Categories that the spec adds. */
  readonly alsoIn: readonly string[]
  /** The command is only the first word of others. */
  readonly isContainer: boolean
}

/**
 * Categories for types of data: Redis lists them between what a command does to the data and how
 * fast it is.
 */
const TYPE_CATEGORIES: ReadonlySet<string> = new Set([
  '@string',
  '@bitmap',
  '@list',
  '@set',
  '@hash',
  '@sortedset',
  '@stream',
  '@hyperloglog',
  '@geo',
])

/** Categories for commands that concern neither keys nor their values. */
const OTHER_CATEGORIES: ReadonlySet<string> = new Set(['@connection', '@transaction', '@scripting'])

/** In Redis' order. */
export function aclCategories(command: Categorized): string[] {
  if (command.isContainer) return ['@slow']
  const { flags, familyCategory: family = '', alsoIn } = command
  const has = (flag: string) => flags.includes(flag)
  const isAdmin = has('admin')
  const candidates: readonly (readonly [category: string, applies: boolean])[] = [
    ['@keyspace', family === '@keyspace'],
    ['@write', has('write')],
    // As in Redis: what a script reads is not known.
    ['@read', has('readonly') && family !== '@scripting'],
    ...family.split(' ').map((each) => [each, TYPE_CATEGORIES.has(each)] as const),
    ['@admin', isAdmin || alsoIn.includes('@admin')],
    ['@pubsub', has('pubsub')],
    ['@fast', has('fast')],
    ['@slow', !has('fast')],
    ['@blocking', has('blocking')],
    ['@dangerous', isAdmin || alsoIn.includes('@dangerous')],
    [family, OTHER_CATEGORIES.has(family)],
  ]
  return candidates.filter(([, applies]) => applies).map(([category]) => category)
}
