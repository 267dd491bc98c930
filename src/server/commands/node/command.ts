/** COMMAND: the table of commands, for clients that route by key and for people who type. */
import { matchesGlob } from '../../../base/glob.ts'
import { array, bulk, bulks, integer, NULL, type Reply, simple } from '../../../resp/reply.ts'
import { command, type Family, helpReply } from '../../catalogue/command.ts'
import { acceptsArity, type CommandInfo } from '../../catalogue/command-info.ts'
import { commandTips } from '../../catalogue/command-tips.ts'
import { type KeySpec, keysOf } from '../../catalogue/key-spec.ts'
import type { CommandContext } from '../../context.ts'
import {
  INVALID_ARGUMENTS,
  INVALID_COMMAND,
  NO_KEY_ARGUMENTS,
  NO_KEYS_FOUND,
  SYNTAX_ERROR,
} from '../../errors.ts'

function everything({ node }: CommandContext): Reply {
  return array([...node.table.all.values()].map(describe))
}

function count({ node }: CommandContext): Reply {
  return integer(node.table.all.size)
}

function info(context: CommandContext, argv: readonly string[]): Reply {
  if (argv.length === 2) return everything(context)
  const found = argv.slice(2).map((name) => context.node.table.findByName(name))
  return array(found.map((each) => (each === undefined ? NULL : describe(each))))
}

function describe(each: CommandInfo): Reply {
  return array([
    bulk(each.fullName),
    integer(each.arity),
    statusSet(each.flags),
    integer(each.firstKey),
    integer(each.lastKey),
    integer(each.keyStep),
    statusSet(each.categories),
    { kind: 'set', items: commandTips(each.fullName).map(bulk) },
    { kind: 'set', items: each.keySpecs.map(describeKeys) },
    { kind: 'set', items: [...(each.subcommands?.values() ?? [])].map(describe) },
  ])
}

function statusSet(words: readonly string[]): Reply {
  return { kind: 'set', items: words.map(simple) }
}

function describeKeys(spec: KeySpec): Reply {
  if (spec.unknown !== undefined) {
    return map([
      ['flags', statusSet(spec.flags)],
      ['begin_search', search('unknown', [])],
      ['find_keys', search('unknown', [])],
    ])
  }
  return map([
    ['flags', statusSet(spec.flags)],
    ['begin_search', beginOf(spec)],
    ['find_keys', spec.isCounted ? countedKeys(spec) : keyRange(spec)],
  ])
}

function beginOf({ keyword, begin }: KeySpec): Reply {
  if (keyword === undefined) return search('index', [['index', integer(begin)]])
  return search('keyword', [
    ['keyword', bulk(keyword)],
    ['startfrom', integer(begin)],
  ])
}

function countedKeys(spec: KeySpec): Reply {
  return search('keynum', [
    ['keynumidx', integer(0)],
    ['firstkey', integer(1)],
    ['keystep', integer(spec.step)],
  ])
}

/** Here the last key counts from the first, or from the end. */
function keyRange(spec: KeySpec): Reply {
  return search('range', [
    ['lastkey', integer(lastKeyOf(spec))],
    ['keystep', integer(spec.step)],
    // The keys are half of what there is: the other half are ids.
    ['limit', integer(spec.keyword !== undefined && spec.end < 0 ? 2 : 0)],
  ])
}

function lastKeyOf({ keyword, begin, end }: KeySpec): number {
  if (keyword !== undefined) return end
  return end < 0 ? end : end - begin
}

function search(type: string, fields: readonly (readonly [string, Reply])[]): Reply {
  return map([
    ['type', bulk(type)],
    ['spec', map(fields)],
  ])
}

function map(entries: readonly (readonly [string, Reply])[]): Reply {
  return { kind: 'map', entries: entries.map(([name, reply]) => [bulk(name), reply] as const) }
}

/** Only what the table knows: there is no prose in it. Unknown names are left out. */
function docs({ node }: CommandContext, argv: readonly string[]): Reply {
  const wanted =
    argv.length === 2
      ? [...node.table.all.values()]
      : argv.slice(2).flatMap((name) => node.table.findByName(name) ?? [])
  return map(wanted.map((each) => [each.fullName, describeDocs(each)]))
}

function describeDocs(each: CommandInfo): Reply {
  const entries: [string, Reply][] = [['group', bulk(each.group)]]
  if (each.subcommands !== undefined) {
    const subcommands = [...each.subcommands.values()]
    entries.push(['subcommands', map(subcommands.map((sub) => [sub.fullName, describeDocs(sub)]))])
  }
  return map(entries)
}

function list({ node }: CommandContext, argv: readonly string[]): Reply {
  if (argv.length === 2) return bulks([...node.table.all.keys()])
  const [, , filter, kind, value] = argv.map((word) => word.toLowerCase())
  if (filter !== 'filterby' || value === undefined || argv.length !== 5) return SYNTAX_ERROR
  const commands = [...node.table.everyCommand()]
  switch (kind) {
    case 'module':
      return bulks([])
    case 'aclcat':
      return bulks(names(commands.filter((each) => each.categories.includes(`@${value}`))))
    case 'pattern':
      return bulks(names(commands.filter((each) => matchesGlob(value, each.fullName))))
    default:
      return SYNTAX_ERROR
  }
}

function names(commands: readonly CommandInfo[]): string[] {
  return commands.map((each) => each.fullName)
}

function getKeys({ node }: CommandContext, argv: readonly string[]): Reply {
  const words = argv.slice(2)
  const found = node.table.find(words)
  if (found === undefined) return INVALID_COMMAND
  if (!found.keySpecs.some(isOfKeys)) return NO_KEY_ARGUMENTS
  if (!acceptsArity(found, words.length)) return INVALID_ARGUMENTS
  const keys = keysOf(found.keySpecs, words)
  return keys === undefined ? NO_KEYS_FOUND : bulks(keys)
}

/** Shard channels are found like keys, for clients that route by them, and are none. */
function isOfKeys({ flags }: KeySpec): boolean {
  return !flags.includes('not_key')
}

function help(): Reply {
  return helpReply('COMMAND', [
    '(no subcommand)',
    '    All commands.',
    'COUNT',
    '    How many there are.',
    'LIST [FILTERBY (MODULE <name>|ACLCAT <category>|PATTERN <pattern>)]',
    '    Their names.',
    'INFO [<name> ...]',
    '    What the table says about each.',
    'DOCS [<name> ...]',
    '    The group of each.',
    'GETKEYS <command> [<arg> ...]',
    '    The keys of a complete command.',
  ])
}

const FLAGS = 'loading stale'

const commandSubcommands = [
  command('count', 2, FLAGS, [], count),
  command('docs', -2, FLAGS, [], docs),
  command('getkeys', -4, FLAGS, [], getKeys),
  command('help', 2, FLAGS, [], help),
  command('info', -2, FLAGS, [], info),
  command('list', -2, FLAGS, [], list),
]

export const commandFamily: Family = {
  group: 'server',
  category: '@connection',
  commands: [{ ...command('command', -1, FLAGS, [], everything), subcommands: commandSubcommands }],
}
