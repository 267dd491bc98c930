/**
 * [replication: strict] What operators are shown of the voters: who they are, which of them hold writes
 * back and for how long, and what the master would lose if one of them were made the master by force.
 * Everything is as the nodes told it in their last INFO; what an INFO changes is announced.
 */
import { hostAndPort } from '../../base/ip.ts'
import type { SyncReport } from '../discovery/info-parser.ts'
import { announce } from '../events.ts'
import { sameAddress } from '../names/names.ts'
import type { DataInstance, Group, State, Turn } from '../state.ts'
import { dataInstancesOf } from '../state.ts'
import {
  fencesNeeded,
  isInReach,
  isStrict,
  voterInstances,
  votersIn,
  writeQuorum,
} from './voters.ts'

export interface VoterStanding {
  /** As the configuration has it. */
  readonly address: string
  /**
   * `master`: it is the master of its term; `none`: it has no vote now; `lost`: it is not in reach; `other`: its
   * term has other voters or another write quorum, so that it refuses our fences.
   */
  readonly vote: 'master' | 'voter' | 'none' | 'lost' | 'other'
  /**
   * Bytes of acknowledged history that it had not acknowledged, as the master told; undefined: the
   * master knows nothing of it, or told nothing.
   */
  readonly lacksBytes: number | undefined
  /** It has more than enough voters have acknowledged: writes that wait do not wait for it. */
  readonly isAhead: boolean
}

export interface VoterReport {
  readonly voters: readonly VoterStanding[]
  /** How many voters must have a write, the master included; and how many a failover fences. */
  readonly writeQuorum: number
  readonly fencesNeeded: number
  /** For how long writes have waited without progress, as the master told. Milliseconds; 0: none waits. */
  readonly stalledMs: number
  /** What a node says of the present term, where that has other voters than ours, or another write quorum. */
  readonly other: SyncReport | undefined
}

/** Undefined: replication is asynchronous. */
export function voterReport(state: State, group: Group): VoterReport | undefined {
  if (!isStrict(group)) return undefined
  const known = dataInstancesOf(group)
  const acks = acknowledgements(group)
  const ours = { voters: voterNames(group), writeQuorum: writeQuorum(group.config) }
  return {
    voters: votersIn(group.config).map((voter) => {
      const address = hostAndPort(voter.host, voter.port)
      const node = known.find((one) => sameAddress(state, one, voter))
      const ack = acks.get(address)
      const hasMore = ack !== undefined && ack > (group.master.sync?.confirmedOffset ?? 0)
      const isAhead = hasMore || (node === group.master && node.sync?.state === 'master')
      return { address, vote: voteOf(node, ours), lacksBytes: lacks(group, node, ack), isAhead }
    }),
    other: known.find(({ sync }) => isOther(sync, ours))?.sync,
    writeQuorum: ours.writeQuorum,
    fencesNeeded: fencesNeeded(group.config),
    stalledMs: group.master.sync?.stalledMs ?? 0,
  }
}

function voterNames({ config }: Group): string {
  return sorted(votersIn(config).map(({ host, port }) => hostAndPort(host, port)))
}

function sorted(names: readonly string[]): string {
  return [...names].sort().join(' ')
}

/** As our file has them. */
interface OwnLayout {
  readonly voters: string
  readonly writeQuorum: number
}

/** Without a vote it may have been told by a leader that was never elected, and takes other voters. */
function isOther(sync: SyncReport | undefined, ours: OwnLayout): boolean {
  if (sync?.isVoter !== true) return false
  const hasOtherQuorum = sync.writeQuorum !== 0 && sync.writeQuorum !== ours.writeQuorum
  return hasOtherQuorum || hasOtherVoters(sync, ours.voters)
}

/** `ours`: sorted, with blanks between them. */
function hasOtherVoters({ voters }: SyncReport, ours: string): boolean {
  return voters !== '' && sorted(voters.split(' ')) !== ours
}

/** How many could be fenced now, and count. */
export function votesNow({ voters }: VoterReport): number {
  return voters.filter(({ vote }) => vote === 'master' || vote === 'voter').length
}

/**
 * Those that the master waits for. What is confirmed is no measure of it: voters that fell silent together have
 * acknowledged all of that, and nothing of what waits.
 */
export function holdingBack({ voters, stalledMs }: VoterReport): readonly string[] {
  if (stalledMs === 0) return []
  return voters.filter(({ isAhead }) => !isAhead).map(({ address }) => address)
}

/** Sentences for an operator; none if all is well. */
export function voterRemarks(report: VoterReport): readonly string[] {
  const { voters, stalledMs, other } = report
  if (voters.length === 0) return [NO_VOTERS]
  const stall = stalledMs < REMARKABLE_MS ? [] : [stallText(report)]
  if (other !== undefined) return [...stall, otherText(report, other)]
  const there = votesNow(report)
  const needed = Math.max(report.writeQuorum, report.fencesNeeded)
  const isShort = there < needed
  const absent = voters.filter(({ vote }) => vote === 'none' || vote === 'lost')
  const names = absent.map(({ address, vote }) => `${address} ${ABSENCE[vote] ?? ''}`).join(', ')
  return [
    ...stall,
    ...(absent.length === 0 ? [] : [`${there} of ${voters.length} voters have a vote: ${names}`]),
    ...(isShort
      ? [`no failover without loss: ${needed} votes are needed; ${forceText(report)}`]
      : []),
  ]
}

const NO_VOTERS =
  'replication is strict and no voters are named, so nothing fails over: name them with voters (docs/strict.md)'

/** Tells what the last INFO of a node has changed. `before`: what the one before it said. */
export function announceVoters(
  turn: Turn,
  node: DataInstance,
  before: SyncReport | undefined,
): void {
  const { group } = node
  if (!isStrict(group) || !voterInstances(turn.state, group).includes(node)) return
  const hasVote = node.sync?.isVoter === true
  if (hasVote !== (before?.isVoter === true)) announce(turn, hasVote ? '+voter' : '-voter', node)
  if (node.kind !== 'master' || isStalled(node.sync) === isStalled(before)) return
  if (!isStalled(node.sync)) return announce(turn, '-writes-stalled', node)
  const report = voterReport(turn.state, group)
  const voters = report === undefined ? '' : holdingBack(report).join(' ')
  announce(turn, '+writes-stalled', node, { voters })
}

function isStalled(sync: SyncReport | undefined): boolean {
  return (sync?.stalledMs ?? 0) >= REMARKABLE_MS
}

/** A shorter stall is the time of a round trip, or of a voter that is restarted. */
const REMARKABLE_MS = 1_000

const ABSENCE: Readonly<Partial<Record<VoterStanding['vote'], string>>> = {
  none: 'has none now',
  lost: 'is not in reach',
}

function otherText({ voters, writeQuorum }: VoterReport, other: SyncReport): string {
  const own = sorted(voters.map(({ address }) => address))
  const said = hasOtherVoters(other, own)
    ? `the voters of the present term are ${other.voters}: the nodes refuse every fence of a Sentinel whose file names others, so it can promote none`
    : `the write quorum of the present term is ${other.writeQuorum}, not ${writeQuorum}: the nodes refuse every fence of a Sentinel whose file has another, so it can promote none`
  return `${said}. Write these in its file, or change them as docs/strict.md says`
}

function stallText(report: VoterReport): string {
  const names = holdingBack(report).join(', ') || 'no voter in particular'
  return `writes have waited for ${Math.floor(report.stalledMs)} ms: ${names} did not acknowledge`
}

/** What an operator would give up who makes one of the others the master. */
function forceText({ voters }: VoterReport): string {
  const told = voters.filter(({ vote }) => vote !== 'master')
  const words = told.map(({ address, lacksBytes }) => {
    if (lacksBytes === undefined) return `${address}: unknown`
    return `${address}: ${lacksBytes === 0 ? 'nothing' : `${lacksBytes} bytes`}`
  })
  return `FENCE with FORCE would lose of what was acknowledged by the last INFO of the master: ${words.join(', ')}; docs/strict.md has the steps`
}

function voteOf(node: DataInstance | undefined, ours: OwnLayout): VoterStanding['vote'] {
  if (node === undefined || !isInReach(node)) return 'lost'
  if (isOther(node.sync, ours)) return 'other'
  if (node.sync?.state === 'master') return 'master'
  return node.sync?.isVoter === true ? 'voter' : 'none'
}

/** The master has everything that it has acknowledged. */
function lacks(
  { master }: Group,
  node: DataInstance | undefined,
  ack: number | undefined,
): number | undefined {
  if (master.sync?.state !== 'master') return undefined
  if (node === master) return 0
  return ack === undefined ? undefined : Math.max(0, master.sync.confirmedOffset - ack)
}

/** `sync_acknowledged`: `host:port=offset host:port=offset`. */
function acknowledgements({ master }: Group): ReadonlyMap<string, number> {
  const words = (master.sync?.acknowledged ?? '').split(' ')
  return new Map(
    words.flatMap((word) => {
      const [, address = '', offset = ''] = /^(.+)=(\d{1,15})$/.exec(word) ?? []
      return address === '' ? [] : [[address, Number(offset)] as const]
    }),
  )
}
