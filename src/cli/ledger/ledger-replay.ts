/**
 * `vedette ledger replay`: sends the writes of a ledger to a server. They are older than later writes to
 * that server, so nothing is sent until the user has explicitly agreed.
 */

import { appendFileSync, readFileSync } from 'node:fs'
import { countOf } from '../../base/count-of.ts'
import { hostAndPort } from '../../base/ip.ts'
import { reasonOf } from '../../io/start-error.ts'
import { isBracket, type LedgerCommand } from '../../server/ledger/ledger-reader.ts'
import { EXIT_CONFIG, EXIT_FAILED, say } from '../report.ts'
import { type AccessOptions, connect, readAccess } from '../status/access.ts'
import { type Asking, printable, type ReplyValue } from '../status/asking.ts'
import { silence } from '../status/silence.ts'
import { EXIT_NO_ANSWER } from '../status/status.ts'
import { commandLine, keysIn, type Ledger, openLedger, word, writesOf } from './ledger-file.ts'

export interface ReplayOptions extends AccessOptions {
  /** `host:port`. */
  readonly to: string
  readonly yes?: boolean
  readonly dryRun?: boolean
  /** Leaves out commands on a key that the server has. */
  readonly onlyMissingKeys?: boolean
  /** Also if it has been sent before. */
  readonly again?: boolean
}

/** How many commands are on their way at the same time. */
const BATCH = 100
const SHOWN_ERRORS = 10

/** Returns the exit status. */
export async function runLedgerReplay(path: string, options: ReplayOptions): Promise<number> {
  const ledger = openLedger(path)
  const target = options.to
  const isDry = options.dryRun === true
  if (options.yes !== true && !isDry) return ask(ledger, target)
  const before = isDry || options.onlyMissingKeys || options.again ? undefined : lastReplay(path)
  if (before !== undefined) return refuseAgain(path, before)
  const client = connect(target, readAccess(options))
  try {
    const failure = await client.open().then(() => undefined, reasonOf)
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
  say(`vedette: ${path} has been sent already: ${before}.`)
  say('  Commands like INCR and RPUSH would take effect twice. --again sends all of it once more,')
  say('  --only-missing-keys only the commands whose keys the server does not have.')
  return EXIT_CONFIG
}

/** A rehearsal needs the server only to know which keys it has. */
function absent(ledger: Ledger, options: ReplayOptions, failure: string): number {
  say(`vedette: ${silence(options.to, failure)}`)
  if (options.dryRun !== true || options.onlyMissingKeys === true) return EXIT_NO_ANSWER
  return list(ledger.commands, options.to)
}

async function rehearse(client: Asking, ledger: Ledger, options: ReplayOptions): Promise<number> {
  const keys = await keysThere(client, writesOf(ledger))
  const status = list(chosen(ledger, keys, options), options.to)
  process.stdout.write(`${keyLines(keys).join('\n')}\n`)
  return status
}

async function replay(
  client: Asking,
  ledger: Ledger,
  path: string,
  options: ReplayOptions,
): Promise<number> {
  const { to, onlyMissingKeys } = options
  const master = await masterOf(client)
  if (master !== undefined) {
    say(`vedette: ${to} is a replica and accepts no writes: send them to its master, ${master}`)
    return EXIT_FAILED
  }
  const keys = onlyMissingKeys === true ? await keysThere(client, writesOf(ledger)) : []
  const commands = chosen(ledger, keys, options)
  const unnoted = noteReplay(path, to, new Date())
  if (unnoted !== undefined) {
    say(`warning: cannot record beside ${path} that it was sent: ${unnoted}`)
  }
  return await send(client, commands, to)
}

/** Undefined if it is not a replica, or does not say. */
async function masterOf(client: Asking): Promise<string | undefined> {
  const role = await client.call('ROLE').catch(() => null)
  const [name, host, port] = Array.isArray(role) ? role : []
  return name === 'slave' ? printable(hostAndPort(String(host), Number(port))) : undefined
}

function ask(ledger: Ledger, target: string): number {
  const { facts, end } = ledger
  say(
    `vedette: this would send ${countOf(end.commands, 'command')} on ${countOf(end.keys, 'key')} to ${target}.`,
  )
  if (facts.rule === 'at most')
    say('  Not all of them were lost: the server may already have some of them.')
  say(
    '  They are older than the latest writes of the server. --dry-run shows them, --yes sends them.',
  )
  return EXIT_CONFIG
}

function list(commands: readonly LedgerCommand[], target: string): number {
  const lines = commands.map((command) => `${commandLine(command)}\n`)
  const count = commands.filter(({ argv }) => !isBracket(argv)).length
  process.stdout.write(`${lines.join('')}${count} commands for ${target}, none sent\n`)
  return 0
}

/** A transaction loses the commands it must not run, and stays a transaction. */
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
  client: Asking,
  commands: readonly LedgerCommand[],
  target: string,
): Promise<number> {
  const refused: string[] = []
  const requests = withSelects(commands)
  for (let at = 0; at < requests.length; at += BATCH) {
    const batch = requests.slice(at, at + BATCH)
    const answers = await Promise.allSettled(batch.map(({ argv }) => client.call(...argv)))
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

/** Errors of a command, or of the commands in a transaction. */
function faultsOf(answer: PromiseSettledResult<ReplyValue> | undefined): string[] {
  if (answer?.status === 'rejected') return [reasonOf(answer.reason)]
  const items: readonly ReplyValue[] = Array.isArray(answer?.value) ? answer.value : []
  return items.filter((item) => item instanceof Error).map(reasonOf)
}

// That a ledger was sent is noted beside it, in `<ledger>.replayed`: INCR and RPUSH sent twice count twice.
// The note is written before the first command leaves, because a replay that is interrupted half-way counts
// as well.

/** When and where it was sent last; undefined if there is no note. */
function lastReplay(ledger: string): string | undefined {
  try {
    return readFileSync(noteOf(ledger), 'utf8').trim().split('\n').at(-1)
  } catch {
    // Usually there is none. If a note cannot be read, adding to it fails too, and that is
    // reported.
    return undefined
  }
}

/** Undefined if noted, otherwise why not. */
function noteReplay(ledger: string, target: string, at: Date): string | undefined {
  try {
    appendFileSync(noteOf(ledger), `${at.toISOString()} to ${target}\n`)
    return undefined
  } catch (error) {
    return reasonOf(error)
  }
}

function noteOf(ledger: string): string {
  return `${ledger}.replayed`
}

/** Which of a ledger's keys a server has: their values there may be newer than the ledger. */
const SHOWN_KEYS = 20

interface LedgerKey {
  readonly db: number
  readonly key: string
  /** As TYPE says; `none` if the server does not have it. */
  readonly type: string
}

/** Each key once, in the order of the ledger. Afterwards the connection is in database 0 again. */
async function keysThere(
  client: Asking,
  commands: readonly LedgerCommand[],
): Promise<readonly LedgerKey[]> {
  const found = new Map<string, LedgerKey>()
  let selected = 0
  for (const command of commands) {
    const { db } = command
    for (const key of keysIn(command)) {
      if (found.has(keyName(db, key))) continue
      if (db !== selected) await client.call('SELECT', String(db))
      selected = db
      const type = printable(String(await client.call('TYPE', key)))
      found.set(keyName(db, key), { db, key, type })
    }
  }
  if (selected !== 0) await client.call('SELECT', '0')
  return [...found.values()]
}

function keyName(db: number, key: string): string {
  return `${db}:${key}`
}

function isTaken({ type }: LedgerKey): boolean {
  return type !== 'none'
}

/** For people: which keys the ledger would overwrite, and which it would only restore. */
function keyLines(keys: readonly LedgerKey[]): string[] {
  const taken = keys.filter(isTaken)
  const free = keys.filter((key) => !isTaken(key))
  return [
    `there now, perhaps newer: ${listed(taken, ({ type }) => ` (${type})`)}`,
    `not there:                ${listed(free, () => '')}`,
  ]
}

function listed(keys: readonly LedgerKey[], suffix: (key: LedgerKey) => string): string {
  if (keys.length === 0) return 'none'
  const shown = keys.slice(0, SHOWN_KEYS).map((key) => {
    const db = key.db === 0 ? '' : `[${key.db}] `
    return `${db}${word(key.key)}${suffix(key)}`
  })
  const more = keys.length > SHOWN_KEYS ? `, … (${keys.length - SHOWN_KEYS} more)` : ''
  return `${shown.join(', ')}${more}`
}
