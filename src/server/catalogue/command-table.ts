/** All commands of one node, found by name in either case. */
import { type CommandRename, commandMeant } from '../../base/command-renames.ts'
import type { CommandDirectory } from '../context.ts'
import { unknownCommand, unknownSubcommand } from '../errors.ts'
import { type Command, createCommand, type Family } from './command.ts'
import { keysOf } from './key-spec.ts'

/** No name of ours is longer, so a longer word is unknown without being put into lower case. */
const MAX_NAME_BYTES = 64

export class CommandTable implements CommandDirectory {
  readonly #renames: readonly CommandRename[]
  /** By lower-case name, in the order of the families, without those that are switched off. */
  readonly all: ReadonlyMap<string, Command>
  /** The same in lower and upper case, so that the usual spellings are found at once. */
  readonly #bySpelling = new Map<string, Command>()
  /**
   * The names used last, by length and last character: most requests call a command by a name that was
   * used a moment ago, and comparing with it is cheaper than hashing a text that has just come in.
   */
  readonly #recent: { readonly name: string; readonly command: Command }[] = []

  constructor(families: readonly Family[], renames: readonly CommandRename[]) {
    this.#renames = renames
    const all = new Map<string, Command>()
    for (const family of families) {
      for (const spec of family.commands) all.set(spec.name, createCommand(spec, family))
    }
    for (const [name, command] of all) {
      this.#bySpelling.set(name, command).set(name.toUpperCase(), command)
    }
    for (const [own, here] of renames) if (here === '') all.delete(own)
    this.all = all
  }

  /**
   * The words of a client with the command's own name, under which files, replicas and ACL rules know it;
   * undefined: the client calls no command of ours by this name.
   */
  inOwnWords(argv: readonly string[]): readonly string[] | undefined {
    if (this.#renames.length === 0) return argv
    const word = argv[0] ?? ''
    const own = commandMeant(this.#renames, word, (name) => this.all.has(name))
    if (own === undefined) return undefined
    return own === word.toLowerCase() ? argv : [own, ...argv.slice(1)]
  }

  /** The command or subcommand the words name; undefined if there is none, see `unknown`. */
  find(argv: readonly string[]): Command | undefined {
    const name = argv[0] ?? ''
    const command = this.#named(name)
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
    const words = fullName.split('|')
    const found = this.find(this.inOwnWords(words) ?? [])
    // GET|KEY is no command, though GET takes a word.
    const isWhole = words.length === found?.fullName.split('|').length
    return isWhole ? found : undefined
  }

  /** The error for words that `find` does not know. */
  unknown(argv: readonly string[]) {
    const container = this.find(this.inOwnWords(argv.slice(0, 1)) ?? [])
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

  #named(name: string): Command | undefined {
    const place = ((name.length & 7) << 5) | (name.charCodeAt(name.length - 1) & 31)
    const recent = this.#recent[place]
    if (recent?.name === name) return recent.command
    const command = this.#bySpelling.get(name) ?? this.#byAnySpelling(name)
    if (command !== undefined) this.#recent[place] = { name, command }
    return command
  }

  #byAnySpelling(name: string): Command | undefined {
    return name.length > MAX_NAME_BYTES ? undefined : this.#bySpelling.get(name.toLowerCase())
  }
}
