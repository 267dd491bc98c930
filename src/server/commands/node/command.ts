/** COMMAND: the table of commands, for clients that route by key and for people who type. */
import { array, bulk, bulks, integer, NULL, type Reply } from '../../../resp/reply.ts'
import {
  type CommandFacts,
  commandInfo,
  fitsArity,
  parseCommandFilter,
  replyMap,
  statusSet,
} from '../../../session/commands.ts'
import { command, type Family, helpReply } from '../../catalogue/command.ts'
import type { CommandInfo } from '../../catalogue/command-info.ts'
import { UNORDERED } from '../../catalogue/command-traits.ts'
import { type KeySpec, keyPlaces, keysOf } from '../../catalogue/key-spec.ts'
import type { CommandContext } from '../../context.ts'
import {
  INVALID_ARGUMENTS,
  INVALID_COMMAND,
  NO_KEY_ARGUMENTS,
  NO_KEYS_FOUND,
} from '../../errors.ts'
import { docsOf } from '../docs/command-docs.ts'

function everything({ node }: CommandContext): Reply {
  return array([...node.table.all.values()].map(infoOf))
}

function count({ node }: CommandContext): Reply {
  return integer(node.table.all.size)
}

function info(context: CommandContext, argv: readonly string[]): Reply {
  if (argv.length === 2) return everything(context)
  const found = argv.slice(2).map((name) => context.node.table.findByName(name))
  return array(found.map((each) => (each === undefined ? NULL : infoOf(each))))
}

/** What was said of each command: clients ask for all of them when they connect, and to say it takes milliseconds. */
const SAID = new WeakMap<CommandInfo, Reply>()

function infoOf(each: CommandInfo): Reply {
  const said = SAID.get(each) ?? commandInfo(factsOf(each))
  SAID.set(each, said)
  return said
}

/** The facts without a description: the table has none. */
function factsOf(each: CommandInfo): CommandFacts {
  const { fullName: name, arity, group, flags, categories, firstKey, lastKey, keyStep } = each
  return {
    ...{ name, arity, group, flags, categories, firstKey, lastKey, keyStep },
    tips: each.traits.tips ?? [],
    keySpecs: each.keySpecs.map(describeKeys),
    subcommands: [...(each.subcommands?.values() ?? [])].map(factsOf),
    subcommandsAs: 'set',
  }
}

function describeKeys(spec: KeySpec): Reply {
  if (spec.isUnknown) {
    return replyMap([
      ['flags', statusSet(spec.flags)],
      ['begin_search', search('unknown', [])],
      ['find_keys', search('unknown', [])],
    ])
  }
  return replyMap([
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

/** The last key counts from the first key, or from the end. */
function keyRange(spec: KeySpec): Reply {
  return search('range', [
    ['lastkey', integer(lastKeyOf(spec))],
    ['keystep', integer(spec.step)],
    // Half of these arguments are keys, the other half are ids.
    ['limit', integer(isHalf(spec) ? 2 : 0)],
  ])
}

function isHalf({ keyword, end, flags }: KeySpec): boolean {
  return keyword !== undefined && end < 0 && !flags.includes('incomplete')
}

function lastKeyOf({ keyword, begin, end }: KeySpec): number {
  if (keyword !== undefined) return end
  return end < 0 ? end : end - begin
}

function search(type: string, fields: readonly (readonly [string, Reply])[]): Reply {
  return replyMap([
    ['type', bulk(type)],
    ['spec', replyMap(fields)],
  ])
}

/** Leaves out unknown names. */
function docs({ node }: CommandContext, argv: readonly string[]): Reply {
  const wanted =
    argv.length === 2
      ? [...node.table.all.values()]
      : argv.slice(2).flatMap((name) => node.table.findByName(name) ?? [])
  return docsOf(wanted)
}

function list({ node }: CommandContext, argv: readonly string[]): Reply {
  if (argv.length === 2) return bulks([...node.table.everyCommand()].map((each) => each.fullName))
  const isMeant = parseCommandFilter(argv)
  if (typeof isMeant !== 'function') return isMeant
  const named = [...node.table.everyCommand()].map(({ fullName, categories }) => ({
    name: fullName,
    categories,
  }))
  return bulks(named.filter(isMeant).map(({ name }) => name))
}

function getKeys({ node }: CommandContext, argv: readonly string[]): Reply {
  const words = argv.slice(2)
  const found = node.table.find(words)
  if (found === undefined) return INVALID_COMMAND
  if (!found.keySpecs.some(isOfKeys)) return NO_KEY_ARGUMENTS
  if (!fitsArity(found.arity, words.length)) return INVALID_ARGUMENTS
  const keys = keysOf(found.keySpecs, words)
  if (keys !== undefined) return bulks(keys)
  return found.flags.includes('no_mandatory_keys') ? bulks([]) : NO_KEYS_FOUND
}

/** Shard channels are found like keys, for clients that route by them, but are not keys. */
function isOfKeys({ flags }: KeySpec): boolean {
  return !flags.includes('not_key')
}

/** The same, with what the command does with each key. */
function getKeysAndFlags(context: CommandContext, argv: readonly string[]): Reply {
  const reply = getKeys(context, argv)
  const words = argv.slice(2)
  const found = context.node.table.find(words)
  if (reply.kind === 'error' || found === undefined) return reply
  const places = keyPlaces(found.keySpecs, words) ?? []
  return array(
    places.map(({ at, flags }) =>
      array([bulk(words[at] ?? ''), statusSet(usesIn(found, words, flags).filter(isUse))]),
    ),
  )
}

/** `incomplete` says of a spec that it does not find every key, and nothing of those it finds. */
function isUse(flag: string): boolean {
  return flag !== 'incomplete'
}

/** Some commands read or write their key only with certain words. */
function usesIn({ traits }: CommandInfo, words: readonly string[], flags: readonly string[]) {
  const plain = flags.filter((flag) => flag !== 'variable_flags')
  if (plain.length === flags.length) return flags
  if (traits.writesKeys?.(words) === false) return ['RO', 'access']
  return traits.readsKeys?.(words) === false ? ['OW', 'update'] : plain
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
    '    What each is for, and its arguments.',
    'GETKEYSANDFLAGS <command> [<arg> ...]',
    '    The keys of a complete command, and what it does with each.',
    'GETKEYS <command> [<arg> ...]',
    '    The keys of a complete command.',
  ])
}

const FLAGS = 'loading stale'

const commandSubcommands = [
  command('count', 2, FLAGS, [], count),
  command('docs', -2, FLAGS, [], docs, UNORDERED),
  command('getkeys', -4, FLAGS, [], getKeys),
  command('getkeysandflags', -4, FLAGS, [], getKeysAndFlags),
  command('help', 2, FLAGS, [], help),
  command('info', -2, FLAGS, [], info, UNORDERED),
  command('list', -2, FLAGS, [], list, UNORDERED),
]

export const commandFamily: Family = {
  group: 'server',
  category: '@connection',
  commands: [
    {
      ...command('command', -1, FLAGS, [], everything, UNORDERED),
      subcommands: commandSubcommands,
    },
  ],
}
