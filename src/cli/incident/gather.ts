/** Fetches as much of the records of all Sentinels of a group as a question takes, and tells it. */
import { EXIT_CONFIG, say } from '../report.ts'
import { type AccessOptions, readAccess } from '../status/access.ts'
import { askAll } from '../status/ask.ts'
import { DEFAULT_SENTINEL_ADDRESS, EXIT_NO_ANSWER } from '../status/status.ts'
import type { SentinelAnswer } from '../status/view.ts'
import { livesIn, type PlayedSegment } from './lives.ts'
import { type Choice, type IncidentsTold, NEAR_MS, tell } from './stories.ts'
import { type MissingRecord, WireRecords } from './wire-records.ts'

export interface WireAccess extends AccessOptions {
  /** Where to begin to look for Sentinels. */
  readonly sentinel?: readonly string[]
}

export interface Gathered {
  readonly told: IncidentsTold
  /** What it is told from. */
  readonly played: readonly PlayedSegment[]
  /** What of the records is damaged. */
  readonly faults: readonly string[]
  readonly missing: readonly MissingRecord[]
}

/** So long an incident lasts at most, where only its moment is given. */
const LONGEST_MS = 10 * 60_000
/** A story that begins so soon after the records may have begun before them. */
const BEGINNING_MS = 5_000

/** An exit status if there is nothing to tell; then it has been said why. */
export async function gatherRecords(
  choice: Choice,
  access: WireAccess,
): Promise<Gathered | number> {
  const login = readAccess(access)
  const sentinels = await askAll(access.sentinel ?? [DEFAULT_SENTINEL_ADDRESS], login)
  const group = groupMeant(sentinels, choice.group)
  if (typeof group === 'number') return group
  const own = sentinels.filter(({ groups }) => groups.some(({ name }) => name === group.name))
  const records = await WireRecords.list(own, login)
  for (const { address, failure } of sentinels)
    if (failure !== undefined) records.missing.push({ address, reason: failure })
  const gathered = await search(records, { ...choice, group: group.name })
  if (gathered !== undefined) return gathered
  for (const { address, reason } of records.missing)
    say(`vedette: no record of ${address}: ${reason}`)
  say(`vedette: no Sentinel of ${group.name} gives a record`)
  return EXIT_NO_ANSWER
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
  return { told: tell(lives, choice), played, faults, missing: records.missing }
}

/** The group that was asked for, or the only one there is; otherwise an exit status. */
function groupMeant(
  sentinels: readonly SentinelAnswer[],
  wanted: string | undefined,
): { readonly name: string } | number {
  const silent = sentinels.filter(({ failure }) => failure !== undefined)
  if (silent.length === sentinels.length) {
    for (const { address, failure } of silent)
      say(`vedette: Sentinel ${address} does not answer: ${failure}`)
    return EXIT_NO_ANSWER
  }
  const names = [...new Set(sentinels.flatMap(({ groups }) => groups.map(({ name }) => name)))]
  const [only, another] = names
  if (wanted === undefined && only !== undefined && another === undefined) return { name: only }
  if (wanted !== undefined && names.includes(wanted)) return { name: wanted }
  const known = only === undefined ? 'they watch none' : `they watch ${names.join(', ')}`
  if (wanted === undefined) say(`vedette: --group says which group is meant; ${known}`)
  else say(`vedette: no Sentinel that answers watches '${wanted}'; ${known}`)
  return EXIT_CONFIG
}
