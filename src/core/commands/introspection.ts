/** COMMAND: the table of commands, as programs want to read it. */
import { matchesGlob } from '../../base/glob.ts'
import { array, bulk, bulks, error, integer, NULL, type Reply, simple } from '../../resp/reply.ts'
import type { Client } from '../client.ts'
import type { Turn } from '../state.ts'
import { categoriesOf } from './categories.ts'
import { type Command, type CommandDraft, command, withSubcommands } from './command.ts'
import { SYNTAX_ERROR } from './errors.ts'
import { type CommandTable, findByFullName, findCommand, usableCommands } from './lookup.ts'

/** What can be called on this Sentinel, whose file may have renamed commands or switched them off. */
interface Directory {
  readonly all: readonly Command[]
  find(fullName: string): Command | undefined
  /** As a request would be understood: a name, or a container and a subcommand. */
  call(argv: readonly string[]): Command | undefined
}

type Look = (directory: Directory, words: readonly string[]) => Reply

/** The table is asked for late, because COMMAND itself is in it. */
export function introspectionCommand(table: () => CommandTable): Command {
  const looking = (look: Look) => (turn: Turn, _client: Client, argv: readonly string[]) =>
    look(directoryOf(turn, table()), argv.slice(2))
  return withSubcommands(command(COMMAND, looking(describeAll)), [
    command(COUNT, looking(count)),
    command(LIST, looking(list)),
    command(INFO, looking(info)),
    command(DOCS, looking(docs)),
    command(GETKEYS, looking(keysOf)),
    command(GETKEYSANDFLAGS, looking(keysOf)),
  ])
}

function directoryOf({ state }: Turn, table: CommandTable): Directory {
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
  return array(all.map(commandInfo))
}

function count({ all }: Directory): Reply {
  return integer(all.length)
}

function info(directory: Directory, names: readonly string[]): Reply {
  if (names.length === 0) return describeAll(directory)
  const found = names.map((name) => directory.find(name))
  return array(found.map((one) => (one === undefined ? NULL : commandInfo(one))))
}

/** Ten elements; no command here has keys or key specifications. */
function commandInfo(one: Command): Reply {
  const none = integer(0)
  return array([
    bulk(one.name),
    integer(one.arity),
    set(one.flags.map(simple)),
    none,
    none,
    none,
    set(categoriesOf(one).map(simple)),
    set(one.tips.map(bulk)),
    set([]),
    one.subcommands.size === 0 ? set([]) : array([...one.subcommands.values()].map(commandInfo)),
  ])
}

function set(items: readonly Reply[]): Reply {
  return { kind: 'set', items }
}

/** A map of maps; unknown names are left out. */
function docs(directory: Directory, names: readonly string[]): Reply {
  if (names.length === 0) return docsOf(directory.all)
  const found = names.map((name) => directory.find(name))
  return docsOf(found.filter((one) => one !== undefined))
}

function docsOf(commands: readonly Command[]): Reply {
  return { kind: 'map', entries: commands.map((one) => [bulk(one.name), commandDocs(one)]) }
}

function commandDocs({ summary, since, group, subcommands }: Command): Reply {
  const subs = [...subcommands.values()]
  return {
    kind: 'map',
    entries: [
      [bulk('summary'), bulk(summary)],
      [bulk('since'), bulk(since)],
      [bulk('group'), bulk(group)],
      ...(subs.length === 0 ? [] : [[bulk('subcommands'), docsOf(subs)] as const]),
    ],
  }
}

function list({ all }: Directory, options: readonly string[]): Reply {
  const flat = all.flatMap((one) => [one, ...one.subcommands.values()])
  if (options.length === 0) return bulks(flat.map(({ name }) => name))
  const [filterBy = '', kind = '', value = '', ...rest] = options
  if (filterBy.toLowerCase() !== 'filterby' || options.length < 3 || rest.length > 0) {
    return SYNTAX_ERROR
  }
  const filter = parseFilter(kind.toLowerCase(), value)
  return filter === undefined ? SYNTAX_ERROR : bulks(flat.filter(filter).map(({ name }) => name))
}

function parseFilter(kind: string, value: string): ((command: Command) => boolean) | undefined {
  switch (kind) {
    case 'module':
      return () => false
    case 'aclcat':
      return (one) => categoriesOf(one).includes(`@${value.toLowerCase()}`)
    case 'pattern':
      return ({ name }) => matchesGlob(value, name, { nocase: true })
    default:
      return undefined
  }
}

/** A Sentinel holds no keys, so there are two ways to say no. */
function keysOf(directory: Directory, argv: readonly string[]): Reply {
  if (directory.call(argv) === undefined) return error('ERR Invalid command specified')
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
