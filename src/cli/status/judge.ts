/**
 * Is this group well? All Sentinels that should be asked were asked; here their answers are compared.
 * `danger` is what an operator gets up for at night: no master, no agreement on which it is, or no
 * failover if it fails now. `trouble` can wait until the morning, but not longer.
 */
import { CLONE_CURE } from '../../core/discovery/clones.ts'
import { GROUP_OPTION_ROWS, isOwnOption } from '../../core/group-options.ts'
import { differences } from './differences.ts'
import { pauseWords } from './pause-words.ts'
import { silence } from './silence.ts'
import { strengthOf } from './strength.ts'
import {
  addressOf,
  flagsOf,
  type GroupView,
  hasEffect,
  type InstanceFields,
  isVedette,
  optionOf,
  type SentinelAnswer,
} from './view.ts'

export type Health = 'well' | 'trouble' | 'danger'

export interface StatusFinding {
  readonly health: Exclude<Health, 'well'>
  readonly text: string
}

export interface GroupReport {
  readonly name: string
  /** The Sentinels that watch this group, with what they say about it. */
  readonly says: readonly { readonly sentinel: SentinelAnswer; readonly group: GroupView }[]
  readonly findings: readonly StatusFinding[]
}

export interface StatusReport {
  readonly sentinels: readonly SentinelAnswer[]
  readonly groups: readonly GroupReport[]
  readonly health: Health
  /** The only group that was asked for; undefined: all were. */
  readonly only: string | undefined
}

/** `only`: the group to judge; undefined for all. What no Sentinel tells about counts as the worst. */
export function judge(
  sentinels: readonly SentinelAnswer[],
  only: string | undefined,
): StatusReport {
  const names = new Set(sentinels.flatMap(({ groups }) => groups.map(({ name }) => name)))
  const wanted = [...names].filter((name) => only === undefined || only === name)
  const groups = wanted.map((name) => judgeGroup(sentinels, name))
  const findings = groups.flatMap((group) => group.findings)
  const isUnseen = isSilent(sentinels) || (groups.length === 0 && only !== undefined)
  return { sentinels, groups, health: isUnseen ? 'danger' : worstOf(findings), only }
}

/** No Sentinel answers: no finding says so, because there is nothing to compare. */
export function isSilent(sentinels: readonly SentinelAnswer[]): boolean {
  return sentinels.every(({ failure }) => failure !== undefined)
}

/** Why there is nothing to show; undefined: there is something. */
export function nothingSeen({ sentinels, groups, only }: StatusReport): string | undefined {
  if (isSilent(sentinels)) return 'no Sentinel answers'
  if (groups.length > 0) return undefined
  const watched = new Set(sentinels.flatMap((one) => one.groups.map(({ name }) => name)))
  if (watched.size === 0 || only === undefined) return 'no group is watched'
  return `no Sentinel that answers watches '${only}'; they watch ${[...watched].join(', ')}`
}

export function worstOf(findings: readonly StatusFinding[]): Health {
  if (findings.some(({ health }) => health === 'danger')) return 'danger'
  return findings.length > 0 ? 'trouble' : 'well'
}

function judgeGroup(sentinels: readonly SentinelAnswer[], name: string): GroupReport {
  const says = sentinels.flatMap((sentinel) => {
    const group = sentinel.groups.find((one) => one.name === name)
    return group === undefined ? [] : [{ sentinel, group }]
  })
  const findings = [
    ...judgeMaster(says),
    ...judgePause(says),
    ...judgeQuorum(sentinels, says),
    ...judgeReplicas(says),
    ...judgeSentinels(sentinels, says),
    ...judgeClones(says),
    ...judgeRules(says),
    ...remarksOn(sentinels, name),
  ]
  return { name, says, findings }
}

type Says = GroupReport['says']

function judgeMaster(says: Says): StatusFinding[] {
  const views = says.map(({ group }) => group)
  const addresses = countBy(views, (view) => view.address)
  const epochs = new Set(views.map((view) => view.master['config-epoch']))
  const down = views.filter((view) => flagsOf(view.master).includes('s_down')).length
  const isOdown = views.some((view) => flagsOf(view.master).includes('o_down'))
  const busy = views.find((view) => view.master['failover-state'] !== undefined)
  const why = addresses.size === 1 ? because(says, [...addresses.keys()][0] ?? '') : ''
  // In a failover the old master may have followed already.
  const demoted = busy === undefined ? views.filter(({ master }) => isReplica(master)) : []
  return [
    ...when(addresses.size > 1, 'danger', `they name different masters: ${inWords(addresses)}`),
    ...when(
      addresses.size === 1 && epochs.size > 1,
      'trouble',
      `their config epochs differ: ${[...epochs].join(', ')}`,
    ),
    ...when(isOdown, 'danger', `the master is down, and the quorum agrees (o_down)${why}`),
    ...when(down > 0 && !isOdown, 'danger', `${down} of ${views.length} see the master down${why}`),
    ...when(
      demoted.length > 0,
      'danger',
      `the master says that it is a replica, so it refuses writes (heard by ${demoted.length} of ${views.length})`,
    ),
    ...when(
      busy !== undefined,
      'trouble',
      `a failover is in progress: ${busy?.master['failover-state']}`,
    ),
  ]
}

function isReplica(instance: InstanceFields): boolean {
  return instance['role-reported'] === 'slave'
}

/** A pause is a decision, and still nothing to forget: while it lasts no replica takes over. */
function judgePause(says: Says): StatusFinding[] {
  const holders = says.filter(({ group }) => group.master['pause-left-ms'] !== undefined)
  // The newest order counts; the others will hear of it.
  const number = ({ group }: Says[number]) => Number(group.master['pause-number'] ?? 0)
  const [newest] = [...holders].sort((a, b) => number(b) - number(a))
  const pause = newest && pauseWords(newest.group.master)
  if (newest === undefined || pause === undefined) return []
  const { who, left } = pause
  const held = `${holders.length} of ${says.length} Sentinels hold it`
  const text = `automatic failover is ${who} (${left} left; ${held}); \`vedette resume ${newest.group.name}\` ends it`
  return [{ health: 'trouble', text }]
}

function judgeQuorum(sentinels: readonly SentinelAnswer[], says: Says): StatusFinding[] {
  const lacking = says.filter(({ group }) => group.quorum.startsWith('NOQUORUM'))
  const strength = strengthOf(sentinels, says)
  const { answering, known } = strength
  const told = lacking.map(({ sentinel, group }) => ({
    health: 'danger' as const,
    text: `${sentinel.address} could not get a failover authorized: ${group.quorum}`,
  }))
  // A user may lack the right to ask: that says nothing about the group.
  const untold = says
    .filter(({ group }) => !/^(OK|NOQUORUM)/.test(group.quorum))
    .map(({ sentinel: { address }, group }) => ({
      health: 'trouble' as const,
      text: `${address} does not say whether a failover could be authorized: ${group.quorum}`,
    }))
  // They need `down-after` to see what a refused connection tells us at once.
  const unseen = `only ${answering} of ${known} Sentinels can be reached: no failover could be authorized now`
  return [
    ...told,
    ...untold,
    ...when(lacking.length === 0 && strength.isOutOfReach, 'danger', unseen),
  ]
}

function judgeReplicas(says: Says): StatusFinding[] {
  const known = byAddress(says.flatMap(({ group }) => group.replicas))
  if (known.size === 0)
    return [{ health: 'danger', text: 'no replica is known: nothing to promote' }]
  const findings = [...known].flatMap(([address, seen]) => judgeReplica(address, seen, says))
  const usable = [...known.values()].some((seen) => seen.every(isPromotable))
  const none = 'no replica could be promoted now'
  return usable ? findings : [...findings, { health: 'danger', text: none }]
}

function byAddress(all: readonly InstanceFields[]): ReadonlyMap<string, InstanceFields[]> {
  const known = new Map<string, InstanceFields[]>()
  for (const one of all) {
    const address = addressOf(one)
    known.set(address, [...(known.get(address) ?? []), one])
  }
  return known
}

function judgeReplica(
  address: string,
  seen: readonly InstanceFields[],
  says: Says,
): StatusFinding[] {
  const sentinels = says.length
  const down = seen.filter((one) => flagsOf(one).includes('s_down')).length
  const apart = seen.filter((one) => one['master-link-status'] === 'err').length
  const isMaster = seen.some((one) => one['role-reported'] === 'master')
  return [
    ...when(
      down > 0,
      'trouble',
      `replica ${address} is down for ${down} of ${seen.length}${because(says, address)}`,
    ),
    ...when(
      down === 0 && apart > 0 && !isMaster,
      'trouble',
      `replica ${address} has no link to the master`,
    ),
    ...when(isMaster, 'trouble', `replica ${address} says that it is a master`),
    ...when(
      seen.length < sentinels,
      'trouble',
      `replica ${address} is known to ${seen.length} of ${sentinels} Sentinels only`,
    ),
  ]
}

/** Why a node cannot be reached, in the words of the Sentinels that say so; empty: none does. */
function because(says: Says, address: string): string {
  const reasons = says.flatMap(({ sentinel, group }) => {
    const lost = sentinel.unreached.filter((one) => one.group === group.name)
    return lost.filter(({ instance }) => instance.endsWith(` ${address}`)).map(({ text }) => text)
  })
  const counts = countBy(reasons, (reason) => reason)
  if (counts.size < 2)
    return reasons
      .slice(0, 1)
      .map((reason) => `: ${reason}`)
      .join('')
  return `: ${inWords(counts)}`
}

function isPromotable(replica: InstanceFields): boolean {
  const flags = flagsOf(replica)
  return (
    !flags.includes('s_down') &&
    !flags.includes('disconnected') &&
    replica['slave-priority'] !== '0'
  )
}

function judgeSentinels(sentinels: readonly SentinelAnswer[], says: Says): StatusFinding[] {
  const silent = sentinels.filter(({ failure }) => failure !== undefined)
  const tilted = sentinels.filter(({ isTilted }) => isTilted)
  const numbers = new Set(says.map(({ group }) => group.peers.length + 1))
  const reachable = sentinels.length - silent.length
  return [
    ...silent.map(({ address, failure }) => ({
      health: 'trouble' as const,
      text: silence(`Sentinel ${address}`, failure),
    })),
    ...judgePeers(new Set(silent.map(({ address }) => address)), says),
    ...tilted.map(({ address }) => ({
      health: 'trouble' as const,
      text: `Sentinel ${address} is in TILT and does not act: its clock jumped, or it was stalled`,
    })),
    ...when(
      numbers.size > 1,
      'trouble',
      `they know ${[...numbers].sort().join(' or ')} Sentinels: one of them has not met all the others`,
    ),
    ...when(
      says.length < reachable,
      'trouble',
      `only ${says.length} of ${reachable} Sentinels watch this group`,
    ),
  ]
}

/** Sentinels that answer us, and not the others, which need their votes. */
function judgePeers(silent: ReadonlySet<string>, says: Says): StatusFinding[] {
  const known = byAddress(says.flatMap(({ group }) => group.peers))
  return [...known].flatMap(([address, seen]) => {
    const down = seen.filter((one) => flagsOf(one).includes('s_down')).length
    if (down === 0 || silent.has(address)) return []
    const count = `Sentinel ${address} is down for ${down} of ${seen.length} others`
    return [{ health: 'trouble' as const, text: `${count}${because(says, address)}` }]
  })
}

/** Two processes with one id: the others take them for one, and both can be elected with its votes. */
function judgeClones(says: Says): StatusFinding[] {
  const ids = new Set(says.map(({ sentinel }) => sentinel.myid))
  return [...ids].flatMap((id) => {
    const same = says.filter(({ sentinel }) => sentinel.myid === id)
    const where = same.map(({ sentinel }) => sentinel.address).join(' and ')
    const text = `Sentinels ${where} have one id (${id.slice(0, 8)}), and both could be elected; ${CLONE_CURE}`
    return when(id !== '' && same.length > 1, 'trouble', text)
  })
}

/**
 * Settings that all of them should share; where they differ, the outcome depends on which of them leads. A C
 * Sentinel does not disagree about what it does not know.
 */
function judgeRules(says: Says): StatusFinding[] {
  return SHARED_OPTIONS.flatMap(([, row]) => {
    const asked = isOwnOption(row) ? says.filter(({ sentinel }) => isVedette(sentinel)) : says
    const using = asked.filter(({ group }) => hasEffect(group.master, row))
    const words = differences(
      using.map(({ sentinel, group }) => [sentinel.address, optionOf(group.master, row)]),
    )
    return when(words !== undefined, 'trouble', `${row.name} differs: ${words}`)
  })
}

const SHARED_OPTIONS = GROUP_OPTION_ROWS.filter(
  ([, { shown, kind }]) => shown !== 'no' && kind !== 'script' && kind !== 'hook',
)

function remarksOn(sentinels: readonly SentinelAnswer[], name: string): StatusFinding[] {
  return sentinels.flatMap(({ address, remarks }) =>
    remarks
      .filter(({ group }) => group === name)
      .map(({ text }) => ({ health: 'trouble' as const, text: `Sentinel ${address}: ${text}` })),
  )
}

function when(holds: boolean, health: StatusFinding['health'], text: string): StatusFinding[] {
  return holds ? [{ health, text }] : []
}

function countBy<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1)
  return counts
}

/** `10.0.0.1:6379 (2), 10.0.0.2:6379 (1)`. */
function inWords(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([value, count]) => `${value} (${count})`).join(', ')
}
