/** The ledgers of all nodes of a group, over the wire [LEDGER]. What a node says is not trusted. */
import { reasonOf } from '../../io/start-error.ts'
import { readLedger } from '../../server/ledger/ledger-reader.ts'
import { allowanceOfOneRun, connect, type SentinelLogin } from '../status/access.ts'
import { type Allowance, type Asking, printable } from '../status/asking.ts'
import { withGrant } from '../status/grant.ts'
import { addressOf, type SentinelAnswer } from '../status/view.ts'
import type { Ledger } from './ledger-file.ts'

export interface ListedLedger {
  /** `host:port` of the node. */
  readonly node: string
  readonly name: string
  readonly bytes: number
  /** Wall-clock milliseconds of the node. */
  readonly writtenAtMs: number
}

/** A node that does not tell, and why. */
export interface SilentNode {
  readonly node: string
  readonly reason: string
}

export interface LedgerList {
  /** How many nodes were asked. */
  readonly asked: number
  readonly ledgers: readonly ListedLedger[]
  readonly silent: readonly SilentNode[]
}

/** A made-up list must not keep us busy. */
const MOST_NODES = 64
const MOST_LEDGERS = 1_000
/** Small enough for a slow line, which has three seconds for each answer. */
const PIECE_BYTES = 256 * 1024

/** Their addresses, as the Sentinels know them. */
export function nodesOf(sentinels: readonly SentinelAnswer[], group: string): readonly string[] {
  const views = sentinels.flatMap(({ groups }) => groups.filter(({ name }) => name === group))
  const nodes = views.flatMap(({ master, replicas }) => [master, ...replicas].map(addressOf))
  return [...new Set(nodes)].sort().slice(0, MOST_NODES)
}

/** Of the nodes that the Sentinels know. */
export async function listLedgers(
  sentinels: readonly SentinelAnswer[],
  group: string,
  login: SentinelLogin,
): Promise<LedgerList> {
  const told = await Promise.all(nodesOf(sentinels, group).map((node) => listOne(node, login)))
  const ledgers = told.flatMap((one) => ('reason' in one ? [] : one))
  const silent = told.flatMap((one) => ('reason' in one ? [one] : []))
  const sorted = [...ledgers].sort((a, b) => a.writtenAtMs - b.writtenAtMs)
  return { asked: told.length, ledgers: sorted, silent }
}

async function listOne(
  node: string,
  login: SentinelLogin,
): Promise<readonly ListedLedger[] | SilentNode> {
  try {
    return await withNode(node, login, async (client) => {
      const answer = await client.call('LEDGER', 'LIST')
      const items: readonly unknown[] = Array.isArray(answer) ? answer : []
      return items.slice(0, MOST_LEDGERS).map((item) => listed(node, item))
    })
  } catch (error) {
    const reason = withGrant(reasonOf(error), login.user)
    const isStranger = /unknown command/i.test(reason)
    return { node, reason: isStranger ? 'its program keeps no ledgers' : reason }
  }
}

function listed(node: string, item: unknown): ListedLedger {
  const [name, bytes] = Array.isArray(item) ? item : []
  // Also the name of the file that it becomes here.
  const match = /^lost-writes-[0-9a-f]{1,40}-\d{1,15}-(\d{1,15})\.ledger$/.exec(String(name))
  if (match === null || typeof bytes !== 'number' || !(bytes >= 0))
    throw new Error(`it lists a ledger in a wrong form: ${printable(String(name))}`)
  return { node, name: match[0], bytes, writtenAtMs: Number(match[1]) }
}

/** The bytes of a ledger, as a byte string. Throws an error that names the node. */
export async function fetchLedger(
  { node, name, bytes }: ListedLedger,
  login: SentinelLogin,
): Promise<string> {
  // A ledger does not grow: what comes beyond its size is no part of it.
  const allowance = { leftBytes: 2 * bytes + PIECE_BYTES }
  const get = async (client: Asking) => {
    const pieces: string[] = []
    for (let offset = 0; offset < bytes; ) {
      const piece = await client.call('LEDGER', 'READ', name, String(offset), String(PIECE_BYTES))
      if (typeof piece !== 'string' || piece === '') break
      pieces.push(piece)
      offset += piece.length
    }
    return pieces.join('')
  }
  try {
    return await withNode(node, login, get, allowance)
  } catch (error) {
    throw new Error(`${node} does not give ${name}: ${withGrant(reasonOf(error), login.user)}`)
  }
}

/** Throws an error if it is damaged. */
export function parseLedger({ node, name }: ListedLedger, bytes: string): Ledger {
  const reading = readLedger(bytes)
  if (reading.kind === 'ledger') return reading
  throw new Error(`${name} of ${node} is damaged at byte ${reading.offset}: ${reading.text}`)
}

async function withNode<Answer>(
  node: string,
  login: SentinelLogin,
  ask: (client: Asking) => Promise<Answer>,
  allowance: Allowance = allowanceOfOneRun(),
): Promise<Answer> {
  const client = connect(node, login, allowance)
  try {
    await client.open()
    return await ask(client)
  } finally {
    client.disconnect()
  }
}
