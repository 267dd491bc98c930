/**
 * COMMAND: the facts about a program's commands, for clients that route by them and for people who
 * type.
 */
import { matchesGlob } from '../base/glob.ts'
import { array, bulk, integer, type Reply, simple } from '../resp/reply.ts'
import { SYNTAX_ERROR } from './errors.ts'

export interface CommandFacts {
  /** In lower case: `get`, `client|list`. */
  readonly name: string
  /** Number of words, the name(s) included; negative: at least so many. */
  readonly arity: number
  readonly group: string
  readonly flags: readonly string[]
  /** ACL categories, each with its `@`. */
  readonly categories: readonly string[]
  /** For clients that spread a command over many servers. */
  readonly tips: readonly string[]
  readonly firstKey: number
  readonly lastKey: number
  readonly keyStep: number
  /** Each specification as COMMAND INFO shows it. */
  readonly keySpecs: readonly Reply[]
  readonly subcommands: readonly CommandFacts[]
  /**
   * How commands with subcommands list them. Redis says `array`; only RESP3 shows the difference.
   */
  readonly subcommandsAs: 'array' | 'set'
}

/** `words` counts the name as well. */
export function fitsArity(arity: number, words: number): boolean {
  return arity >= 0 ? words === arity : words >= -arity
}

/** COMMAND INFO of one command, and COMMAND of each. */
export function commandInfo(one: CommandFacts): Reply {
  const subcommands = one.subcommands.map(commandInfo)
  return array([
    bulk(one.name),
    integer(one.arity),
    statusSet(one.flags),
    integer(one.firstKey),
    integer(one.lastKey),
    integer(one.keyStep),
    statusSet(one.categories),
    { kind: 'set', items: one.tips.map(bulk) },
    { kind: 'set', items: one.keySpecs },
    { kind: subcommands.length === 0 ? 'set' : one.subcommandsAs, items: subcommands },
  ])
}

export function statusSet(words: readonly string[]): Reply {
  return { kind: 'set', items: words.map(simple) }
}

/** A map whose keys are bulk strings. */
export function replyMap(entries: readonly (readonly [string, Reply])[]): Reply {
  return { kind: 'map', entries: entries.map(([name, value]) => [bulk(name), value] as const) }
}

type NamedCommand = Pick<CommandFacts, 'name' | 'categories'>

/** The filter of COMMAND LIST: which commands it selects. */
export function parseCommandFilter(
  argv: readonly string[],
): ((command: NamedCommand) => boolean) | Reply {
  const [, , filterBy, kind, value] = argv.map((word) => word.toLowerCase())
  if (filterBy !== 'filterby' || value === undefined || argv.length !== 5) return SYNTAX_ERROR
  switch (kind) {
    case 'module':
      return () => false
    case 'aclcat':
      return ({ categories }) => categories.includes(`@${value}`)
    case 'pattern':
      return ({ name }) => matchesGlob(value, name)
    default:
      return SYNTAX_ERROR
  }
}
