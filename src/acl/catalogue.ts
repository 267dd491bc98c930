/**
 * Which commands there are, and what categories they are in. The language of rules knows no command of
 * its own: whoever keeps users brings the catalogue along.
 */

export interface AclCommand {
  /** Lower case; `config|get` for a subcommand. */
  readonly name: string
  /** Each with its `@`. */
  readonly categories: readonly string[]
  readonly subcommands: readonly AclCommand[]
  /** Rules may name it, but it cannot be given here. */
  readonly isAbsent?: boolean
}

/** In Redis' order, which ACL CAT shows and the description of a user follows. */
export const CATEGORIES: readonly string[] = [
  'keyspace',
  'read',
  'write',
  'set',
  'sortedset',
  'list',
  'hash',
  'string',
  'bitmap',
  'hyperloglog',
  'geo',
  'stream',
  'pubsub',
  'admin',
  'fast',
  'slow',
  'blocking',
  'dangerous',
  'connection',
  'transaction',
  'scripting',
]

/** Adds commands that may be named only: those that are not there, and subcommands of those that are. */
export function withAbsent(
  commands: readonly AclCommand[],
  absent: readonly AclCommand[],
): readonly AclCommand[] {
  const known = new Set(
    commands.flatMap(({ name, subcommands }) => [name, ...namesOf(subcommands)]),
  )
  const more = absent.filter(({ name }) => !known.has(name))
  const whole = [...commands, ...more.filter(({ name }) => !name.includes('|'))]
  return whole.map((command) => {
    const added = more.filter(({ name }) => name.startsWith(`${command.name}|`))
    return { ...command, subcommands: [...command.subcommands, ...added] }
  })
}

function namesOf(commands: readonly AclCommand[]): readonly string[] {
  return commands.map(({ name }) => name)
}

export class Catalogue {
  /** Commands and subcommands, each container before what is in it. */
  readonly all: readonly AclCommand[]
  readonly #byName: ReadonlyMap<string, AclCommand>
  readonly #byCategory: ReadonlyMap<string, readonly AclCommand[]>

  constructor(commands: Iterable<AclCommand>) {
    this.all = [...commands].flatMap((command) => [command, ...command.subcommands])
    this.#byName = new Map(this.all.map((command) => [command.name, command]))
    this.#byCategory = new Map(
      CATEGORIES.map((category) => [
        category,
        this.all.filter(({ categories }) => categories.includes(`@${category}`)),
      ]),
    )
  }

  /** By full name in either case. */
  find(name: string): AclCommand | undefined {
    return this.#byName.get(name.toLowerCase())
  }

  /** By name without `@`, in either case; undefined: there is no such category. */
  inCategory(category: string): readonly AclCommand[] | undefined {
    return this.#byCategory.get(category.toLowerCase())
  }
}
