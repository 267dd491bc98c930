/** The ACL categories of a command. Most follow from its flags, the rest from its family or its name. */

export interface Categorized {
  /** Lower case; of a subcommand, the second word only. */
  readonly name: string
  readonly flags: readonly string[]
  /** What its family adds, several separated by spaces; undefined: nothing. */
  readonly familyCategory: string | undefined
  /** It is only the first word of others. */
  readonly isContainer: boolean
  readonly isSubcommand: boolean
}

/** Of which the data are: these stand between what a command does to them and how fast. */
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

/** Where a command belongs that is about neither keys nor their values. */
const OTHER_CATEGORIES: ReadonlySet<string> = new Set(['@connection', '@transaction', '@scripting'])

/** Administrative although not flagged as such. */
const ADMINISTRATIVE: ReadonlySet<string> = new Set(['role', 'lastsave'])

/** Not flagged as administrative, yet able to do much harm. */
const DANGEROUS: ReadonlySet<string> = new Set([
  'flushall',
  'flushdb',
  'keys',
  'swapdb',
  'sort',
  'sort_ro',
  'restore',
  'restore-asking',
  'info',
  'role',
  'lastsave',
])

/** In Redis' order. */
export function aclCategories(command: Categorized): string[] {
  if (command.isContainer) return ['@slow']
  const { name, flags, familyCategory: family = '', isSubcommand } = command
  const has = (flag: string) => flags.includes(flag)
  const isAdmin = has('admin')
  const candidates: readonly (readonly [category: string, applies: boolean])[] = [
    ['@keyspace', family === '@keyspace'],
    ['@write', has('write')],
    ['@read', has('readonly')],
    ...family.split(' ').map((each) => [each, TYPE_CATEGORIES.has(each)] as const),
    ['@admin', isAdmin || ADMINISTRATIVE.has(name)],
    ['@pubsub', has('pubsub')],
    ['@fast', has('fast')],
    ['@slow', !has('fast')],
    ['@blocking', has('blocking')],
    ['@dangerous', isAdmin || (!isSubcommand && DANGEROUS.has(name))],
    [family, OTHER_CATEGORIES.has(family)],
  ]
  return candidates.filter(([, applies]) => applies).map(([category]) => category)
}
