/**
 * What a command is: its name and arity, what it may be used for, one line of help, and the
 * function that carries it out. The table, the arity check, COMMAND and every HELP are made from
 * this.
 */
import type { ChannelWords } from '../../acl/check.ts'
import { type Reply, simple } from '../../resp/reply.ts'
import type { Client } from '../clients/client.ts'
import type { Turn } from '../state.ts'
import { wrongArity } from './errors.ts'

/** Carries a command out. Undefined: the handler has sent its answers itself, or there is none. */
export type PortHandler = (turn: Turn, client: Client, argv: readonly string[]) => Reply | undefined

/** Redis' own words, as COMMAND INFO shows them. Only `no_auth` decides anything here. */
export type CommandFlag =
  | 'admin'
  | 'pubsub'
  | 'noscript'
  | 'loading'
  | 'stale'
  | 'fast'
  | 'no_auth'
  | 'no_multi'
  | 'allow_busy'

export interface PortCommandSpec {
  /** Lower case; `client|list` for a subcommand. */
  readonly name: string
  /** Words of the request, container and subcommand included; negative: at least so many. */
  readonly arity: number
  readonly group: 'connection' | 'pubsub' | 'sentinel' | 'server'
  /** First Redis version that had it. */
  readonly since: string
  readonly flags: readonly CommandFlag[]
  /** ACL categories in addition to those that the flags imply: see categories.ts. */
  readonly categories: readonly AddedCategory[]
  /** For programs that spread a command over many servers. */
  readonly tips: readonly string[]
  /** The arguments, as HELP shows them. */
  readonly usage: string
  readonly summary: string
  /** How HELP lists the command, if one line of usage is not enough. */
  readonly help: readonly HelpEntry[] | undefined
  /** First Redis version in which it had HELP, if it is a container. */
  readonly helpSince: string
  readonly channels: ChannelWords
  /** A RESP2 client with subscriptions may send it. */
  readonly isForListeners: boolean
  /** Redis' Sentinel, as of 7.0, does not have it: neither [rename-command] nor rules of users may name it there. */
  readonly isOurs: boolean
}

export type AddedCategory = 'admin' | 'dangerous' | 'connection'

export interface HelpEntry {
  /** The subcommand and its arguments. */
  readonly usage: string
  /** One line or more, shown indented. */
  readonly explanation: readonly string[]
}

/** A spec as it is written in the source: fields that are seldom needed may be left out. */
export type CommandDraft = Omit<PortCommandSpec, SeldomNeeded> &
  Partial<Pick<PortCommandSpec, SeldomNeeded>>

type SeldomNeeded = keyof typeof USUAL | 'categories'

const USUAL = {
  tips: [],
  help: undefined,
  helpSince: '5.0.0',
  channels: undefined,
  isForListeners: false,
  isOurs: false,
} as const satisfies Partial<PortCommandSpec>

export interface PortCommand extends PortCommandSpec {
  readonly run: PortHandler
  /** By the subcommand's own name in lower case: `list`. */
  readonly subcommands: ReadonlyMap<string, PortCommand>
  /** Another name of a command that is in the table too: accepted, but HELP does not list it. */
  readonly isSynonym: boolean
}

export function command(draft: CommandDraft, run: PortHandler): PortCommand {
  const categories: readonly AddedCategory[] = draft.group === 'connection' ? ['connection'] : []
  const spec: PortCommandSpec = { ...USUAL, categories, ...draft }
  return { ...spec, run, subcommands: new Map(), isSynonym: false }
}

/** The same command under another full name. */
export function synonym(name: string, original: PortCommand): PortCommand {
  return { ...original, name, isSynonym: true }
}

/** A command that only holds subcommands. HELP is added, in the order given here. */
export function container(draft: CommandDraft, subcommands: readonly PortCommand[]): PortCommand {
  return withSubcommands(
    command(draft, () => wrongArity(draft.name)),
    subcommands,
  )
}

/** Gives subcommands and HELP to a command that can also stand alone. */
export function withSubcommands(
  parent: PortCommand,
  subcommands: readonly PortCommand[],
): PortCommand {
  const help = helpCommand(parent, subcommands)
  const byName = new Map([...subcommands, help].map((one) => [ownName(one), one]))
  return { ...parent, subcommands: byName }
}

export function ownName(command: PortCommand): string {
  return command.name.slice(command.name.indexOf('|') + 1)
}

function helpCommand(parent: PortCommand, subcommands: readonly PortCommand[]): PortCommand {
  const help = command(
    {
      name: `${parent.name}|help`,
      arity: 2,
      group: parent.group,
      since: parent.helpSince,
      flags: ['loading', 'stale'],
      categories: subcommands[0]?.categories ?? [],
      usage: '',
      summary: 'List these subcommands.',
    },
    () => ({ kind: 'array', items: lines }),
  )
  const lines = helpLines(parent, [...subcommands, help])
  return help
}

/** Status replies, one per line, as in every HELP of Redis. */
function helpLines(parent: PortCommand, subcommands: readonly PortCommand[]): readonly Reply[] {
  const title = `${parent.name.toUpperCase()} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:`
  const shown = subcommands.filter((one) => !one.isSynonym)
  const entries = [...(parent.help ?? []), ...shown.flatMap(helpEntries)]
  const described = entries.flatMap(({ usage, explanation }) => [
    usage,
    ...explanation.map((line) => `    ${line}`),
  ])
  return [title, ...described].map(simple)
}

function helpEntries(one: PortCommand): readonly HelpEntry[] {
  const usage = `${ownName(one).toUpperCase()} ${one.usage}`.trimEnd()
  return one.help ?? [{ usage, explanation: [one.summary] }]
}
