/** Judges what is counted or measured over a run, or over a part of it. */
import { unreachable } from '../../base/assert.ts'
import { countOf } from '../../base/count-of.ts'
import type { Write } from '../../history/writes.ts'
import { formatDuration } from '../duration.ts'
import type { GroupFacts, LostWrites } from '../result.ts'
import type { Bounds, TotalClaim } from '../scenario-file.ts'
import type { RunHistory } from '../world.ts'
import { momentsOf } from './moment-claims.ts'
import { counted, failed, PASSED, type Verdict } from './verdict.ts'
import { spanOf, type Window } from './window.ts'

type Claim<Kind extends TotalClaim['kind']> = Extract<TotalClaim, { kind: Kind }>

/** The facts and the history in which claims count. */
export interface Totals {
  readonly facts: readonly GroupFacts[]
  readonly history: RunHistory
  /**
   * What the processes did not agree on after the end, in words; empty: nothing, or this was not
   * asked.
   */
  readonly unsettled: readonly string[]
}

export function judgeTotal(claim: TotalClaim, { facts, history, unsettled }: Totals): Verdict {
  switch (claim.kind) {
    case 'lostWrites':
      return ofGroup(claim.group, facts, (group) => judgeLost(claim, group))
    case 'failovers':
      return ofGroup(claim.group, facts, (group) => judgeFailovers(claim, group, history))
    case 'dualWrites':
      return ofGroup(claim.group, facts, ({ dualWritesMs }) =>
        counted(dualWritesMs <= claim.atMostMs, formatDuration(dualWritesMs)),
      )
    case 'staleReads':
      return ofGroup(claim.group, facts, (group) => judgeStale(claim, group, history))
    case 'anomalies':
      return ofGroup(claim.group, facts, ({ shared }) => judgeAnomalies(claim, shared))
    case 'settled':
      return unsettled.length === 0 ? PASSED : failed(unsettled.slice(0, TOLD_MAX).join('; '))
    case 'outage':
      return judgeOutage(claim, history)
    case 'events':
      return judgeEvents(claim, history)
    default:
      return unreachable(claim)
  }
}

/** One difference often brings all others with it. */
const TOLD_MAX = 3

function ofGroup(
  name: string,
  facts: readonly GroupFacts[],
  judgeGroup: (group: GroupFacts) => Verdict,
): Verdict {
  const group = facts.find((known) => known.group === name)
  return group === undefined ? failed(`there is no group ${name}`) : judgeGroup(group)
}

/** What was never written cannot be lost: whoever expects that has meant another run. */
const NOTHING_ACKNOWLEDGED = 'no write was acknowledged at all'

function judgeLost(claim: Claim<'lostWrites'>, { lost, writes }: GroupFacts): Verdict {
  if (lost === undefined) return failed('the Sentinels agree on no master that could be asked')
  if (writes.acknowledged === 0) return failed(NOTHING_ACKNOWLEDGED)
  const number =
    claim.cause === undefined ? lostBy(claim.acknowledgedBy, lost) : lost[CAUSES[claim.cause]]
  return counted(isWithin(number, claim), `${number} of ${writes.acknowledged}`)
}

const CAUSES = {
  asynchronous: 'asynchronous',
  'split-brain': 'splitBrain',
  'empty-restart': 'emptyRestart',
} as const

function lostBy(side: Claim<'lostWrites'>['acknowledgedBy'], lost: LostWrites): number {
  const { byMajority, byCutOff, byDeposed } = lost
  if (side === 'majority') return byMajority
  return side === 'minority' ? byCutOff + byDeposed : byMajority + byCutOff + byDeposed
}

function judgeFailovers(
  claim: Claim<'failovers'>,
  { group, failovers }: GroupFacts,
  history: RunHistory,
): Verdict {
  const promotion = claim.atMost === 0 ? firstPromotion(group, history) : undefined
  if (failovers === 0 && promotion !== undefined) return failed(promotion)
  return counted(isWithin(failovers, claim), countOf(failovers, 'failover'))
}

/**
 * If no failover is allowed, a promotion that no Sentinel ever announced as a switch is one too
 * many.
 */
function firstPromotion(group: string, history: RunHistory): string | undefined {
  for (const happening of history.happenings) {
    if (happening.kind !== 'event' || happening.name !== '+promoted-slave') continue
    if (!happening.payload.includes(` @ ${group} `)) continue
    return `${happening.process} promoted a replica at ${formatDuration(happening.atMs)}`
  }
  return undefined
}

function judgeStale(
  claim: Claim<'staleReads'>,
  { group, staleReads: { afterLoss, fromDeposed } }: GroupFacts,
  { reads }: RunHistory,
): Verdict {
  const isRead = reads.some((read) => read.group === group)
  if (!isRead) return failed('no client of the group reads a register (operation: register)')
  return counted(isWithin(afterLoss + fromDeposed, claim), `${afterLoss + fromDeposed} stale`)
}

/** A history that could not be decided may be either. */
function judgeAnomalies(claim: Claim<'anomalies'>, shared: GroupFacts['shared']): Verdict {
  if (shared === undefined) return failed('no client of the group shares keys (operation: shared)')
  const { anomalies, histories, undecided } = shared
  const doubt = undecided === 0 ? '' : `, ${undecided} undecided`
  return counted(isWithin(anomalies, claim), `${anomalies} of ${histories}${doubt}`)
}

function judgeOutage(claim: Claim<'outage'>, history: RunHistory): Verdict {
  const verdicts = (claim.clients ?? [undefined]).map((client) =>
    judgeOutageOf(client, claim, history),
  )
  const worst = verdicts.find(({ passed }) => !passed)
  return worst ?? counted(true, verdicts.map(({ finding }) => finding).join(', '))
}

/** For one client, or for the whole group: then a write of any client ends an outage. */
function judgeOutageOf(
  client: string | undefined,
  claim: Claim<'outage'>,
  history: RunHistory,
): Verdict {
  const writes = history.writes.filter(
    (write) => write.group === claim.group && (client === undefined || write.client === client),
  )
  const who = client === undefined ? '' : `${client}: `
  const longestMs = longestOutageIn(writes, outageWindow(claim, writes, history))
  if (longestMs === undefined) return failed(`${who}${NOTHING_ACKNOWLEDGED}`)
  return counted(longestMs <= claim.atMostMs, `${who}${formatDuration(longestMs)}`)
}

function outageWindow(
  claim: Claim<'outage'>,
  writes: RunHistory['writes'],
  history: RunHistory,
): Window {
  const span = spanOf(claim, history)
  const firstMs = firstAcknowledged(writes) ?? 0
  return claim.after === undefined ? { ...span, fromMs: firstMs } : span
}

function judgeEvents(claim: Claim<'events'>, history: RunHistory): Verdict {
  const { fromMs, untilMs } = spanOf(claim, history)
  const { at } = claim.event
  const seen = momentsOf(claim.event, fromMs, history).filter(
    ({ atMs, who }) => atMs <= untilMs && (at === undefined || at.includes(who)),
  )
  return counted(isWithin(seen.length, claim), `${seen.length} seen`)
}

function isWithin(found: number, { atLeast, atMost }: Bounds): boolean {
  return found >= atLeast && (atMost === undefined || found <= atMost)
}

/**
 * The longest time within a window without an acknowledged write, its edges included. Undefined:
 * there was no acknowledged write at all.
 */
function longestOutageIn(writes: readonly Write[], window: Window): number | undefined {
  const moments = writes.flatMap(({ outcome }) =>
    outcome.kind === 'acknowledged' && isInWindow(outcome.atMs, window) ? [outcome.atMs] : [],
  )
  if (moments.length === 0) return undefined
  moments.sort((a, b) => a - b)
  let longestMs = 0
  let lastMs = window.fromMs
  for (const atMs of [...moments, window.untilMs]) {
    longestMs = Math.max(longestMs, atMs - lastMs)
    lastMs = atMs
  }
  return longestMs
}

/** When the first write was acknowledged: until then there was nothing that could fail. */
function firstAcknowledged(writes: readonly Write[]): number | undefined {
  let firstMs: number | undefined
  for (const { outcome } of writes) {
    if (outcome.kind !== 'acknowledged') continue
    if (firstMs === undefined || outcome.atMs < firstMs) firstMs = outcome.atMs
  }
  return firstMs
}

function isInWindow(atMs: number, { fromMs, untilMs }: Window): boolean {
  return atMs >= fromMs && atMs <= untilMs
}
