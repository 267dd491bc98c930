/** COMMAND: the table of commands, for programs to read. */
import { array, bulks, error, integer, NULL, type Reply } from '../../resp/reply.ts'
import { type CommandFacts, commandInfo, parseCommandFilter } from '../../session/commands.ts'
import type { Client } from '../clients/client.ts'
import type { Turn } from '../state.ts'
import { categoriesOf } from './categories.ts'
import { type CommandDraft, command, type PortCommand, withSubcommands } from './command.ts'
import { commandDocs } from './command-docs.ts'
import { findByFullName, findCommand, type PortCommands, usableCommands } from './lookup.ts'

/**
 * What can be called on this Sentinel, whose file may have renamed commands or switched them off.
 */
interface Directory {
  readonly all: readonly PortCommand[]
  find(fullName: string): PortCommand | undefined
  /** Finds what a request calls: a command, or a container's subcommand. */
  call(argv: readonly string[]): PortCommand | undefined
}

type Look = (directory: Directory, argv: readonly string[]) => Reply

/** The table is a function because COMMAND itself is in it. */
export function introspectionCommand(table: () => PortCommands): PortCommand {
  const looking = (look: Look) => (turn: Turn, _client: Client, argv: readonly string[]) =>
    look(directoryOf(turn, table()), argv)
  return withSubcommands(command(COMMAND, looking(describeAll)), [
    command(COUNT, looking(count)),
    command(LIST, looking(list)),
    command(INFO, looking(info)),
    command(DOCS, looking(docs)),
    command(GETKEYS, looking(keysOf)),
    command(GETKEYSANDFLAGS, looking(keysOf)),
  ])
}

function directoryOf({ state }: Turn, table: PortCommands): Directory {
  const renames = state.config.ownRenamedCommands
  return {
    all: usableCommands(table, renames),
    find: (fullName) => findByFullName(table, renames, fullName),
    call: ([name = '', sub = '']) => {
      const found = findCommand(table, renames, name)
      return found?.subcommands.size === 0 ? found : found?.subcommands.get(sub.toLowerCase())
    },
  }
}

function describeAll({ all }: Directory): Reply {
  return array(all.map((one) => commandInfo(factsOf(one))))
}

function count({ all }: Directory): Reply {
  return integer(all.length)
}

function info(directory: Directory, [, , ...names]: readonly string[]): Reply {
  if (names.length === 0) return describeAll(directory)
  const found = names.map((name) => directory.find(name))
  return array(found.map((one) => (one === undefined ? NULL : commandInfo(factsOf(one)))))
}

/** No command here has keys or key specifications. */
function factsOf(one: PortCommand): CommandFacts {
  const { name, arity, group, flags, tips } = one
  return {
    ...{ name, arity, group, flags, tips, categories: categoriesOf(one) },
    ...{ firstKey: 0, lastKey: 0, keyStep: 0, keySpecs: [] },
    subcommands: [...one.subcommands.values()].map(factsOf),
    subcommandsAs: 'array',
  }
}

/** Unknown names are left out. */
function docs({ all, find }: Directory, [, , ...names]: readonly string[]): Reply {
  const wanted = names.length === 0 ? all : names.flatMap((name) => find(name) ?? [])
  return commandDocs(wanted)
}

function list({ all }: Directory, argv: readonly string[]): Reply {
  const flat = all.flatMap((one) => [one, ...one.subcommands.values()]).map(factsOf)
  const isMeant = argv.length === 2 ? () => true : parseCommandFilter(argv)
  if (typeof isMeant !== 'function') return isMeant
  return bulks(flat.filter(isMeant).map(({ name }) => name))
}

/** A Sentinel holds no keys, so both answers are errors. */
function keysOf(directory: Directory, [, , ...words]: readonly string[]): Reply {
  if (directory.call(words) === undefined) return error('ERR Invalid command specified')
  return error('ERR The command has no key arguments')
}

function spec(
  [name, arity, since]: readonly [name: string, arity: number, since: string],
  usage: string,
  summary: string,
  isOrdered = true,
): CommandDraft {
  return {
    name,
    arity,
    since,
    usage,
    summary,
    group: 'server',
    flags: ['loading', 'stale'],
    categories: ['connection'],
    tips: isOrdered ? [] : ['nondeterministic_output_order'],
  }
}

const COMMAND: CommandDraft = {
  ...spec(['command', -1, '2.8.13'], '', 'Describe all commands.', false),
  help: [{ usage: '(no subcommand)', explanation: ['Describe all commands.'] }],
}
const COUNT = spec(['command|count', 2, '2.8.13'], '', 'Count the commands.')
const LIST: CommandDraft = {
  ...spec(['command|list', -2, '7.0.0'], '', 'Name the commands.', false),
  help: [
    {
      usage: 'LIST',
      explanation: [
        'Name the commands. To narrow it down:',
        'FILTERBY (MODULE <name>|ACLCAT <category>|PATTERN <pattern>)',
      ],
    },
  ],
}
const NAMES = '[<command-name> ...]'
const INFO = spec(['command|info', -2, '2.8.13'], NAMES, 'Describe commands, or all.', false)
const DOCS = spec(['command|docs', -2, '7.0.0'], NAMES, 'Explain commands, or all.', false)
const GETKEYS = spec(
  ['command|getkeys', -4, '2.8.13'],
  '<full-command>',
  'The keys in a command; no command of a Sentinel has any.',
)
const GETKEYSANDFLAGS = spec(
  ['command|getkeysandflags', -4, '7.0.0'],
  '<full-command>',
  'The keys in a command and what is done to them.',
)
