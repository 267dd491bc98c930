/**
 * Which replica becomes the master. First the ones that must not: those that are down, unreachable, barred by
 * priority 0, a rule or their zone, silent for too long, or cut off from the master long before it failed; and
 * the ones that may only if there is no other, having none of the data, or gaps in it, or having disobeyed before. Then
 * the order: the rule of the group, lower priority, more of the stream, smaller run id. The run id has no meaning but
 * must give the same result everywhere.
 *
 * Every replica that is passed over has its reason in words, which dry runs, logs and refusals show: they ask the
 * code that decides, so they cannot disagree with it.
 */

import { hostAndPort } from '../../base/ip.ts'
import { isBetterForWrites } from '../detection/write-faults.ts'
import { isNoHistory } from '../discovery/replication-id.ts'
import { shownHost } from '../names/names.ts'
import type { Group, Instance, Master, Replica, State, Turn } from '../state.ts'
import { commandLink, isSdown } from '../state.ts'
import { groupItBelongsTo } from './foreign.ts'
import { promotionRank, promotionRule, zoneOf } from './host-rules.ts'

export interface Candidate {
  readonly priority: number
  /** Bytes of the replication stream applied. */
  readonly offset: number
  readonly runId: string
}

/** Best first. A missing run id sorts last. */
export function comparePromotion(a: Candidate, b: Candidate): number {
  if (a.priority !== b.priority) return a.priority - b.priority
  if (a.offset !== b.offset) return b.offset - a.offset
  return compareRunIds(a.runId.toLowerCase(), b.runId.toLowerCase())
}

/** Best first, by the rules of the group and then as `comparePromotion` says. */
export function inPromotionOrder(state: State, replicas: readonly Replica[]): Replica[] {
  const ranked = replicas.map((replica) => ({ replica, rank: rankOf(state, replica) }))
  ranked.sort((a, b) => a.rank - b.rank || comparePromotion(a.replica, b.replica))
  return ranked.map(({ replica }) => replica)
}

function rankOf(state: State, replica: Replica): number {
  return promotionRank(promotionRule(state, replica.group.config.promotionRules, replica)?.[1])
}

/**
 * The replicas that may be promoted now, in no order. If the master lives and refuses writes, only
 * replicas that could take them qualify: an offset costs little then, and another node that refuses
 * them gains nothing. Once it is dead, what each has of its data counts, as ever.
 */
export function promotableReplicas(turn: Turn, group: Group): Replica[] {
  return sifted(turn, group).left
}

/** Why each of the other replicas may not be promoted now. */
export function reasonsAgainst(turn: Turn, group: Group): ReadonlyMap<Replica, string> {
  return sifted(turn, group).out
}

/**
 * Why a replica that an operator has named may not be promoted; undefined if it may. The operator may cross
 * zones, and try one again that has disobeyed before.
 */
export function reasonAgainstNamed(turn: Turn, replica: Replica): string | undefined {
  const reason = barOf(turn.state, replica, 'named') ?? inabilityOf(turn, replica)
  if (reason !== undefined) return reason
  const sieve = fitReplicas(turn, replica.group, 'named')
  withTheData(sieve)
  return sieve.out.get(replica)
}

/** The replicas that are left, and why the others are out. */
interface Sieve {
  left: Replica[]
  readonly out: Map<Replica, string>
}

/** Whose choice it is: the Sentinel's own, or that of an operator who names a replica. */
type Chooser = 'sentinel' | 'named'

function sifted(turn: Turn, group: Group): Sieve {
  const sieve = fitReplicas(turn, group, 'sentinel')
  withTheData(sieve)
  withoutGaps(sieve)
  obedient(sieve)
  if (!livesGray(turn, group)) return sieve
  const isBetter = ({ writes }: Replica) => isBetterForWrites(writes, group.master.writes)
  prefer(sieve, isBetter, 'it takes writes no better than the master')
  return sieve
}

/**
 * If the master has lost its data, replicas that have followed it since have lost them as well. The master
 * will not come back with more than the others have, so old data are better than none then.
 */
function fitReplicas(turn: Turn, group: Group, chooser: Chooser): Sieve {
  const sieve: Sieve = { left: [...group.replicas.values()], out: new Map() }
  exclude(sieve, (one) => barOf(turn.state, one, chooser) ?? inabilityOf(turn, one))
  if (group.master.emptiedAtMs === undefined) {
    exclude(sieve, (one) => (isTooOld(turn, one) ? tooOldText(one) : undefined))
    return sieve
  }
  exclude(sieve, ({ guard }) => (guard === undefined ? 'the master has emptied it' : undefined))
  prefer(sieve, (one) => !isTooOld(turn, one), 'its data are older than those of others')
  return sieve
}

/**
 * A node that was started as a master and has not followed any other since comes last, whatever its
 * priority.
 */
function withTheData(sieve: Sieve): void {
  const isBetter = ({ roleReported, replid2 }: Replica) => {
    return roleReported !== 'master' || !isNoHistory(replid2)
  }
  prefer(sieve, isBetter, 'it was started as a master of its own and has none of the data')
}

/** What a replica could not carry out is missing in its data, and its offset does not tell. */
function withoutGaps(sieve: Sieve): void {
  const reason = 'it could not carry out some commands of the stream'
  prefer(sieve, ({ unapplied }) => unapplied === 0, reason)
}

/**
 * A replica that does not obey (a wrong password, a missing right, a lie) would be chosen each time for its
 * offset, and no other would ever be promoted, as happens with Redis.
 */
function obedient(sieve: Sieve): void {
  prefer(sieve, ({ disobeyed }) => !disobeyed, 'it did not obey when it was told to be the master')
}

/** Keeps the matching replicas; if none match, keeps all. */
function prefer(sieve: Sieve, isBetter: (one: Replica) => boolean, reason: string): void {
  if (!sieve.left.some(isBetter)) return
  exclude(sieve, (one) => (isBetter(one) ? undefined : reason))
}

function exclude(sieve: Sieve, reasonOf: (one: Replica) => string | undefined): void {
  sieve.left = sieve.left.filter((one) => {
    const reason = reasonOf(one)
    if (reason !== undefined) sieve.out.set(one, reason)
    return reason === undefined
  })
}

/**
 * What forbids to promote the replica, whatever state it is in: its own priority, its group, a rule of ours, or that
 * it is in another zone than the master. Where one of the two has no zone, the master's counts: without it nothing
 * is known to be crossed.
 */
export function barOf(
  state: State,
  replica: Replica,
  chooser: Chooser = 'sentinel',
): string | undefined {
  if (replica.priority === 0) return 'its replica-priority is 0'
  const other = groupItBelongsTo(state, replica)
  if (other !== undefined) return `it is the master of ${other.config.name}`
  const { config, master } = replica.group
  const rule = promotionRule(state, config.promotionRules, replica)
  if (rule?.[1] === 'must-not') return `the rule ${rule[0]} says must-not`
  if (chooser === 'named' || config.zones.length === 0) return undefined
  if (config.crossZonePromotion === 'yes') return undefined
  const masters = zoneOf(state, config.zones, master)
  const own = zoneOf(state, config.zones, replica)
  if (masters === undefined || own === masters) return undefined
  return `it is in ${zoneText(own)}, the master in ${zoneText(masters)}`
}

export function zoneText(zone: string | undefined): string {
  return zone === undefined ? 'no zone' : `zone ${zone}`
}

/** The replica as an operator knows it. */
export function placeOf(state: State, { host, port }: Instance): string {
  return hostAndPort(shownHost(state, host), port)
}

/** `10.0.0.2:6379: it is down; 10.0.0.3:6379: …`. */
export function reasonsText(state: State, reasons: Iterable<readonly [Replica, string]>): string {
  return [...reasons].map(([one, reason]) => `${placeOf(state, one)}: ${reason}`).join('; ')
}

function livesGray({ now }: Turn, { master, config }: Group): boolean {
  if (master.gray === undefined || commandLink(master) === undefined) return false
  return now.monoMs - master.link.lastPongAtMs <= config.downAfterMs
}

/** What keeps the replica from being promoted at present. */
function inabilityOf(turn: Turn, replica: Replica): string | undefined {
  if (isSdown(replica)) return 'it is down'
  if (commandLink(replica) === undefined) return 'there is no connection to it'
  const { pingMs } = turn.state.config.periods
  const okAgeMs = turn.now.monoMs - replica.link.lastOkAtMs
  if (okAgeMs > 5 * pingMs) return `it has not answered for ${seconds(okAgeMs)}`
  if (replica.infoAtMs === undefined) return 'it has not told anything about itself yet (INFO)'
  if (isInformed(turn, replica, replica.infoAtMs)) return undefined
  return `its last INFO is ${seconds(turn.now.monoMs - replica.infoAtMs)} old`
}

function tooOldText({ masterLinkDownMs }: Replica): string {
  return `it lost the master ${seconds(masterLinkDownMs)} ago, too long before the master failed`
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`
}

/** It lost the master long before the master failed: acknowledged writes would be lost that others have. */
export function isTooOld(turn: Turn, replica: Replica): boolean {
  return replica.masterLinkDownMs > linkDownLimitMs(turn, replica)
}

function isInformed(turn: Turn, replica: Replica, infoAtMs: number): boolean {
  const { pingMs, infoMs } = turn.state.config.periods
  const limitMs = isSdown(replica.group.master) ? 5 * pingMs : 3 * infoMs
  return turn.now.monoMs - infoAtMs <= limitMs
}

/**
 * A replica that lost the master long before we did has data that is too old. When we have never seen
 * the master alive, having come up after its death, we cannot tell which replica lost it when: a
 * limit that counts from our own start would bar every replica for ever, as it does in Redis.
 */
function linkDownLimitMs(turn: Turn, replica: Replica): number {
  const { master, config } = replica.group
  if (!master.link.wasOk) return Number.POSITIVE_INFINITY
  return 10 * config.downAfterMs + (turn.now.monoMs - failedSinceMs(turn, master))
}

/**
 * Since when the master has been of no use. We may declare it down much later, after TILT, or after the
 * time that a master which calls itself a replica gets. A limit counted from there, as in Redis, would
 * hold that delay against every replica, and none would ever meet it. Nor has any replica followed the
 * master since it came back empty.
 */
function failedSinceMs(turn: Turn, master: Master): number {
  const nowMs = turn.now.monoMs
  const { group, link, sdownSinceMs } = master
  const silentSinceMs = link.lastOkAtMs + group.config.downAfterMs
  const demotedSinceMs = master.roleReported === 'slave' ? master.roleReportedAtMs : nowMs
  const uselessSinceMs = Math.min(sdownSinceMs ?? nowMs, master.emptiedAtMs ?? nowMs)
  return Math.min(nowMs, uselessSinceMs, silentSinceMs, demotedSinceMs)
}

function compareRunIds(a: string, b: string): number {
  if (a === b) return 0
  if (a === '') return 1
  if (b === '') return -1
  return a < b ? -1 : 1
}
