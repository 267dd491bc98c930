/**
 * Is this group well? All Sentinels that should be asked were asked; here their answers are held against
 * each other. `danger` is what an operator gets up for at night: no master, no agreement on who it is, or
 * no failover if it fails now. `trouble` can wait until the morning, but not longer.
 */
import {
  addressOf,
  detectionOf,
  type Fields,
  flagsOf,
  type GroupView,
  type SentinelView,
} from './view.ts'

export type Health = 'well' | 'trouble' | 'danger'

export interface Finding {
  readonly health: Exclude<Health, 'well'>
  readonly text: string
}

export interface GroupReport {
  readonly name: string
  /** The Sentinels that watch this group, with what they say of it. */
  readonly says: readonly { readonly sentinel: SentinelView; readonly group: GroupView }[]
  readonly findings: readonly Finding[]
}

export interface Report {
  readonly sentinels: readonly SentinelView[]
  readonly groups: readonly GroupReport[]
  readonly health: Health
}

/** `only`: the groups asked for; undefined: all. */
export function judge(sentinels: readonly SentinelView[], only: string | undefined): Report {
  const names = new Set(sentinels.flatMap(({ groups }) => groups.map(({ name }) => name)))
  const wanted = [...names].filter((name) => only === undefined || only === name)
  const groups = wanted.map((name) => judgeGroup(sentinels, name))
  const findings = groups.flatMap((group) => group.findings)
  return { sentinels, groups, health: worstOf(findings) }
}

export function worstOf(findings: readonly Finding[]): Health {
  if (findings.some(({ health }) => health === 'danger')) return 'danger'
  return findings.length > 0 ? 'trouble' : 'well'
}

function judgeGroup(sentinels: readonly SentinelView[], name: string): GroupReport {
  const says = sentinels.flatMap((sentinel) => {
    const group = sentinel.groups.find((one) => one.name === name)
    return group === undefined ? [] : [{ sentinel, group }]
  })
  const views = says.map(({ group }) => group)
  const findings = [
    ...judgeMaster(views),
    ...judgeQuorum(says),
    ...judgeReplicas(views),
    ...judgeSentinels(sentinels, says),
    ...judgeRules(views),
    ...judgeDetection(says),
    ...remarksOn(sentinels, name),
  ]
  return { name, says, findings }
}

type Says = GroupReport['says']

function judgeMaster(views: readonly GroupView[]): Finding[] {
  const addresses = countBy(views, (view) => view.address)
  const epochs = new Set(views.map((view) => view.master['config-epoch']))
  const down = views.filter((view) => flagsOf(view.master).includes('s_down')).length
  const isOdown = views.some((view) => flagsOf(view.master).includes('o_down'))
  const busy = views.find((view) => view.master['failover-state'] !== undefined)
  return [
    ...when(addresses.size > 1, 'danger', `they name different masters: ${inWords(addresses)}`),
    ...when(
      addresses.size === 1 && epochs.size > 1,
      'trouble',
      `their config epochs differ: ${[...epochs].join(', ')}`,
    ),
    ...when(isOdown, 'danger', 'the master is down, and the quorum agrees (o_down)'),
    ...when(down > 0 && !isOdown, 'danger', `${down} of ${views.length} see the master down`),
    ...when(
      busy !== undefined,
      'trouble',
      `a failover is in progress: ${busy?.master['failover-state']}`,
    ),
  ]
}

function judgeQuorum(says: Says): Finding[] {
  const lacking = says.filter(({ group }) => !group.quorum.startsWith('OK'))
  return lacking.map(({ sentinel, group }) => ({
    health: 'danger' as const,
    text: `${sentinel.address} could not get a failover authorized: ${group.quorum}`,
  }))
}

function judgeReplicas(views: readonly GroupView[]): Finding[] {
  const known = new Map<string, Fields[]>()
  for (const replica of views.flatMap((view) => view.replicas)) {
    const address = addressOf(replica)
    known.set(address, [...(known.get(address) ?? []), replica])
  }
  if (known.size === 0)
    return [{ health: 'danger', text: 'no replica is known: nothing to promote' }]
  const findings = [...known].flatMap(([address, seen]) =>
    judgeReplica(address, seen, views.length),
  )
  const usable = [...known.values()].some((seen) => seen.every(isPromotable))
  const none = 'no replica could be promoted now'
  return usable ? findings : [...findings, { health: 'danger', text: none }]
}

function judgeReplica(address: string, seen: readonly Fields[], sentinels: number): Finding[] {
  const down = seen.filter((one) => flagsOf(one).includes('s_down')).length
  const apart = seen.filter((one) => one['master-link-status'] === 'err').length
  const isMaster = seen.some((one) => one['role-reported'] === 'master')
  return [
    ...when(down > 0, 'trouble', `replica ${address} is down for ${down} of ${seen.length}`),
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

function isPromotable(replica: Fields): boolean {
  const flags = flagsOf(replica)
  return (
    !flags.includes('s_down') &&
    !flags.includes('disconnected') &&
    replica['slave-priority'] !== '0'
  )
}

function judgeSentinels(sentinels: readonly SentinelView[], says: Says): Finding[] {
  const silent = sentinels.filter(({ failure }) => failure !== undefined)
  const tilted = sentinels.filter(({ isTilted }) => isTilted)
  const numbers = new Set(says.map(({ group }) => group.peers.length + 1))
  const reachable = sentinels.length - silent.length
  return [
    ...silent.map(({ address, failure }) => ({
      health: 'trouble' as const,
      text: `Sentinel ${address} does not answer: ${failure}`,
    })),
    ...tilted.map(({ address }) => ({
      health: 'trouble' as const,
      text: `Sentinel ${address} is in TILT and does not act: its clock jumped or it was stalled`,
    })),
    ...when(
      numbers.size > 1,
      'trouble',
      `they count ${[...numbers].sort().join(' or ')} Sentinels: one has not met all the others`,
    ),
    ...when(
      says.length < reachable,
      'trouble',
      `only ${says.length} of ${reachable} Sentinels watch this group`,
    ),
  ]
}

/** Settings that all of them should share; where they differ, the outcome depends on who leads. */
const RULES = ['quorum', 'down-after-milliseconds', 'failover-timeout', 'parallel-syncs'] as const

function judgeRules(views: readonly GroupView[]): Finding[] {
  return RULES.flatMap((rule) => {
    return differs(
      rule,
      countBy(views, (view) => view.master[rule] ?? '?'),
    )
  })
}

/** Only Vedette Sentinels have a choice; a C Sentinel among them is no disagreement. */
function judgeDetection(says: Says): Finding[] {
  const own = says.filter(({ sentinel }) => sentinel.program === 'vedette')
  const views = own.map(({ group }) => detectionOf(group.master))
  const byEvidence = views.filter(({ detection }) => detection === 'evidence')
  return [
    ...differs(
      'detection',
      countBy(views, ({ detection }) => detection),
    ),
    ...differs(
      'refused-after',
      countBy(byEvidence, ({ refusedAfterMs }) => `${refusedAfterMs}`),
    ),
    ...differs(
      'gray-after',
      countBy(views, ({ grayAfterMs }) => `${grayAfterMs}`),
    ),
  ]
}

function differs(rule: string, values: ReadonlyMap<string, number>): Finding[] {
  return when(values.size > 1, 'trouble', `${rule} differs: ${inWords(values)}`)
}

function remarksOn(sentinels: readonly SentinelView[], name: string): Finding[] {
  return sentinels.flatMap(({ address, remarks }) =>
    remarks
      .filter(({ group }) => group === name)
      .map(({ text }) => ({ health: 'trouble' as const, text: `Sentinel ${address}: ${text}` })),
  )
}

function when(holds: boolean, health: Finding['health'], text: string): Finding[] {
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
