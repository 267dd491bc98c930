/**
 * `vedette ledger replay`: sends the writes of a ledger to a server. They are older than what that server
 * has been told since, so nothing is sent before somebody has said so in words.
 */
import type { Redis } from 'ioredis'
import { reasonOf } from '../io/start-error.ts'
import { isBracket, type LedgerCommand } from '../server/ledger/ledger-reader.ts'
import { commandLine, keysIn, type Ledger, openLedger, writesOf } from './ledger-file.ts'
import { isTaken, keyLines, keyName, keysThere, type LedgerKey } from './ledger-keys.ts'
import { lastReplay, noteReplay } from './ledger-note.ts'
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
  /** Also when it has been sent before. */
  readonly again?: boolean
}

/** So many commands are on their way at the same time. */
const BATCH = 100
const SHOWN_ERRORS = 10

/** Gives the exit status. */
export async function runLedgerReplay(path: string, options: ReplayOptions): Promise<number> {
  const ledger = openLedger(path)
  const target = options.to
  const isDry = options.dryRun === true
  if (options.yes !== true && !isDry) return ask(ledger, target)
  const before = isDry || options.onlyMissingKeys || options.again ? undefined : lastReplay(path)
  if (before !== undefined) return refuseAgain(path, before)
  const client = connect(target, readAccess(options))
  try {
    const failure = await open(client).then(() => undefined, reasonOf)
    if (failure !== undefined) return absent(ledger, options, failure)
    return isDry
      ? await rehearse(client, ledger, options)
      : await replay(client, ledger, path, options)
  } catch (error) {
    say(`vedette: ${target}: ${reasonOf(error)}`)
    return EXIT_FAILED
  } finally {
    client.disconnect()
  }
}

function refuseAgain(path: string, before: string): number {
  say(`vedette: ${path} was sent already: ${before}.`)
  say('  What counts up or appends would count twice. --again sends it once more,')
  say('  --only-missing-keys what touches no key that is there now.')
  return EXIT_CONFIG
}

/** A rehearsal needs the server only to say which keys it has. */
function absent(ledger: Ledger, options: ReplayOptions, failure: string): number {
  say(`vedette: ${options.to} does not answer: ${failure}`)
  if (options.dryRun !== true || options.onlyMissingKeys === true) return EXIT_NO_ANSWER
  return list(ledger.commands, options.to)
}

async function rehearse(client: Redis, ledger: Ledger, options: ReplayOptions): Promise<number> {
  const keys = await keysThere(client, writesOf(ledger))
  const status = list(chosen(ledger, keys, options), options.to)
  process.stdout.write(`${keyLines(keys).join('\n')}\n`)
  return status
}

async function replay(
  client: Redis,
  ledger: Ledger,
  path: string,
  options: ReplayOptions,
): Promise<number> {
  const { to, onlyMissingKeys } = options
  const master = await masterOf(client)
  if (master !== undefined) {
    say(`vedette: ${to} is a replica and takes no writes: send them to its master, ${master}`)
    return EXIT_FAILED
  }
  const keys = onlyMissingKeys === true ? await keysThere(client, writesOf(ledger)) : []
  const commands = chosen(ledger, keys, options)
  const unnoted = noteReplay(path, to, new Date())
  if (unnoted !== undefined) {
    say(`warning: that it was sent cannot be noted beside ${path}: ${unnoted}`)
  }
  return await send(client, commands, to)
}

/** Undefined: it is no replica, or does not tell. */
async function masterOf(client: Redis): Promise<string | undefined> {
  const role: unknown = await client.call('ROLE').catch(() => undefined)
  const [name, host, port] = Array.isArray(role) ? role : []
  return name === 'slave' ? `${host}:${port}` : undefined
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
function chosen(
  ledger: Ledger,
  keys: readonly LedgerKey[],
  { onlyMissingKeys }: ReplayOptions,
): readonly LedgerCommand[] {
  if (onlyMissingKeys !== true) return ledger.commands
  const taken = new Set(keys.filter(isTaken).map(({ db, key }) => keyName(db, key)))
  const isFree = (command: LedgerCommand) =>
    keysIn(command).every((key) => !taken.has(keyName(command.db, key)))
  const left = ledger.commands.filter((command) => isBracket(command.argv) || isFree(command))
  process.stdout.write(`${ledger.commands.length - left.length} commands left out\n`)
  return left
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
