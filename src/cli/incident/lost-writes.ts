/** The writes that failovers lost, as far as the nodes keep them in ledgers. */

import { countOf } from '../../base/count-of.ts'
import { reasonOf } from '../../io/start-error.ts'
import type { Chapter } from '../../report/chain/chain.ts'
import {
  fetchLedger,
  type ListedLedger,
  listLedgers,
  parseLedger,
  type SilentNode,
} from '../ledger/wire-ledgers.ts'
import type { SentinelLogin } from '../status/access.ts'
import { DEFAULT_SENTINEL_ADDRESS } from '../status/status.ts'
import type { SentinelAnswer } from '../status/view.ts'

export interface GroupLosses {
  readonly ledgers: readonly LostPart[]
  /** Nodes that did not say whether they lost anything. */
  readonly silent: readonly SilentNode[]
  /** `host:port` of a Sentinel that knows the nodes, for the command that fetches. */
  readonly sentinel: string
}

/** One ledger; without counts if it could not be read. */
export interface LostPart {
  readonly ledger: ListedLedger
  readonly commands: number | undefined
  readonly keys: number | undefined
  /** `exact`, or `at most`: not all of them were lost. */
  readonly rule: string
  /** Why it could not be read. */
  readonly failure: string | undefined
}

/** Larger ones are named, and not read for their counts. */
const READ_BYTES = 16 * 1024 * 1024

export async function lossesOf(
  sentinels: readonly SentinelAnswer[],
  group: string,
  login: SentinelLogin,
): Promise<GroupLosses> {
  const { ledgers, silent } = await listLedgers(sentinels, group, login)
  const parts: LostPart[] = []
  for (const ledger of ledgers) parts.push(await partOf(ledger, login))
  const answering = sentinels.find(({ failure }) => failure === undefined)
  return { ledgers: parts, silent, sentinel: answering?.address ?? DEFAULT_SENTINEL_ADDRESS }
}

async function partOf(ledger: ListedLedger, login: SentinelLogin): Promise<LostPart> {
  const unknown = { ledger, commands: undefined, keys: undefined, rule: '' }
  if (ledger.bytes > READ_BYTES) return { ...unknown, failure: 'it is too long to be counted' }
  try {
    const { end, facts } = parseLedger(ledger, await fetchLedger(ledger, login))
    return { ledger, ...end, rule: facts.rule, failure: undefined }
  } catch (error) {
    return { ...unknown, failure: reasonOf(error) }
  }
}

/** A node writes its ledger when it comes back, which may be long after; the next incident has its own. */
export function lossesIn(
  { ledgers }: GroupLosses,
  chapter: Chapter,
  all: readonly Chapter[],
  zeroMs: number,
): readonly LostPart[] {
  const own = all.filter(({ group }) => group === chapter.group)
  const next = own[own.indexOf(chapter) + 1]
  const untilMs = next === undefined ? Number.POSITIVE_INFINITY : next.fromMs + zeroMs
  return ledgers.filter(({ ledger: { writtenAtMs } }) => {
    return writtenAtMs >= chapter.fromMs + zeroMs && writtenAtMs < untilMs
  })
}

export function lossLines(parts: readonly LostPart[], losses: GroupLosses): readonly string[] {
  const silent = losses.silent.map(({ node, reason }) => {
    return `whether ${node} has lost writes is not known: ${reason}`
  })
  if (parts.length === 0) {
    const none = 'no write is known to be lost: no node has written a ledger since'
    return silent.length === 0 ? [none] : silent
  }
  return [...parts.map((part) => lossLine(part, losses.sentinel)), ...silent]
}

function lossLine(
  { ledger: { node, name }, commands, keys, rule, failure }: LostPart,
  sentinel: string,
): string {
  if (commands === undefined || keys === undefined)
    return `${node} has lost writes; they are in ${name}, which cannot be read: ${failure}`
  const most = rule === 'exact' ? '' : 'at most '
  const what = `${most}${countOf(commands, 'write')} to ${countOf(keys, 'key')}`
  return `${node} has lost ${what}; vedette ledger fetch --sentinel ${sentinel} ${name}`
}

export function lossJson({ ledger, commands, keys, rule, failure }: LostPart): object {
  const { node, name, bytes, writtenAtMs } = ledger
  const written = new Date(writtenAtMs).toISOString()
  const counts = { commands: commands ?? null, keys: keys ?? null, rule: rule || null }
  return { node, ledger: name, bytes, written, ...counts, failure: failure ?? null }
}
