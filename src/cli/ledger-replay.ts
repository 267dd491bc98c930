/**
 * `vedette ledger replay`: sends the writes of a ledger to a server. They are older than what that server
 * has been told since, so nothing is sent before somebody has said so in words.
 */
import type { Redis } from 'ioredis'
import { reasonOf } from '../io/start-error.ts'
import { isBracket, type LedgerCommand } from '../server/ledger/ledger-reader.ts'
import { commandLine, keysIn, type Ledger, openLedger, writesOf } from './ledger-file.ts'
import { EXIT_CONFIG, EXIT_FAILED, say } from './report.ts'
import { type AccessOptions, connect, open, readAccess } from './status/access.ts'
import { EXIT_NO_ANSWER } from './status.ts'

export interface ReplayOptions extends AccessOptions {
  /** `host:port`. */
  readonly to: string
  readonly yes?: boolean
  readonly dryRun?: boolean
  /** Leaves out what touches a key the server has. */
  readonly onlyMissingKeys?: boolean
}

/** So many commands are on their way at the same time. */
const BATCH = 100
const SHOWN_ERRORS = 10

/** Gives the exit status. */
export async function runLedgerReplay(path: string, options: ReplayOptions): Promise<number> {
  const ledger = openLedger(path)
  const target = options.to
  if (options.yes !== true && options.dryRun !== true) return ask(ledger, target)
  if (options.dryRun === true && options.onlyMissingKeys !== true)
    return list(ledger.commands, target)
  const client = connect(target, readAccess(options))
  try {
    const failure = await open(client).then(() => undefined, reasonOf)
    if (failure !== undefined) {
      say(`vedette: ${target} does not answer: ${failure}`)
      return EXIT_NO_ANSWER
    }
    const commands = await chosen(client, ledger, options)
    if (options.dryRun === true) return list(commands, target)
    return await send(client, commands, target)
  } catch (error) {
    say(`vedette: ${target}: ${reasonOf(error)}`)
    return EXIT_FAILED
  } finally {
    client.disconnect()
  }
}

function ask(ledger: Ledger, target: string): number {
  const { facts, end } = ledger
  say(`vedette: this would send ${end.commands} commands on ${end.keys} keys to ${target}.`)
  if (facts.rule === 'at most')
    say('  Not all of them were lost: it may have some of them already.')
  say('  They are older than what it was told since. --dry-run shows them, --yes sends them.')
  return EXIT_CONFIG
}

function list(commands: readonly LedgerCommand[], target: string): number {
  const lines = commands.map((command) => `${commandLine(command)}\n`)
  const count = commands.filter(({ argv }) => !isBracket(argv)).length
  process.stdout.write(`${lines.join('')}${count} commands for ${target}, none sent\n`)
  return 0
}

/** A transaction loses what it must not do, and stays one. */
async function chosen(
  client: Redis,
  ledger: Ledger,
  { onlyMissingKeys }: ReplayOptions,
): Promise<readonly LedgerCommand[]> {
  if (onlyMissingKeys !== true) return ledger.commands
  const taken = await takenKeys(client, writesOf(ledger))
  const isFree = (command: LedgerCommand) =>
    keysIn(command).every((key) => !taken.has(`${command.db}:${key}`))
  const left = ledger.commands.filter((command) => isBracket(command.argv) || isFree(command))
  process.stdout.write(`${ledger.commands.length - left.length} commands left out\n`)
  return left
}

async function takenKeys(
  client: Redis,
  commands: readonly LedgerCommand[],
): Promise<ReadonlySet<string>> {
  const taken = new Set<string>()
  const seen = new Set<string>()
  let selected = 0
  for (const command of commands) {
    for (const key of keysIn(command)) {
      const name = `${command.db}:${key}`
      if (seen.has(name)) continue
      seen.add(name)
      if (command.db !== selected) await client.select(command.db)
      selected = command.db
      if ((await client.exists(Buffer.from(key, 'latin1'))) > 0) taken.add(name)
    }
  }
  if (selected !== 0) await client.select(0)
  return taken
}

async function send(
  client: Redis,
  commands: readonly LedgerCommand[],
  target: string,
): Promise<number> {
  const refused: string[] = []
  const requests = withSelects(commands)
  for (let at = 0; at < requests.length; at += BATCH) {
    const batch = requests.slice(at, at + BATCH)
    const answers = await Promise.allSettled(batch.map(({ argv }) => carryOut(client, argv)))
    for (const [index, command] of batch.entries()) {
      refused.push(...faultsOf(answers[index]).map((fault) => `${commandLine(command)}: ${fault}`))
    }
  }
  const count = commands.filter(({ argv }) => !isBracket(argv)).length
  process.stdout.write(`${count} commands sent to ${target}, ${refused.length} errors\n`)
  for (const line of refused.slice(0, SHOWN_ERRORS)) say(`  ${line}`)
  if (refused.length > SHOWN_ERRORS) say(`  … and ${refused.length - SHOWN_ERRORS} more`)
  return refused.length === 0 ? 0 : EXIT_FAILED
}

function withSelects(commands: readonly LedgerCommand[]): LedgerCommand[] {
  let selected = 0
  return commands.flatMap((command) => {
    if (command.db === selected) return [command]
    selected = command.db
    return [{ db: command.db, argv: ['SELECT', String(command.db)] }, command]
  })
}

/** Bytes as they are: neither arguments nor answers are text. */
async function carryOut(client: Redis, [name = '', ...args]: readonly string[]): Promise<unknown> {
  return await client.callBuffer(name, ...args.map((bytes) => Buffer.from(bytes, 'latin1')))
}

/** Errors of a command, or of those in a transaction. */
function faultsOf(answer: PromiseSettledResult<unknown> | undefined): string[] {
  if (answer?.status === 'rejected') return [reasonOf(answer.reason)]
  const items: unknown[] = Array.isArray(answer?.value) ? answer.value : []
  return items.filter((item) => item instanceof Error).map(reasonOf)
}
