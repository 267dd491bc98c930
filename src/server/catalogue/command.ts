/**
 * How a command is defined: its place in the table, and the function that runs it. A family file
 * describes its commands with `command`; the node makes one `Command` of each, with counters of its own.
 */
import { array, type Reply, simple } from '../../resp/reply.ts'
import { aclCategories } from '../access/acl-categories.ts'
import type { CommandContext } from '../context.ts'
import type { CommandInfo } from './command-info.ts'
import { legacyRange, parseKeySpec } from './key-spec.ts'

/** Undefined: nothing is answered, or it has been answered already, or will be later. */
export type Handler = (context: CommandContext, argv: readonly string[]) => Reply | undefined

export interface CommandSpec {
  /** Lower case; of a subcommand, the second word only. */
  readonly name: string
  /** Words including the name(s); negative: at least so many. */
  readonly arity: number
  /** Redis' flags, separated by spaces, in the order COMMAND lists them. */
  readonly flags: string
  /** See key-spec.ts. */
  readonly keys: readonly string[]
  readonly handler: Handler
  readonly subcommands?: readonly CommandSpec[]
}

/** What a family's commands have in common. */
export interface Family {
  /** As COMMAND DOCS calls the family. */
  readonly group: string
  /** ACL category besides those that follow from the flags. */
  readonly category: string | undefined
  readonly commands: readonly CommandSpec[]
}

export interface Command extends CommandInfo {
  readonly handler: Handler
  readonly subcommands: ReadonlyMap<string, Command> | undefined
}

/** A word that the arity says is there. */
export function arg(argv: readonly string[], at: number): string {
  return argv[at] as string
}

export function command(
  name: string,
  arity: number,
  flags: string,
  keys: readonly string[],
  handler: Handler,
): CommandSpec {
  return { name, arity, flags, keys, handler }
}

/** A command that is only the first word of others. */
export function container(name: string, subcommands: readonly CommandSpec[]): CommandSpec {
  return { name, arity: -2, flags: '', keys: [], handler: () => undefined, subcommands }
}

/** The reply of `X HELP`: a headline and the lines that follow, indented ones explaining. */
export function helpReply(name: string, lines: readonly string[]): Reply {
  const headline = `${name} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:`
  return array([headline, ...lines, 'HELP', '    This text.'].map(simple))
}

const FOR_SUBSCRIBERS: ReadonlySet<string> = new Set([
  'subscribe',
  'ssubscribe',
  'psubscribe',
  'unsubscribe',
  'sunsubscribe',
  'punsubscribe',
  'ping',
  'quit',
  'reset',
])

const MAY_REPLICATE: ReadonlySet<string> = new Set(['publish', 'spublish', 'pfcount'])

/** These look at keys without using them, see usage.ts. */
const UNTOUCHING: ReadonlySet<string> = new Set([
  'exists',
  'type',
  'ttl',
  'pttl',
  'expiretime',
  'pexpiretime',
  'object',
  'memory',
  'debug',
  'keys',
  'scan',
  'randomkey',
  'watch',
])

export function createCommand(spec: CommandSpec, family: Family, parent?: CommandSpec): Command {
  const { name, arity, handler } = spec
  const flags = spec.flags === '' ? [] : spec.flags.split(' ')
  const keySpecs = spec.keys.map(parseKeySpec)
  const range = legacyRange(keySpecs)
  return {
    fullName: parent === undefined ? name : `${parent.name}|${name}`,
    arity,
    group: family.group,
    flags: range.isMovable ? [...flags, 'movablekeys'] : flags,
    categories: aclCategories({
      name,
      flags,
      familyCategory: family.category,
      isContainer: spec.subcommands !== undefined && arity === -2,
      isSubcommand: parent !== undefined,
    }),
    keySpecs,
    firstKey: range.first,
    lastKey: range.last,
    keyStep: range.step,
    handler,
    subcommands: createSubcommands(spec, family),
    isRead: flags.includes('readonly'),
    isWrite: flags.includes('write'),
    touchesKeys: !UNTOUCHING.has(parent?.name ?? name),
    mayReplicate: MAY_REPLICATE.has(name),
    isStale: flags.includes('stale'),
    isForLoading: flags.includes('loading'),
    isNoAuth: flags.includes('no_auth'),
    isNoMulti: flags.includes('no_multi'),
    hasKeys: flags.includes('write') || flags.includes('readonly'),
    isForSubscribers: parent === undefined && FOR_SUBSCRIBERS.has(name),
    calls: 0,
    rejectedCalls: 0,
    failedCalls: 0,
  }
}

function createSubcommands(spec: CommandSpec, family: Family): Map<string, Command> | undefined {
  if (spec.subcommands === undefined) return undefined
  return new Map(spec.subcommands.map((sub) => [sub.name, createCommand(sub, family, spec)]))
}
