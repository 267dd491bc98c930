/**
 * What a command is: its name and arity, what it may be used for, one line of help, and the function
 * that carries it out. The table, the arity check, COMMAND and every HELP are made out of this.
 */
import { type Reply, simple } from '../../resp/reply.ts'
import type { Client } from '../client.ts'
import type { Turn } from '../state.ts'
import { wrongArity } from './errors.ts'

/** Carries a command out. Undefined: it has said all there is to say itself, or says nothing. */
export type Handler = (turn: Turn, client: Client, argv: readonly string[]) => Reply | undefined

/** Redis' own words, as COMMAND INFO shows them. `no_auth` is the one that decides something here. */
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

export interface CommandSpec {
  /** Lower case; `client|list` for a subcommand. */
  readonly name: string
  /** Words of the request, container and subcommand included; negative: at least so many. */
  readonly arity: number
  readonly group: 'connection' | 'pubsub' | 'sentinel' | 'server'
  /** First Redis version that had it. */
  readonly since: string
  readonly flags: readonly CommandFlag[]
  /** ACL categories beside those the flags imply: see categories.ts. */
  readonly categories: readonly AddedCategory[]
  /** For programs that spread a command over many servers. */
  readonly tips: readonly string[]
  /** Arguments, as HELP shows them. */
  readonly usage: string
  readonly summary: string
  /** How HELP lists it, where one line of usage is not enough. */
  readonly help: readonly HelpEntry[] | undefined
}

export type AddedCategory = 'admin' | 'dangerous' | 'connection'

export interface HelpEntry {
  /** The subcommand and its arguments. */
  readonly usage: string
  /** One line or more, shown indented. */
  readonly explanation: readonly string[]
}

/** A spec as it is written down: what is seldom needed may be left out. */
export type CommandDraft = Omit<CommandSpec, 'categories' | 'tips' | 'help'> &
  Partial<Pick<CommandSpec, 'categories' | 'tips' | 'help'>>

export interface Command extends CommandSpec {
  readonly run: Handler
  /** By their own name in lower case: `list`. */
  readonly subcommands: ReadonlyMap<string, Command>
  /** Another name of a command that is in the table too: understood, but not advertised by HELP. */
  readonly isSynonym: boolean
}

export function command(draft: CommandDraft, run: Handler): Command {
  const categories: readonly AddedCategory[] = draft.group === 'connection' ? ['connection'] : []
  const spec: CommandSpec = { categories, tips: [], help: undefined, ...draft }
  return { ...spec, run, subcommands: new Map(), isSynonym: false }
}

/** The same command under another full name. */
export function synonym(name: string, original: Command): Command {
  return { ...original, name, isSynonym: true }
}

/** A command that does nothing but hold subcommands. HELP comes by itself, in the order given here. */
export function container(draft: CommandDraft, subcommands: readonly Command[]): Command {
  return withSubcommands(
    command(draft, () => wrongArity(draft.name)),
    subcommands,
  )
}

/** Gives a command that can also stand alone its subcommands, and HELP. */
export function withSubcommands(parent: Command, subcommands: readonly Command[]): Command {
  const help = helpCommand(parent, subcommands)
  const byName = new Map([...subcommands, help].map((one) => [ownName(one), one]))
  return { ...parent, subcommands: byName }
}

export function ownName(command: Command): string {
  return command.name.slice(command.name.indexOf('|') + 1)
}

const HELP_SINCE: Readonly<Record<string, string>> = { acl: '6.0.0', sentinel: '6.2.0' }

function helpCommand(parent: Command, subcommands: readonly Command[]): Command {
  const help = command(
    {
      name: `${parent.name}|help`,
      arity: 2,
      group: parent.group,
      since: HELP_SINCE[parent.name] ?? '5.0.0',
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

/** Status replies, one per line, as every HELP of Redis is. */
function helpLines(parent: Command, subcommands: readonly Command[]): readonly Reply[] {
  const title = `${parent.name.toUpperCase()} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:`
  const shown = subcommands.filter((one) => !one.isSynonym)
  const entries = [...(parent.help ?? []), ...shown.flatMap(helpEntries)]
  const described = entries.flatMap(({ usage, explanation }) => [
    usage,
    ...explanation.map((line) => `    ${line}`),
  ])
  return [title, ...described].map(simple)
}

function helpEntries(one: Command): readonly HelpEntry[] {
  const usage = `${ownName(one).toUpperCase()} ${one.usage}`.trimEnd()
  return one.help ?? [{ usage, explanation: [one.summary] }]
}
