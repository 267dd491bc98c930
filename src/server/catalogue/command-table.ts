/** All commands of one node, found by name in either case. */
import type { CommandDirectory } from '../context.ts'
import { unknownCommand, unknownSubcommand } from '../errors.ts'
import { type Command, createCommand, type Family } from './command.ts'
import { keysOf } from './key-spec.ts'

/** No name is longer, so a longer word is unknown without being put into lower case. */
const MAX_NAME_BYTES = 64

export class CommandTable implements CommandDirectory {
  /** By lower-case name, in the order of the families. */
  readonly all: ReadonlyMap<string, Command>
  /** The same in lower and upper case, so that the usual spellings are found at once. */
  readonly #bySpelling = new Map<string, Command>()

  constructor(families: readonly Family[]) {
    const all = new Map<string, Command>()
    for (const family of families) {
      for (const spec of family.commands) all.set(spec.name, createCommand(spec, family))
    }
    this.all = all
    for (const [name, command] of all) {
      this.#bySpelling.set(name, command).set(name.toUpperCase(), command)
    }
  }

  /** The command or subcommand the words name; undefined if there is none, see `unknown`. */
  find(argv: readonly string[]): Command | undefined {
    const name = argv[0] ?? ''
    const command = this.#bySpelling.get(name) ?? this.#byAnySpelling(name)
    if (command?.subcommands === undefined || argv.length === 1) return command
    return command.subcommands.get((argv[1] ?? '').toLowerCase())
  }

  /** The keys that the words name; if the words do not tell, the first argument. */
  keysIn(argv: readonly string[]): readonly string[] {
    const specs = this.find(argv)?.keySpecs
    return (specs && keysOf(specs, argv)) ?? argv.slice(1, 2)
  }

  /** By full name, `get` or `config|get`. */
  findByName(fullName: string): Command | undefined {
    return this.find(fullName.split('|', 2))
  }

  /** The error for words that `find` does not know. */
  unknown(argv: readonly string[]) {
    const container = this.#byAnySpelling(argv[0] ?? '')
    if (container === undefined) return unknownCommand(argv)
    return unknownSubcommand(container.fullName, argv[1])
  }

  /** Commands and subcommands. */
  *everyCommand(): IterableIterator<Command> {
    for (const command of this.all.values()) {
      yield command
      if (command.subcommands !== undefined) yield* command.subcommands.values()
    }
  }

  #byAnySpelling(name: string): Command | undefined {
    return name.length > MAX_NAME_BYTES ? undefined : this.all.get(name.toLowerCase())
  }
}
