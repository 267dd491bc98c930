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
  /** Arguments, as HELP shows them. */
  readonly usage: string
  readonly summary: string
}

export interface Command extends CommandSpec {
  readonly run: Handler
  /** By their own name in lower case: `list`. */
  readonly subcommands: ReadonlyMap<string, Command>
  /** Another name of a command that is in the table too: understood, but not advertised by HELP. */
  readonly isSynonym: boolean
}

export function command(spec: CommandSpec, run: Handler): Command {
  return { ...spec, run, subcommands: new Map(), isSynonym: false }
}

/** The same command under another full name. */
export function synonym(name: string, original: Command): Command {
  return { ...original, name, isSynonym: true }
}

/** A command that does nothing but hold subcommands. HELP comes by itself. */
export function container(spec: CommandSpec, subcommands: readonly Command[]): Command {
  return withSubcommands(
    command(spec, () => wrongArity(spec.name)),
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

function helpCommand(parent: Command, subcommands: readonly Command[]): Command {
  const spec: CommandSpec = {
    ...parent,
    name: `${parent.name}|help`,
    arity: 2,
    usage: '',
    summary: 'List these subcommands.',
  }
  const help = command(spec, () => ({ kind: 'array', items: lines }))
  const lines = helpLines(parent, [...subcommands, help])
  return help
}

/** Status replies, one per line, as every HELP of Redis is. */
function helpLines(parent: Command, subcommands: readonly Command[]): readonly Reply[] {
  const title = `${parent.name.toUpperCase()} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:`
  const shown = subcommands.filter((one) => !one.isSynonym)
  const described = shown.flatMap((one) => [
    `${ownName(one).toUpperCase()} ${one.usage}`.trimEnd(),
    `    ${one.summary}`,
  ])
  return [title, ...described].map(simple)
}
