/**
 * Which commands there are, and which categories they belong to. The rule language itself knows no
 * command: each program that has users brings its own catalogue.
 */

export interface AclCommand {
  /** In lower case; `config|get` for a subcommand. */
  readonly name: string
  /** Each name begins with `@`. */
  readonly categories: readonly string[]
  readonly subcommands: readonly AclCommand[]
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

export class Catalogue {
  /** Commands and subcommands; a container comes before its subcommands. */
  readonly all: readonly AclCommand[]
  /** The names of `all`. */
  readonly names: ReadonlySet<string>
  readonly #byName: ReadonlyMap<string, AclCommand>
  readonly #byCategory: ReadonlyMap<string, readonly AclCommand[]>

  constructor(commands: Iterable<AclCommand>) {
    this.all = [...commands].flatMap((command) => [command, ...command.subcommands])
    this.names = new Set(this.all.map(({ name }) => name))
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

  /** By name without `@`, in either case; undefined if there is no such category. */
  inCategory(category: string): readonly AclCommand[] | undefined {
    return this.#byCategory.get(category.toLowerCase())
  }
}
