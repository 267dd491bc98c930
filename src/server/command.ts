/**
 * What a command is: its place in the table, as COMMAND shows it, and the function that runs it. A
 * family file describes its commands with `command`; the node makes one `Command` of each, with counters
 * of its own.
 */
import { array, type Reply, simple } from '../resp/reply.ts'
import type { CommandContext } from './context.ts'
import { type KeySpec, legacyRange, parseKeySpec } from './key-spec.ts'

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

export interface Command {
  /** `get`, `config|get`. */
  readonly fullName: string
  readonly spec: CommandSpec
  readonly group: string
  readonly flags: readonly string[]
  readonly categories: readonly string[]
  readonly keySpecs: readonly KeySpec[]
  readonly firstKey: number
  readonly lastKey: number
  readonly keyStep: number
  readonly handler: Handler
  readonly subcommands: ReadonlyMap<string, Command> | undefined

  readonly isRead: boolean
  readonly isWrite: boolean
  /** Its effects may reach replicas although it writes no key: PUBLISH. */
  readonly mayReplicate: boolean
  readonly isStale: boolean
  readonly isNoAuth: boolean
  readonly isNoMulti: boolean
  /** Reads or writes keys. */
  readonly hasKeys: boolean
  /** May be sent by a RESP2 client that is subscribed. */
  readonly isForSubscribers: boolean

  calls: number
  rejectedCalls: number
  failedCalls: number
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

const MAY_REPLICATE: ReadonlySet<string> = new Set(['publish', 'spublish'])

export function createCommand(spec: CommandSpec, family: Family, parent?: CommandSpec): Command {
  const flags = spec.flags === '' ? [] : spec.flags.split(' ')
  const keySpecs = spec.keys.map(parseKeySpec)
  const range = legacyRange(keySpecs)
  return {
    fullName: parent === undefined ? spec.name : `${parent.name}|${spec.name}`,
    spec,
    group: family.group,
    flags: range.isMovable ? [...flags, 'movablekeys'] : flags,
    categories: categories(spec, family, flags, parent !== undefined),
    keySpecs,
    firstKey: range.first,
    lastKey: range.last,
    keyStep: range.step,
    handler: spec.handler,
    subcommands: createSubcommands(spec, family),
    isRead: flags.includes('readonly'),
    isWrite: flags.includes('write'),
    mayReplicate: MAY_REPLICATE.has(spec.name),
    isStale: flags.includes('stale'),
    isNoAuth: flags.includes('no_auth'),
    isNoMulti: flags.includes('no_multi'),
    hasKeys: flags.includes('write') || flags.includes('readonly'),
    isForSubscribers: parent === undefined && FOR_SUBSCRIBERS.has(spec.name),
    calls: 0,
    rejectedCalls: 0,
    failedCalls: 0,
  }
}

function createSubcommands(spec: CommandSpec, family: Family): Map<string, Command> | undefined {
  if (spec.subcommands === undefined) return undefined
  return new Map(spec.subcommands.map((sub) => [sub.name, createCommand(sub, family, spec)]))
}

/** Most ACL categories follow from the flags. */
function categories(
  spec: CommandSpec,
  family: Family,
  flags: readonly string[],
  isSubcommand: boolean,
): string[] {
  if (spec.subcommands !== undefined && spec.arity === -2) return ['@slow']
  const { category = '' } = family
  const has = (flag: string) => flags.includes(flag)
  const isAdmin = has('admin')
  const candidates: readonly (readonly [category: string, applies: boolean])[] = [
    ['@keyspace', category === '@keyspace'],
    ['@write', has('write')],
    ['@read', has('readonly')],
    [category, TYPE_CATEGORIES.has(category)],
    ['@admin', isAdmin || ADMINISTRATIVE.has(spec.name)],
    ['@pubsub', has('pubsub')],
    ['@fast', has('fast')],
    ['@slow', !has('fast')],
    ['@blocking', has('blocking')],
    ['@dangerous', isAdmin || (!isSubcommand && DANGEROUS.has(spec.name))],
    [category, OTHER_CATEGORIES.has(category)],
  ]
  return candidates.filter(([, applies]) => applies).map(([name]) => name)
}

/** Of which the data are: these stand between what a command does to them and how fast. */
const TYPE_CATEGORIES: ReadonlySet<string> = new Set([
  '@string',
  '@bitmap',
  '@list',
  '@set',
  '@hash',
])

/** Where a command belongs that is about neither keys nor their values. */
const OTHER_CATEGORIES: ReadonlySet<string> = new Set(['@connection', '@transaction'])

/** Administrative although not flagged as such. */
const ADMINISTRATIVE: ReadonlySet<string> = new Set(['role', 'lastsave'])

/** Not flagged as administrative, yet able to do much harm. */
const DANGEROUS: ReadonlySet<string> = new Set([
  'flushall',
  'flushdb',
  'keys',
  'swapdb',
  'info',
  'role',
  'lastsave',
])

/** The reply of `X HELP`: a headline and the lines that follow, indented ones explaining. */
export function helpReply(name: string, lines: readonly string[]): Reply {
  const headline = `${name} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:`
  return array([headline, ...lines, 'HELP', '    This text.'].map(simple))
}

/** `words` counts the name as well. */
export function acceptsArity(command: Command, words: number): boolean {
  const { arity } = command.spec
  return arity >= 0 ? words === arity : words >= -arity
}
