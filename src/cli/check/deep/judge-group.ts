/** The data nodes of one group: each by itself, and held against each other. */
import { countOf } from '../../../base/count-of.ts'
import type { GroupConfig } from '../../../core/config.ts'
import { GROUP_OPTIONS } from '../../../core/group-options.ts'
import { isOurs, programIn } from '../../status/info.ts'
import { isReached, type SeenNode } from './facts.ts'
import { type DeepFinding, type FindingWords, speakOf } from './finding.ts'
import { judgeProgram } from './judge-program.ts'
import { judgeVoters, type VotingGroup } from './judge-voters.ts'

export interface GroupScene {
  readonly group: Pick<GroupConfig, 'name' | 'downAfterMs' | 'failoverTimeoutMs' | 'authUser'> &
    VotingGroup
  readonly nodes: readonly SeenNode[]
  readonly nowMs: number
}

export function judgeGroup(scene: GroupScene): readonly DeepFinding[] {
  const { group, nodes } = scene
  const reached = nodes.filter(isReached)
  return [
    ...nodes.flatMap((node) => judgeNode(node, scene)),
    ...judgeRoles(scene, reached),
    ...judgePromotable(scene, reached),
    ...judgeTwins(scene, reached),
    ...judgeDifferences(scene, reached),
    ...judgeVersions(scene, reached),
    ...(group.replication === 'strict' ? judgeVoters(group, reached) : []),
    ...judgeWriteGuard(scene, reached),
    ...judgeSettingsSeen(scene, reached),
  ]
}

export function areaOf({ name }: Pick<GroupConfig, 'name'>): string {
  return `group ${name}`
}

function judgeNode(node: SeenNode, scene: GroupScene): readonly DeepFinding[] {
  const { group, nowMs } = scene
  const area = areaOf(group)
  const where = `${node.address}${roleOf(node) === undefined ? '' : `, ${roleOf(node)}`}`
  const { authUser, authPass } = GROUP_OPTIONS
  const option = group.authUser === '' ? authPass.name : `${authUser.name} and ${authPass.name}`
  const source = `${option} of group ${group.name}`
  const found = judgeProgram(node, { area, where, source, user: node.user, nowMs })
  if (!isReached(node)) return [...found, ...judgeNamedBy(node, area, where)]
  const speak = speakOf(area, where)
  if (node.info.get('redis_mode') === 'sentinel') {
    const hint = 'give the port of the data node, mostly 6379'
    return [...found, speak.problem('this is a Sentinel, not a data node', hint)]
  }
  return [
    ...found,
    ...judgeLink(node, area, where),
    ...judgeMissed(node, area, where),
    ...judgeOwnSettings(node, scene, where),
  ]
}

/** A Vedette node counts what it could not apply, mostly commands of a master that is newer or has modules. */
function judgeMissed({ info }: SeenNode, area: string, where: string): readonly DeepFinding[] {
  const count = Number(info.get('vedette_unapplied_commands') ?? 0)
  if (count === 0) return []
  const message = `${countOf(count, 'command')} of its master's stream could not be carried out there: its data is another`
  const hint =
    'its log names them; Sentinels of ours promote it last; a full copy makes up for it, if its master does not go on sending them'
  return [speakOf(area, where).problem(message, hint)]
}

/** This address was not configured: the master, or a Sentinel, learnt it from the node. */
function judgeNamedBy(node: SeenNode, area: string, where: string): readonly DeepFinding[] {
  if (!/^ECONN|^ETIMEDOUT|^EHOST|^ENET|^no answer/.test(node.failure ?? '')) return []
  if (!node.namedBy.startsWith('its master')) return []
  const hint =
    'if the address is wrong (a container, NAT), set replica-announce-ip and replica-announce-port there'
  return [speakOf(area, where).warning(`only ${node.namedBy} names this address`, hint)]
}

function judgeLink(node: SeenNode, area: string, where: string): readonly DeepFinding[] {
  const speak = speakOf(area, where)
  if (roleOf(node) !== 'replica' || node.info.get('master_link_status') === 'up') return []
  const from = `${node.info.get('master_host')}:${node.info.get('master_port')}`
  const since = node.info.get('master_link_down_since_seconds') ?? '?'
  const hint = 'see its log; masteruser and masterauth there must be right for the master'
  return [speak.problem(`it does not replicate: no link to ${from} for ${since} s`, hint)]
}

function judgeOwnSettings(
  node: SeenNode,
  { group }: GroupScene,
  where: string,
): readonly DeepFinding[] {
  const speak = speakOf(areaOf(group), where)
  const { settings } = node
  if (settings === undefined) return []
  const is = (name: string, value: string) => settings.get(name) === value
  const findings: DeepFinding[] = []
  if (is('replica-read-only', 'no') || is('slave-read-only', 'no')) {
    const text = 'replica-read-only no: writes of clients to this replica will be lost'
    findings.push(speak.warning(text, 'CONFIG SET replica-read-only yes'))
  }
  if (roleOf(node) === 'master' && is('appendonly', 'no') && is('save', '')) {
    const text =
      'it keeps nothing on disk: if it restarts within down-after, it comes back empty, and so do its replicas'
    const hint = 'set appendonly yes, or let its service restart later than down-after (RestartSec)'
    findings.push(speak.warning(text, hint))
  }
  const hasPassword = !is('requirepass', '') && settings.has('requirepass')
  if (hasPassword && is('masterauth', '')) {
    const text =
      'requirepass is set and masterauth is not: once demoted it cannot follow its master'
    findings.push(speak.problem(text, 'CONFIG SET masterauth to the password of the others'))
  }
  if (is('protected-mode', 'yes') && is('requirepass', '') && node.user === 'default') {
    const text = 'protected-mode yes without a password: only its own machine can use it'
    const hint = 'set a password, or protected-mode no where the network is closed'
    if (!isLocalOnly(settings)) findings.push(speak.warning(text, hint))
  }
  return [
    ...findings,
    ...judgeMemory(node, speak),
    ...judgeAnnounced(node, speak),
    ...judgeBacklog(node, group, speak),
  ]
}

/** Without a limit redis-server grows until the system ends it; ours refuses writes before its heap ends. */
function judgeMemory({ settings, info }: SeenNode, speak: FindingWords): readonly DeepFinding[] {
  const limit = settings?.get('maxmemory')
  const policy = settings?.get('maxmemory-policy') ?? 'noeviction'
  if (limit === undefined) return []
  if (limit === '0' && policy !== 'noeviction') {
    const text = `maxmemory-policy ${policy} without maxmemory: no key is ever evicted`
    return [speak.warning(text, 'CONFIG SET maxmemory below the memory it may use')]
  }
  const inEffect = info.get('vedette_maxmemory_in_effect') ?? limit
  if (inEffect === limit) return []
  const text = `maxmemory is ${limit}, but its heap has room for only ${inEffect}: it evicts keys from there on`
  return [speak.warning(text, 'start it with NODE_OPTIONS=--max-old-space-size=<MB>')]
}

function isLocalOnly(settings: ReadonlyMap<string, string>): boolean {
  const bind = (settings.get('bind') ?? '').split(' ').filter((word) => word !== '')
  return bind.length > 0 && bind.every((word) => /^-?(127\.|::1$)/.test(word))
}

function judgeAnnounced(node: SeenNode, speak: FindingWords): readonly DeepFinding[] {
  const { settings, address } = node
  const host = settings?.get('replica-announce-ip') ?? ''
  const port = Number(settings?.get('replica-announce-port') ?? 0)
  const [askedHost, askedPort] = hostAndPortOf(address)
  const isOther = (host !== '' && host !== askedHost) || (port > 0 && port !== askedPort)
  if (!isOther) return []
  const announced = `${host === '' ? askedHost : host}:${port > 0 ? port : askedPort}`
  const hint =
    'a Sentinel takes one node under two addresses for two nodes: use the same address everywhere'
  return [speak.warning(`it announces itself as ${announced} (replica-announce-ip)`, hint)]
}

function hostAndPortOf(address: string): readonly [host: string, port: number] {
  const colon = address.lastIndexOf(':')
  return [address.slice(0, colon).replace(/^\[(.*)\]$/, '$1'), Number(address.slice(colon + 1))]
}

const MIN_BACKLOG_BYTES = 1024 * 1024
const MIN_BACKLOG_SECONDS = 60

/** A replica that was away for longer than the backlog reaches copies everything. */
function judgeBacklog(
  { settings, info }: SeenNode,
  { downAfterMs }: GroupScene['group'],
  speak: FindingWords,
): readonly DeepFinding[] {
  const bytes = Number(settings?.get('repl-backlog-size'))
  if (!(bytes > 0)) return []
  const perSecond = Number(info.get('master_repl_offset')) / Number(info.get('uptime_in_seconds'))
  const neededSeconds = Math.max(MIN_BACKLOG_SECONDS, (2 * downAfterMs) / 1_000)
  const hint = 'raise repl-backlog-size: a replica away for longer copies all data'
  if (perSecond > 0 && bytes / perSecond < neededSeconds) {
    const seconds = Math.floor(bytes / perSecond)
    return [speak.warning(`the backlog of ${bytes} bytes holds ${seconds} s of its writes`, hint)]
  }
  if (bytes >= MIN_BACKLOG_BYTES) return []
  return [speak.warning(`the backlog has only ${bytes} bytes`, hint)]
}

export function roleOf({ info }: SeenNode): 'master' | 'replica' | undefined {
  const role = info.get('role')
  return role === 'master' ? 'master' : role === 'slave' ? 'replica' : undefined
}

function judgeRoles({ group }: GroupScene, reached: readonly SeenNode[]): readonly DeepFinding[] {
  const speak = speakOf(areaOf(group), '')
  const masters = reached.filter((node) => roleOf(node) === 'master').map(({ address }) => address)
  const replicas = reached.filter((node) => roleOf(node) === 'replica')
  const findings: DeepFinding[] = []
  if (masters.length > 1) {
    const hint = 'one of them must follow the other: REPLICAOF, or wait for the Sentinels'
    findings.push(speak.problem(`two masters or more: ${masters.join(', ')}`, hint))
  }
  if (reached.length > 0 && masters.length === 0) {
    const hint = '`vedette status` says what the Sentinels think'
    findings.push(speak.problem('no node that answers is a master', hint))
  }
  if (masters.length > 0 && replicas.length === 0) {
    const hint = 'start a replica: REPLICAOF on another machine'
    findings.push(speak.problem('no replica answers: nothing could be promoted', hint))
  }
  return findings
}

function judgePromotable(
  { group }: GroupScene,
  reached: readonly SeenNode[],
): readonly DeepFinding[] {
  const replicas = reached.filter((node) => roleOf(node) === 'replica')
  const priorities = replicas.map(({ info }) => info.get('slave_priority') ?? '100')
  if (replicas.length === 0 || priorities.some((priority) => priority !== '0')) return []
  const text = 'replica-priority is 0 on every replica: none will ever be promoted'
  return [
    speakOf(areaOf(group), '').problem(text, 'CONFIG SET replica-priority 100 on one or more'),
  ]
}

function judgeTwins({ group }: GroupScene, reached: readonly SeenNode[]): readonly DeepFinding[] {
  return twins(reached).map(([runId, addresses]) => {
    const text = `${addresses.join(' and ')} are one process (run id ${runId.slice(0, 8)}…)`
    const hint = 'use one address for it everywhere, and SENTINEL RESET to forget the other'
    return speakOf(areaOf(group), '').warning(text, hint)
  })
}

/** Addresses at which the same run id answers. */
function twins(
  programs: readonly { readonly address: string; readonly info: ReadonlyMap<string, string> }[],
): readonly (readonly [runId: string, addresses: readonly string[]])[] {
  const byRunId = new Map<string, string[]>()
  for (const { address, info } of programs) {
    const runId = info.get('run_id')
    if (runId === undefined) continue
    byRunId.set(runId, [...(byRunId.get(runId) ?? []), address])
  }
  return [...byRunId].filter(([, addresses]) => addresses.length > 1)
}

/** Settings in which master and replicas should not differ, and why. */
const SAME: readonly (readonly [name: string, why: string])[] = [
  ['maxmemory', 'the one with less refuses or evicts what the others hold'],
  ['maxmemory-policy', 'after a failover other keys are evicted'],
  ['appendonly', 'after a failover other promises hold for a crash'],
  ['min-replicas-to-write', 'after a failover other promises hold for writes'],
  ['requirepass', 'after a failover clients are turned away'],
]

function judgeDifferences(
  { group }: GroupScene,
  reached: readonly SeenNode[],
): readonly DeepFinding[] {
  const speak = speakOf(areaOf(group), '')
  return SAME.flatMap(([name, why]) => {
    const told = reached.flatMap(({ address, settings }) => {
      const value = settings?.get(name)
      return value === undefined ? [] : [[address, value] as const]
    })
    if (new Set(told.map(([, value]) => value)).size < 2) return []
    const shown = told.map(([address, value]) => {
      // A password must not be shown, only that there is another.
      return name === 'requirepass' ? address : `${value || '""'} on ${address}`
    })
    return [
      speak.warning(`${name} differs: ${shown.join(', ')}`, `${why}: set the same everywhere`),
    ]
  })
}

function judgeVersions(
  { group }: GroupScene,
  reached: readonly SeenNode[],
): readonly DeepFinding[] {
  const versions = new Map<string, string[]>()
  for (const node of reached) {
    const program = programIn(node.info)
    if (program === undefined) continue
    versions.set(program, [...(versions.get(program) ?? []), node.address])
  }
  if (versions.size < 2) return []
  const shown = [...versions].map(([version, addresses]) => `${version} on ${addresses.join(', ')}`)
  const text = `versions differ: ${shown.join('; ')}`
  return [speakOf(areaOf(group), '').warning(text, followingHint([...versions.keys()]))]
}

/** Which of these programs could not follow which. */
function followingHint(programs: readonly string[]): string {
  const hasValkey = programs.some((one) => one.startsWith('valkey '))
  if (hasValkey && programs.some(isRedisOfItsOwn)) {
    return `no Valkey loads the data of Redis 7.4 or later, however new it is: give the Redis replica-priority 0 until it is replaced; ${WHO_FOLLOWS}`
  }
  if (programs.filter(isOurs).length === 1 && programs.length === 2) return WHO_FOLLOWS
  return 'an older node may not load the data of a newer master: upgrade replicas first'
}

const WHO_FOLLOWS = 'docs/operations-migrate.md lists which server can follow which'

/** From 7.4 on, its format is no longer the one that Valkey knows. */
function isRedisOfItsOwn(program: string): boolean {
  const [, major, minor] = /^redis (\d+)\.(\d+)/.exec(program) ?? []
  return Number(major) * 100 + Number(minor) >= 704
}

function judgeWriteGuard(
  { group }: GroupScene,
  reached: readonly SeenNode[],
): readonly DeepFinding[] {
  const speak = speakOf(areaOf(group), '')
  const master = reached.find((node) => roleOf(node) === 'master')
  const wanted = master?.settings?.get('min-replicas-to-write')
  if (master === undefined || wanted === undefined) return []
  const there = Number(master.info.get('connected_slaves') ?? 0)
  if (Number(wanted) > there) {
    const text = `min-replicas-to-write is ${wanted} and the master has ${there}: it refuses every write`
    return [speak.problem(text, 'start the replicas, or lower it')]
  }
  if (Number(wanted) === there && there > 0) {
    const text = `min-replicas-to-write ${wanted} is as many replicas as there are`
    return [speak.warning(text, 'with one replica down no client can write: add a replica')]
  }
  // A strict master that is cut off acknowledges nothing anyway.
  if (wanted !== '0' || there === 0 || group.replication === 'strict') return []
  const text =
    'min-replicas-to-write is 0: a master that is cut off acknowledges writes it will lose'
  return [speak.warning(text, 'CONFIG SET min-replicas-to-write 1 on every node')]
}

function judgeSettingsSeen(
  { group }: GroupScene,
  reached: readonly SeenNode[],
): readonly DeepFinding[] {
  const silent = reached.filter(({ settings }) => settings === undefined)
  const [first] = silent
  if (first === undefined) return []
  const text = `settings of ${silent.map(({ address }) => address).join(', ')} were not compared (${first.settingsRefusal})`
  const hint = 'run it with --user and --pass of a user that may CONFIG GET'
  return [speakOf(areaOf(group), '').warning(text, hint)]
}
