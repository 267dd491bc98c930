/** COMMAND: the table of commands, as programs want to read it. */
import { matchesGlob } from '../../base/glob.ts'
import { array, bulk, bulks, integer, NULL, type Reply, simple } from '../../resp/reply.ts'
import { type Command, type CommandSpec, command, withSubcommands } from './command.ts'
import { SYNTAX_ERROR } from './errors.ts'

/** By name in lower case. */
export type CommandTable = ReadonlyMap<string, Command>

/** The table is asked for late, because COMMAND itself is in it. */
export function introspectionCommand(table: () => CommandTable): Command {
  const describeAll = () => array([...table().values()].map(commandInfo))
  return withSubcommands(
    command(spec('command', -1, '2.8.13', 'Describe all commands.'), describeAll),
    [
      command(spec('command|count', 2, '2.8.13', 'Count the commands.'), () =>
        integer(table().size),
      ),
      command(
        spec('command|docs', -2, '7.0.0', 'Explain commands, or all.', '[<command> ...]'),
        (_turn, _client, argv) => docs(table(), argv.slice(2)),
      ),
      command(
        spec('command|info', -2, '2.8.13', 'Describe commands, or all.', '[<command> ...]'),
        (_turn, _client, argv) =>
          argv.length === 2
            ? describeAll()
            : array(argv.slice(2).map((name) => infoOrNull(table(), name))),
      ),
      command(
        spec('command|list', -2, '7.0.0', 'Name the commands.', LIST_USAGE),
        (_turn, _client, argv) => list(table(), argv.slice(2)),
      ),
    ],
  )
}

const LIST_USAGE = '[FILTERBY <MODULE <name> | ACLCAT <category> | PATTERN <pattern>>]'

function spec(
  name: string,
  arity: number,
  since: string,
  summary: string,
  usage = '',
): CommandSpec {
  return { name, arity, since, summary, usage, group: 'server', flags: ['loading', 'stale'] }
}

/** Also takes the full name of a subcommand: `sentinel|masters`. */
function find(table: CommandTable, name: string): Command | undefined {
  const [parent = '', sub] = name.toLowerCase().split('|', 2)
  const found = table.get(parent)
  return sub === undefined ? found : found?.subcommands.get(sub)
}

function infoOrNull(table: CommandTable, name: string): Reply {
  const found = find(table, name)
  return found === undefined ? NULL : commandInfo(found)
}

/** Ten elements; no command here has keys, tips or key specifications. */
function commandInfo(command: Command): Reply {
  const none = integer(0)
  return array([
    bulk(command.name),
    integer(command.arity),
    words(command.flags),
    none,
    none,
    none,
    words(categoriesOf(command)),
    words([]),
    words([]),
    { kind: 'set', items: [...command.subcommands.values()].map(commandInfo) },
  ])
}

function words(texts: readonly string[]): Reply {
  return { kind: 'set', items: texts.map(simple) }
}

/** The ACL categories that follow from the flags, by Redis' own rules. */
function categoriesOf({ flags, group }: Command): readonly string[] {
  const categories: readonly (readonly [string, boolean])[] = [
    ['@pubsub', flags.includes('pubsub')],
    ['@admin', flags.includes('admin')],
    ['@fast', flags.includes('fast')],
    ['@slow', !flags.includes('fast')],
    ['@dangerous', flags.includes('admin')],
    ['@connection', group === 'connection'],
  ]
  return categories.filter(([, holds]) => holds).map(([name]) => name)
}

/** A map of maps; unknown names are left out. */
function docs(table: CommandTable, names: readonly string[]): Reply {
  const asked = names.length === 0 ? [...table.values()] : names.map((name) => find(table, name))
  return docsOf(asked.filter((one) => one !== undefined))
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

function list(table: CommandTable, options: readonly string[]): Reply {
  const all = [...table.values()].flatMap((one) => [one, ...one.subcommands.values()])
  if (options.length === 0) return bulks(all.map(({ name }) => name))
  const [filterBy = '', kind = '', value = '', ...rest] = options
  if (filterBy.toLowerCase() !== 'filterby' || options.length < 3 || rest.length > 0) {
    return SYNTAX_ERROR
  }
  const filter = parseFilter(kind.toLowerCase(), value)
  return filter === undefined ? SYNTAX_ERROR : bulks(all.filter(filter).map(({ name }) => name))
}

function parseFilter(kind: string, value: string): ((command: Command) => boolean) | undefined {
  switch (kind) {
    case 'module':
      return () => false
    case 'aclcat':
      return (command) => categoriesOf(command).includes(`@${value.toLowerCase()}`)
    case 'pattern':
      return ({ name }) => matchesGlob(value.toLowerCase(), name)
    default:
      return undefined
  }
}
