/** Fetches as much of the records of all Sentinels of a group as a question takes, and tells it. */
import type { SentinelLife } from '../../blackbox/incident/life.ts'
import { type MemberAccess, nodeLogin } from '../explain/look.ts'
import { nodesOf } from '../ledger/wire-ledgers.ts'
import { clockTime } from '../replay/words.ts'
import { EXIT_FAILED, say } from '../report.ts'
import { readAccess } from '../status/access.ts'
import { EXIT_NO_ANSWER } from '../status/status.ts'
import { askGroup } from './group-meant.ts'
import { livesIn, nodeLivesIn, type PlayedSegment } from './lives.ts'
import { type GroupLosses, lossesOf } from './lost-writes.ts'
import { type Choice, type IncidentsTold, NEAR_MS, tell } from './stories.ts'
import { fetchJournals } from './wire-journals.ts'
import { type MissingRecord, WireRecords } from './wire-records.ts'

export interface Gathered {
  readonly told: IncidentsTold
  /** The longest first. */
  readonly lives: readonly SentinelLife[]
  /** What it is told from. */
  readonly played: readonly PlayedSegment[]
  /** What of the records is damaged. */
  readonly faults: readonly string[]
  readonly missing: readonly MissingRecord[]
  /** Nodes of which there is no journal. */
  readonly silentNodes: readonly MissingRecord[]
  /** Undefined: the nodes were not asked. */
  readonly losses: GroupLosses | undefined
}

/** So long an incident lasts at most, where only its moment is given. */
const LONGEST_MS = 10 * 60_000
/** A story that begins so soon after the records may have begun before them. */
const BEGINNING_MS = 5_000

/** An exit status if there is nothing to tell; then it has been said why. */
export async function gatherRecords(
  choice: Choice,
  access: MemberAccess,
): Promise<Gathered | number> {
  const meant = await askGroup(access, choice.group)
  if (typeof meant === 'number') return meant
  const { sentinels, group } = meant
  const login = readAccess(access)
  const own = sentinels.filter(({ groups }) => groups.some(({ name }) => name === group))
  const records = await WireRecords.list(own, login)
  for (const { address, failure } of sentinels)
    if (failure !== undefined) records.missing.push({ address, reason: failure })
  const gathered = await search(records, { ...choice, group })
  if (gathered !== undefined) {
    const losses = await lossesOf(sentinels, group, nodeLogin(access))
    const withNodes = await hearNodes(gathered, choice, nodesOf(sentinels, group), access)
    return { ...withNodes, losses }
  }
  for (const { address, reason } of records.missing)
    say(`vedette: no record of ${address}: ${reason}`)
  const { endMs } = records
  if (Number.isFinite(endMs) && (choice.since ?? choice.at ?? 0) > endMs) {
    say(`vedette: the records of ${group} end before that time, at ${clockTime(endMs)}`)
    return EXIT_FAILED
  }
  say(`vedette: no Sentinel of ${group} sends a record`)
  return EXIT_NO_ANSWER
}

/** What the nodes say of the incidents that were chosen. */
async function hearNodes(
  gathered: Gathered,
  choice: Choice,
  nodes: readonly string[],
  access: MemberAccess,
): Promise<Gathered> {
  const { chosen, run } = gathered.told
  if (chosen.length === 0) return gathered
  const fromMs = run.zeroMs + Math.min(...chosen.map((one) => one.fromMs))
  const untilMs = run.zeroMs + Math.max(...chosen.map((one) => one.untilMs))
  const { sources, missing } = await fetchJournals(nodes, nodeLogin(access), fromMs, untilMs)
  const { nodes: lives, faults } = nodeLivesIn(sources)
  const told = tell(gathered.lives, choice, lives)
  return { ...gathered, told, silentNodes: missing, faults: [...gathered.faults, ...faults] }
}

/** Undefined: there is no record. */
async function search(records: WireRecords, choice: Choice): Promise<Gathered | undefined> {
  const { since, at } = choice
  if (records.records.length === 0) return undefined
  if (since !== undefined) return await look(records, choice, since, Number.POSITIVE_INFINITY)
  if (at !== undefined)
    return await look(records, choice, at - NEAR_MS - LONGEST_MS, at + LONGEST_MS)
  for (let count = 1; ; count *= 2) {
    const fromMs = records.beginningOfLast(count)
    const gathered = await look(records, choice, fromMs, Number.POSITIVE_INFINITY)
    const [first] = gathered?.told.chosen ?? []
    const isWhole = first !== undefined && first.fromMs > BEGINNING_MS
    if (isWhole || !(fromMs > 0)) return gathered
  }
}

async function look(
  records: WireRecords,
  choice: Choice,
  fromMs: number,
  untilMs: number,
): Promise<Gathered | undefined> {
  const { lives, faults, played } = livesIn(await records.between(fromMs, untilMs))
  if (lives.length === 0) return undefined
  return {
    told: tell(lives, choice),
    played,
    lives,
    faults,
    missing: records.missing,
    silentNodes: [],
    losses: undefined,
  }
}
