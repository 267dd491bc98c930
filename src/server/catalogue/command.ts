/**
 * How a command is defined: its place in the table, and the function that runs it. A family file
 * describes its commands with `command`; the node makes one `Command` of each, with counters of its
 * own.
 */
import { array, type Reply, simple } from '../../resp/reply.ts'
import { aclCategories } from '../access/acl-categories.ts'
import type { CommandContext } from '../context.ts'
import { type FlagText, type FlagWord, flagsOf, shownFlags } from './command-flags.ts'
import type { CommandInfo } from './command-info.ts'
import type { CommandTraits } from './command-traits.ts'
import { type KeyNote, legacyRange, parseKeySpec } from './key-spec.ts'

/** Undefined: the command has no reply, has answered already, or answers later. */
export type Handler = (context: CommandContext, argv: readonly string[]) => Reply | undefined

export interface CommandSpec {
  /** Lower case; of a subcommand, the second word only. */
  readonly name: string
  /** Number of words, the name(s) included; negative: at least so many. */
  readonly arity: number
  /** See command-flags.ts. */
  readonly flags: readonly FlagWord[]
  /** See key-spec.ts. */
  readonly keys: readonly KeyNote[]
  readonly handler: Handler
  readonly traits: CommandTraits
  readonly subcommands?: readonly CommandSpec[]
}

/** What the commands of a family have in common. */
export interface Family {
  /** The family's name in COMMAND DOCS. */
  readonly group: string
  /** ACL category besides those that follow from the flags. */
  readonly category: string | undefined
  readonly commands: readonly CommandSpec[]
}

export interface Command extends CommandInfo {
  readonly handler: Handler
  readonly subcommands: ReadonlyMap<string, Command> | undefined
}

/** A word that must be there, because the arity says so. */
export function arg(argv: readonly string[], at: number): string {
  return argv[at] as string
}

/** `flags` are words of command-flags.ts, `keys` are read by key-spec.ts. */
export function command<Flags extends string>(
  name: string,
  arity: number,
  flags: Flags & FlagText<Flags>,
  keys: readonly KeyNote[],
  handler: Handler,
  traits: CommandTraits = {},
): CommandSpec {
  return { name, arity, flags: flagsOf(flags), keys, handler, traits }
}

/** A command that is only the first word of others. */
export function container(name: string, subcommands: readonly CommandSpec[]): CommandSpec {
  return { ...command(name, -2, '', [], () => undefined), subcommands }
}

/** The reply of `X HELP`: a headline and the lines that follow, indented ones explaining. */
export function helpReply(name: string, lines: readonly string[]): Reply {
  const headline = `${name} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:`
  return array([headline, ...lines, 'HELP', '    This text.'].map(simple))
}

type Shown = Pick<
  CommandInfo,
  'flags' | 'categories' | 'keySpecs' | 'firstKey' | 'lastKey' | 'keyStep'
>

/** What the gate asks of some commands only. */
const MORE_THAN_DATA: readonly FlagWord[] = [
  'runs_script',
  'runs_queue',
  'protected',
  'may_replicate',
  'no_multi',
  'needs_disk',
  'not_queued',
]

/** What COMMAND shows of each: worked out once, since one process may start many nodes. */
const SHOWN = new WeakMap<CommandSpec, Shown>()

function shownOf(spec: CommandSpec, family: Family): Shown {
  const known = SHOWN.get(spec)
  if (known !== undefined) return known
  const { arity, traits } = spec
  const flags = shownFlags(spec.flags)
  const keySpecs = spec.keys.map(parseKeySpec)
  const range = legacyRange(keySpecs)
  const shown = {
    flags: range.isMovable ? [...flags, 'movablekeys'] : flags,
    categories: aclCategories({
      flags,
      familyCategory: family.category,
      alsoIn: traits.alsoIn ?? [],
      isContainer: spec.subcommands !== undefined && arity === -2,
    }),
    keySpecs,
    firstKey: range.first,
    lastKey: range.last,
    keyStep: range.step,
  }
  SHOWN.set(spec, shown)
  return shown
}

export function createCommand(spec: CommandSpec, family: Family, parent?: CommandSpec): Command {
  const { name, arity, handler, traits } = spec
  const has = (flag: FlagWord) => spec.flags.includes(flag)
  const { flags, categories, keySpecs, firstKey, lastKey, keyStep } = shownOf(spec, family)
  return {
    fullName: parent === undefined ? name : `${parent.name}|${name}`,
    arity,
    group: traits.group ?? family.group,
    flags,
    categories,
    keySpecs,
    firstKey,
    lastKey,
    keyStep,
    traits,
    handler,
    subcommands: createSubcommands(spec, family),
    isRead: has('readonly'),
    isWrite: has('write'),
    touchesKeys: !has('no_touch'),
    tellsMisses: !has('no_miss_event'),
    alwaysTouches: has('always_touch'),
    touchesArbitraryKeys: has('touches_arbitrary_keys'),
    mayReplicate: has('may_replicate'),
    isMessage: has('message'),
    isFrame: has('frame'),
    keepsScript: has('keeps_script'),
    isStale: has('stale'),
    needsMemory: has('denyoom'),
    growsMuch: has('denyoom') && !has('fast') && !has('grows_by_input'),
    needsDisk: has('needs_disk'),
    isForLoading: has('loading'),
    isNoAuth: has('no_auth'),
    isForBusy: has('allow_busy'),
    isNoScript: has('noscript'),
    runsScript: has('runs_script'),
    isNoMulti: has('no_multi'),
    isNotQueued: has('not_queued'),
    runsQueue: has('runs_queue'),
    isProtected: has('protected'),
    isHidden: has('skip_monitor') || has('admin'),
    skipsSlowLog: has('skip_slowlog'),
    isFast: has('fast'),
    hasKeys: has('write') || has('readonly'),
    isOnData: (has('write') || has('readonly')) && !MORE_THAN_DATA.some(has),
    isForSubscribers: has('subscribed'),
    calls: 0,
    rejectedCalls: 0,
    failedCalls: 0,
    micros: 0,
    latency: undefined,
  }
}

function createSubcommands(spec: CommandSpec, family: Family): Map<string, Command> | undefined {
  if (spec.subcommands === undefined) return undefined
  return new Map(spec.subcommands.map((sub) => [sub.name, createCommand(sub, family, spec)]))
}
