/** `vedette ledger list` and `vedette ledger fetch`: the ledgers of all nodes of a group. */

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { countOf } from '../../base/count-of.ts'
import { reasonOf, StartError } from '../../io/start-error.ts'
import { type MemberAccess, nodeLogin } from '../explain/look.ts'
import { PRIVATE_MODE, unwritable } from '../files.ts'
import { askGroup } from '../incident/group-meant.ts'
import { printJson } from '../json-answer.ts'
import { EXIT_FAILED, reportFailure, say } from '../report.ts'
import {
  fetchLedger,
  type LedgerList,
  type ListedLedger,
  listLedgers,
  parseLedger,
} from './wire-ledgers.ts'

export interface GroupLedgerOptions extends MemberAccess {
  readonly group?: string
  readonly json?: boolean
  /** The folder into which ledgers are fetched. */
  readonly out?: string
}

interface FetchedLedger extends Pick<ListedLedger, 'node' | 'name'> {
  readonly path: string
  readonly commands: number
  readonly keys: number
}

/** Returns the exit status. */
export async function runLedgerList(options: GroupLedgerOptions): Promise<number> {
  const found = await ledgersOf(options)
  if (typeof found === 'number') return found
  const { ledgers, silent, group } = found
  if (options.json === true) {
    printJson({ group, ledgers, silent })
  } else if (ledgers.length === 0) {
    process.stdout.write(`${group}: ${noLedgerText(found)}\n`)
  } else {
    for (const { node, name, bytes, writtenAtMs } of ledgers) {
      const written = new Date(writtenAtMs).toISOString()
      process.stdout.write(`${node.padEnd(21)}  ${written}  ${name}  ${bytes} bytes\n`)
    }
  }
  return silent.length === 0 ? 0 : EXIT_FAILED
}

/** A node that keeps no ledgers, or does not tell them, says nothing about lost writes. */
export function noLedgerText({ asked, silent }: LedgerList): string {
  if (silent.length === 0) return 'no node keeps a ledger: no write is known to be lost'
  const unknown = 'whether writes were lost'
  if (silent.length === asked) return `no node tells of ledgers: ${unknown} is not known`
  const told = `${asked - silent.length} of ${asked} nodes have no ledger, so no write of theirs is known to be lost`
  return `${told}; ${silent.length} ${silent.length === 1 ? 'does' : 'do'} not tell: ${unknown} there is not known`
}

/** `names`: those that are wanted; none: all. */
export async function runLedgerFetch(
  names: readonly string[],
  options: GroupLedgerOptions,
): Promise<number> {
  const found = await ledgersOf(options)
  if (typeof found === 'number') return found
  const unknown = names.filter((name) => found.ledgers.every((one) => one.name !== name))
  for (const name of unknown) say(`vedette: no node of ${found.group} keeps a ledger ${name}`)
  const wanted = found.ledgers.filter(({ name }) => names.length === 0 || names.includes(name))
  const fetched: FetchedLedger[] = []
  const missing = [...unknown]
  for (const one of wanted) {
    const outcome = await fetchOne(one, options).catch(asError)
    if (!(outcome instanceof Error)) fetched.push(outcome)
    else missing.push(one.name)
    if (outcome instanceof StartError) reportFailure(outcome)
    else if (outcome instanceof Error) say(`vedette: ${reasonOf(outcome)}`)
  }
  const { group, silent } = found
  if (options.json === true) printJson({ group, fetched, missing, silent })
  return missing.length + silent.length === 0 ? 0 : EXIT_FAILED
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

/** Throws an error with the reason. */
async function fetchOne(one: ListedLedger, options: GroupLedgerOptions): Promise<FetchedLedger> {
  const { node, name } = one
  const path = join(options.out ?? '.', name)
  const bytes = await fetchLedger(one, nodeLogin(options))
  const { commands, keys } = parseLedger(one, bytes).end
  keep(path, Buffer.from(bytes, 'latin1'))
  if (options.json !== true) {
    const what = `${countOf(commands, 'command')} on ${countOf(keys, 'key')}`
    process.stdout.write(`${path}: ${what}, from ${node}\n`)
  }
  return { node, name, path, commands, keys }
}

/** A part of a ledger is not left behind: the next fetch would take it for another one, and refuse. */
function keep(path: string, content: Buffer): void {
  if (existsSync(path)) {
    if (readFileSync(path).equals(content)) return
    throw new Error(`${path} is there already, and holds something else`)
  }
  try {
    writeFileSync(path, content, { mode: PRIVATE_MODE })
  } catch (error) {
    rmSync(path, { force: true })
    const hint = 'name a folder with room for it, that this user may write to, with --out'
    throw new StartError('E_REPORT_FILE', unwritable(path, error).message, hint)
  }
}

async function ledgersOf(options: GroupLedgerOptions) {
  const meant = await askGroup(options, options.group)
  if (typeof meant === 'number') return meant
  const { sentinels, group } = meant
  const found = await listLedgers(sentinels, group, nodeLogin(options))
  for (const { node, reason } of found.silent) say(`vedette: no ledgers of ${node}: ${reason}`)
  return { ...found, group }
}
