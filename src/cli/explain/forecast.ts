/**
 * What an accident would do to a group: which Sentinels would notice and when, whether they could agree and elect a
 * leader, which replica the leader would promote and why no other, how long it would take, and what would be lost.
 * The Sentinels themselves say which replica they would promote (a dry run); the rest follows from the rules that
 * all of them follow: the quorum must see the master down, and a leader needs the majority.
 */
import { DEFAULT_PERIODS } from '../../core/config.ts'
import { masterPingMs } from '../../core/detection/ping.ts'
import { majority } from '../../core/election/quorum.ts'
import { GROUP_OPTIONS } from '../../core/group-options.ts'
import { NO_VOTE } from '../../core/report/remarks.ts'
import { type Accident, isCut, isLost, refuses } from './accident.ts'
import {
  type GroupLayout,
  type LayoutMember,
  type LayoutSentinel,
  memberAt,
  type SentinelSays,
} from './layout.ts'
import { expectedLoss, type Loss, type TimeSpan } from './loss.ts'
import { choose, type PassedOver } from './succession.ts'

export interface Forecast {
  readonly accident: string
  /** `keeps`: the master stays; `switches`: another master; `stuck`: no master until an operator helps. */
  readonly outcome: 'keeps' | 'switches' | 'stuck'
  /** One sentence. */
  readonly text: string
  readonly sentinels: readonly SentinelForecast[]
  /** How many would see the master down, and how many must. */
  readonly agree: HeadCount
  /** How many votes a leader could get, and how many it takes. */
  readonly elect: HeadCount
  /** The Sentinel that would stand first; null: none, or chance decides. */
  readonly leader: string | null
  /** `host:port`. */
  readonly promoted: string | null
  readonly others: readonly PassedOver[]
  /** From the accident to the new master; null: there would be none. */
  readonly takesMs: TimeSpan | null
  readonly loss: Loss | null
  /** The master that is left would refuse writes: fewer replicas than `min-replicas-to-write`. */
  readonly refusesWrites: boolean
  /** Why nothing would be done. */
  readonly obstacles: readonly string[]
  /** What could change the outcome, or is wrong afterwards. */
  readonly cautions: readonly string[]
}

export interface HeadCount {
  readonly count: number
  readonly needed: number
}

/** What one Sentinel would see. */
export interface SentinelForecast {
  readonly sentinel: string
  readonly fate: 'notices' | 'sees-no-change' | 'lost' | 'down' | 'tilted' | 'elsewhere'
  /** After the accident; null unless it notices. */
  readonly noticesMs: TimeSpan | null
  readonly by: 'silence' | 'refusal' | 'already' | null
}

/** The Sentinels that one of them can work with. */
interface Camp {
  readonly leader: LayoutSentinel
  readonly members: readonly LayoutSentinel[]
  readonly agree: HeadCount
  readonly elect: HeadCount
}

/**
 * From `+sdown` on the last of the quorum to a master that takes writes (docs/benchmarks.md): Vedette's own
 * failovers take some ten round trips, those of redis-sentinel wait for its ticks.
 */
const FAILOVER_MS: Readonly<Record<'vedette' | 'redis', TimeSpan>> = {
  vedette: { from: 20, to: 150 },
  redis: { from: 250, to: 2_500 },
}
/** An attempt to connect that is refused, and the answers of peers and replicas. */
const REFUSAL_MS = 100

export function forecast(layout: GroupLayout, accident: Accident): Forecast {
  const { master, sentinels } = layout
  const watchers = sentinels.map((one) => watch(layout, accident, one))
  const alive = sentinels.filter((one) => !one.isDown && !isLost(accident, one))
  const seeing = new Set(watchers.filter(({ noticesMs }) => noticesMs !== null).map(nameOf))
  const camp = strongestCamp(alive, accident, seeing)
  const isGone = isLost(accident, master) || master.isDown
  const agree = camp?.agree ?? { count: 0, needed: quorumOf(sentinels) }
  const elect = camp?.elect ?? { count: 0, needed: majority(sentinels.length) }
  const base = { accident: accident.text, sentinels: watchers, agree, elect }
  if (!isGone && agree.count < agree.needed) return keeps(layout, accident, { base, seeing })
  const { promoted, others } = choose(layout, accident, camp?.leader)
  const obstacles = obstaclesTo(layout, {
    ...{ accident, camp, agree, elect, hasHeir: promoted !== undefined },
  })
  if (obstacles.length > 0 || camp === undefined || promoted === undefined) {
    const text = `No failover: ${obstacles.join('; ')}. ${isGone ? 'The group would have no master.' : `${master.address} would remain the master, but only a part of the group would reach it.`}`
    return { ...base, ...NOTHING, outcome: 'stuck', text, obstacles, others, cautions: [] }
  }
  const takesMs = durationOf(camp, watchers)
  const fence = fenceOf(layout, accident, promoted.address)
  const leader = alive.every(({ says }) => says?.isVedette === true) ? camp.leader.address : null
  const loss = expectedLoss(layout, accident, { promoted, takesMs })
  return {
    ...{ ...base, outcome: 'switches', leader, promoted: promoted.address, others, takesMs, loss },
    text: `${promoted.address} would become the master.`,
    obstacles: [],
    cautions: [...cautionsOf(layout, camp), ...fence],
    refusesWrites: fence.length > 0,
  }
}

const NOTHING = {
  leader: null,
  promoted: null,
  takesMs: null,
  loss: null,
  refusesWrites: false,
} as const

interface Kept {
  readonly base: Pick<Forecast, 'accident' | 'sentinels' | 'agree' | 'elect'>
  readonly seeing: ReadonlySet<string>
}

function keeps(layout: GroupLayout, accident: Accident, { base, seeing }: Kept): Forecast {
  const { master } = layout
  const fence = fenceOf(layout, accident, master.address)
  const few = `only ${base.agree.count} of the ${base.agree.needed} Sentinels that the quorum needs would see it down`
  const isAlone = replicasLeft(layout, accident, master.address) === 0
  return {
    ...{ ...base, ...NOTHING, outcome: 'keeps', others: [], obstacles: [] },
    text: `${master.address} would remain the master${seeing.size > 0 ? `: ${few}` : ''}.`,
    cautions: [...fence, ...(isAlone ? ['no replica would be left to take over from it'] : [])],
    refusesWrites: fence.length > 0,
  }
}

function nameOf({ sentinel }: SentinelForecast): string {
  return sentinel
}

function watch(layout: GroupLayout, accident: Accident, one: LayoutSentinel): SentinelForecast {
  const { master } = layout
  const quiet = { sentinel: one.address, noticesMs: null, by: null } as const
  if (isLost(accident, one)) return { ...quiet, fate: 'lost' }
  if (one.isDown) return { ...quiet, fate: 'down' }
  if (one.says?.isTilted === true) return { ...quiet, fate: 'tilted' }
  if (one.says?.isElsewhere === true) return { ...quiet, fate: 'elsewhere' }
  const seesIt = one.says?.seesDown.has(master.address) ?? master.isDown
  if (seesIt) return notices(one, 'already', { from: 0, to: 0 })
  if (!isLost(accident, master) && !isCut(accident, one, master)) {
    return { ...quiet, fate: 'sees-no-change' }
  }
  const says = one.says ?? typical(layout.sentinels)
  if (says === undefined) return notices(one, 'silence', { from: 0, to: 0 })
  const { downAfterMs, refusedAfterMs } = says
  if (isProven(layout, accident, says)) {
    return notices(one, 'refusal', { from: refusedAfterMs, to: refusedAfterMs + REFUSAL_MS })
  }
  return notices(one, 'silence', { from: downAfterMs, to: downAfterMs + pingMs(says) })
}

function notices(
  one: LayoutSentinel,
  by: SentinelForecast['by'],
  noticesMs: TimeSpan,
): SentinelForecast {
  return { sentinel: one.address, fate: 'notices', noticesMs, by }
}

/** The first PING that stays unanswered is sent at most one interval after the accident. */
function pingMs({ isVedette, downAfterMs, groups }: SentinelSays): number {
  if (!isVedette) return Math.min(downAfterMs, DEFAULT_PERIODS.pingMs)
  return masterPingMs(downAfterMs, groups, DEFAULT_PERIODS.pingMs)
}

/** Refused connections count where the quorum says so, and a replica that is left has lost the master too. */
function isProven(layout: GroupLayout, accident: Accident, says: SentinelSays): boolean {
  const { sentinels, replicas, master } = layout
  if (!refuses(accident, master) || says.refusedAfterMs === 0) return false
  if (says.refusedAfterMs > says.downAfterMs) return false
  const others = sentinels.filter((one) => one.says?.isVedette === true && !isLost(accident, one))
  const witnesses = replicas.filter((one) => !one.isDown && one.isLinked && !isLost(accident, one))
  return others.length >= says.quorum && witnesses.length > 0
}

function typical(sentinels: readonly LayoutSentinel[]): SentinelSays | undefined {
  return sentinels.find(({ says }) => says !== undefined)?.says
}

function quorumOf(sentinels: readonly LayoutSentinel[]): number {
  return typical(sentinels)?.quorum ?? 1
}

/** Among the Sentinels that would stand, the one that gets furthest; among equals, the smallest run id stands first. */
function strongestCamp(
  alive: readonly LayoutSentinel[],
  accident: Accident,
  seeing: ReadonlySet<string>,
): Camp | undefined {
  const camps = alive
    .filter(({ address }) => seeing.has(address))
    .map((leader) => campOf(leader, alive, { accident, seeing }))
  const strength = ({ agree, elect }: Camp) =>
    Number(agree.count >= agree.needed) + 2 * Number(elect.count >= elect.needed)
  const isAsked = ({ leader }: Camp) => Number(leader.says !== undefined)
  return camps.sort(
    (a, b) =>
      strength(b) - strength(a) ||
      b.elect.count - a.elect.count ||
      b.members.length - a.members.length ||
      isAsked(b) - isAsked(a) ||
      (a.leader.id < b.leader.id ? -1 : 1),
  )[0]
}

interface Sight {
  readonly accident: Accident
  readonly seeing: ReadonlySet<string>
}

function campOf(
  leader: LayoutSentinel,
  alive: readonly LayoutSentinel[],
  { accident, seeing }: Sight,
): Camp {
  const says = leader.says ?? typical(alive)
  const members = alive.filter((one) => one === leader || !isCut(accident, leader, one))
  const quorum = says?.quorum ?? 1
  const known = Math.max(says?.known ?? 0, members.length)
  const agreeing = members.filter(({ address }) => seeing.has(address)).length
  const voting = says?.abstains === true ? [] : members.filter((one) => !abstains(one))
  return {
    leader,
    members,
    agree: { count: agreeing, needed: quorum },
    elect: { count: voting.length, needed: Math.max(quorum, majority(known)) },
  }
}

function abstains({ says }: LayoutSentinel): boolean {
  return says?.abstains === true
}

interface Prospects {
  readonly accident: Accident
  readonly camp: Camp | undefined
  readonly agree: HeadCount
  readonly elect: HeadCount
  readonly hasHeir: boolean
}

function obstaclesTo(layout: GroupLayout, prospects: Prospects): string[] {
  const { accident, camp, agree, elect, hasHeir } = prospects
  const lacks: string[] = []
  if (camp === undefined) lacks.push('no Sentinel would be left that notices')
  else if (agree.count < agree.needed)
    lacks.push(`${sentinelsIn(agree.count)} would see it down, and the quorum is ${agree.needed}`)
  if (camp !== undefined && elect.count < elect.needed)
    lacks.push(
      `${sentinelsIn(elect.count)} could vote, and a leader needs ${votesText(elect.needed, camp.leader.says?.known ?? layout.sentinels.length)}`,
    )
  lacks.push(...abstentions(camp, elect))
  if (camp !== undefined) lacks.push(...fencesLacking(layout, accident, camp.leader))
  if (layout.pause !== undefined) lacks.push(`failovers are ${layout.pause}`)
  if (layout.replicas.length === 0) lacks.push('the Sentinels know no replica')
  else if (!hasHeir && camp !== undefined)
    lacks.push('none of the remaining replicas may be promoted')
  return lacks
}

/** Why the votes are missing, where those that are there may not vote. */
function abstentions(camp: Camp | undefined, { count, needed }: HeadCount): readonly string[] {
  if (camp === undefined || count >= needed) return []
  const remarks = camp.members.flatMap(({ says }) => says?.remarks ?? [])
  return remarks.filter((text) => text.includes(NO_VOTE))
}

/** A quorum may be larger than the group. */
export function votesText(needed: number, known: number): string {
  return needed > known
    ? `${needed} votes, more than there are Sentinels (${known})`
    : `${needed} of ${known}`
}

function sentinelsIn(count: number): string {
  return count === 1 ? 'one Sentinel' : `${count} Sentinels`
}

/** The quorum is complete when the last Sentinel it takes has noticed. */
function durationOf(camp: Camp, watchers: readonly SentinelForecast[]): TimeSpan {
  const names = new Set(camp.members.map(({ address }) => address))
  const spans = watchers
    .filter(({ sentinel }) => names.has(sentinel))
    .flatMap(({ noticesMs }) => (noticesMs === null ? [] : [noticesMs]))
  const quorumAt = (edge: keyof TimeSpan) =>
    spans.map((span) => span[edge]).sort((a, b) => a - b)[camp.agree.needed - 1] ?? 0
  const isOurs = camp.members.every(({ says }) => says?.isVedette === true)
  const { from, to } = FAILOVER_MS[isOurs ? 'vedette' : 'redis']
  return { from: quorumAt('from') + from, to: quorumAt('to') + to }
}

function cautionsOf(layout: GroupLayout, camp: Camp): string[] {
  const hooks = layout.sentinels.filter(({ says }) => says?.hasHook === true)
  const counts = new Set(layout.sentinels.flatMap(({ says }) => (says ? [says.known] : [])))
  return [
    ...(hooks.length > 0
      ? [`the ${GROUP_OPTIONS.preFailoverHook.name} runs first and may refuse`]
      : []),
    ...(layout.isDisputed ? ['the Sentinels name different masters: see `vedette status`'] : []),
    ...(layout.isBusy ? ['a failover is running now'] : []),
    ...(counts.size > 1
      ? [
          `the Sentinels do not agree how many of them there are: ${[...counts].sort().join(' or ')}`,
        ]
      : []),
    ...(camp.leader.says?.remarks ?? []),
  ]
}

function replicasLeft(layout: GroupLayout, accident: Accident, masterAddress: string): number {
  const nodes = [layout.master, ...layout.replicas]
  const master = nodes.find(({ address }) => address === masterAddress)
  return nodes.filter(
    (one) =>
      one !== master &&
      !one.isDown &&
      // The old master of a switch comes back as a replica later, if at all.
      one !== layout.master &&
      !isLost(accident, one) &&
      master !== undefined &&
      !isCut(accident, one, master),
  ).length
}

/** [replication: strict] Voters that this member could still reach. */
function votersLeft({ votes }: GroupLayout, accident: Accident, from: LayoutMember): number {
  const there = (votes?.voters ?? []).filter(
    (one) =>
      !isLost(accident, one) && (one.address === from.address || !isCut(accident, from, one)),
  )
  return there.length
}

/** [replication: strict] No replica is promoted before so many voters are fenced. */
function fencesLacking(layout: GroupLayout, accident: Accident, leader: LayoutMember): string[] {
  const { votes } = layout
  const left = votersLeft(layout, accident, leader)
  if (votes?.isRefused) return [REFUSED]
  if (votes === undefined || left >= votes.fencesNeeded) return []
  return [`${votersIn(left)} could be fenced, and a failover needs ${votes.fencesNeeded}`]
}

const REFUSED =
  'the nodes have other voters than the Sentinels, or another write quorum, and refuse every fence (vedette status says which)'

function votersIn(count: number): string {
  return count === 0 ? 'no voter' : count === 1 ? 'one voter' : `${count} voters`
}

/** Why the master at this address would refuse writes; empty if it would not, or if its settings are unknown. */
function fenceOf(layout: GroupLayout, accident: Accident, address: string): string[] {
  const { votes } = layout
  const voters = votersLeft(layout, accident, memberAt(address))
  if (votes !== undefined && voters < votes.writeQuorum) {
    const takes = `each write takes ${votes.writeQuorum}`
    return [`${address} would refuse writes: ${votersIn(voters)} would be left, and ${takes}`]
  }
  const wanted = layout.facts.get(address)?.minReplicasToWrite ?? 0
  const left = replicasLeft(layout, accident, address)
  if (wanted <= left) return []
  const replicas = left === 0 ? 'no replica' : left === 1 ? 'one replica' : `${left} replicas`
  return [
    `${address} would refuse writes: min-replicas-to-write is ${wanted}, and ${replicas} would be left`,
  ]
}
