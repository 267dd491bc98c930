/**
 * Advice about a configuration that is valid but may not do what its author hopes. How many
 * Sentinels there are is known only if the file says so (`sentinels:`, or the peers a sentinel.conf
 * has learnt); otherwise there is no advice that depends on it.
 */
import { canonicalIp, hostAndPort } from '../base/ip.ts'
import type { GroupConfig } from '../core/config.ts'
import { PROVEN_MAX } from '../core/discovery/peers.ts'
import { majority } from '../core/election/quorum.ts'
import { GROUP_OPTION_ROWS, GROUP_OPTIONS } from '../core/group-options.ts'
import { pathOf, warn } from './advice.ts'
import { adviseVoters } from './check-voters.ts'
import type { Problem } from './problem.ts'
import { isYml, type SentinelFile } from './sentinel-file.ts'
import { NO_PORT, type OwnPort, sharedPorts } from './shared-ports.ts'

/** Empty if there is nothing to say. The only errors are ports that stop a start, and quorums that can never be reached. */
export function advise(file: SentinelFile): Problem[] {
  const { groups } = file.core
  if (isProxyAlone(file)) return adviseProxy(file)
  if (groups.length === 0) {
    const hint = 'there is nothing to do until SENTINEL MONITOR adds a group'
    return [...advisePorts(file), warn(file, 'W_NO_GROUP', 'groups', 'no group is monitored', hint)]
  }
  const perGroup = groups.flatMap((group) => [
    ...adviseQuorum(file, group),
    ...adviseTimes(file, group),
    ...adviseNoEffect(file, group),
    ...adviseRefusedAfter(file, group),
    ...adviseGrayAfter(file, group),
    ...adviseParallelSyncs(file, group),
    ...adviseVoters(file, group),
    ...adviseClientAddresses(file, group),
  ])
  const ofAll = [...advisePorts(file), ...adviseNumber(file), ...adviseName(file)]
  return [...ofAll, ...adviseOneMaster(file), ...perGroup]
}

/** What a proxy reads of its file beside `proxy:`; the file itself has no name. */
const BESIDE_PROXY = /^(?:|proxy|tls|http-[a-z-]+|log-[a-z]+|black-box[a-z-]*|state-dir)$/

/** Whether it is the file of `vedette proxy`: it has a proxy, and nothing that only a Sentinel reads. */
export function isProxyAlone({ proxy, core, locations }: SentinelFile): boolean {
  if (proxy === undefined || core.groups.length > 0) return false
  return [...locations.keys()].every((option) => BESIDE_PROXY.test(option.split('.')[0] ?? ''))
}

/** In the process of a Sentinel it asks that one; alone it has to be told which one to ask. */
function adviseProxy(file: SentinelFile): Problem[] {
  const count = file.proxy?.sentinels.length ?? 0
  const hint = 'name at least three Sentinels, as 10.0.0.1:26379'
  const option = 'proxy.sentinels'
  if (count === 0) {
    const missing = warn(file, 'E_MISSING', option, 'is required where no Sentinel runs', hint)
    return [...advisePorts(file), { ...missing, severity: 'error' }]
  }
  if (count > 2) return advisePorts(file)
  const message =
    count === 1
      ? 'the proxy believes one Sentinel alone, and no other where it is down'
      : 'with two Sentinels, no master is confirmed while one is down'
  return [...advisePorts(file), warn(file, 'W_FEW_SENTINELS', option, message, hint)]
}

function advisePorts(file: SentinelFile): Problem[] {
  const shared = sharedPorts(ownPorts(file)).map(({ option, message, hint }) =>
    warn(file, 'E_DUPLICATE', option, message, hint),
  )
  const { message, hint } = NO_PORT
  const none = listensNowhere(file) ? [warn(file, 'E_RANGE', 'port', message, hint)] : []
  return [...shared, ...none].map((problem) => ({ ...problem, severity: 'error' }))
}

function listensNowhere(file: SentinelFile): boolean {
  return !isProxyAlone(file) && file.listen.port === 0 && file.core.tlsPort === 0
}

function ownPorts(file: SentinelFile): readonly OwnPort[] {
  const { listen, core, http, proxy, locations } = file
  const bind = isProxyAlone(file) ? (proxy?.bind ?? []) : listen.bind
  // As the file has it, a sentinel.yml or a sentinel.conf.
  const tlsPort = locations.has('tls.port') ? 'tls.port' : 'tls-port'
  const entrances = (proxy?.groups ?? []).flatMap(({ name, port, readPort }) => [
    { option: `proxy.groups.${name}.port`, port, bind: proxy?.bind ?? [] },
    { option: `proxy.groups.${name}.read-port`, port: readPort, bind: proxy?.bind ?? [] },
  ])
  const doors = [
    { option: 'port', port: listen.port, bind },
    { option: tlsPort, port: core.tlsPort, bind },
  ]
  return [
    ...(isProxyAlone(file) ? [] : doors),
    { option: 'http-port', port: http.port, bind: http.bind.length > 0 ? http.bind : bind },
    ...entrances,
  ]
}

/** Two names for one deployment may be meant; mostly a line has been copied. */
function adviseOneMaster(file: SentinelFile): Problem[] {
  const first = new Map<string, string>()
  return file.core.groups.flatMap(({ name, host, port }) => {
    const address = hostAndPort(host, port)
    const twin = first.get(address)
    if (twin === undefined) {
      first.set(address, name)
      return []
    }
    const message = `group ${twin} has the same master, ${address}`
    const hint =
      'two names for one deployment fail over together, unless one is strict; if they are two deployments, one of the addresses is wrong'
    return [warn(file, 'W_ONE_MASTER', `groups.${name}.master`, message, hint)]
  })
}

/** Peers that do not resolve names drop a hello that contains one. */
function adviseName(file: SentinelFile): Problem[] {
  const { announceIp, resolveHostnames } = file.core
  if (resolveHostnames || announceIp === '' || canonicalIp(announceIp) !== undefined) return []
  const message = 'Sentinels that do not resolve names will not find this one'
  const hint = 'set resolve-hostnames on all of them, or announce an address'
  return [warn(file, 'W_NAME_ANNOUNCED', 'announce-ip', message, hint)]
}

/** Three is the smallest number that survives the loss of one; four survive no more than that. */
function adviseNumber(file: SentinelFile): Problem[] {
  const counted = countSentinels(file, file.core.groups[0]?.name)
  if (counted === undefined) return []
  const { option, count } = counted
  if (count < 3) {
    const message = `${count} of them cannot lose one and still elect a leader`
    return [warn(file, 'W_FEW_SENTINELS', option, message, 'run three or more Sentinels')]
  }
  if (count % 2 === 1) return []
  const message = `${count} Sentinels survive no more failures than ${count - 1}`
  return [warn(file, 'W_EVEN_SENTINELS', option, message, 'run an odd number')]
}

function adviseQuorum(file: SentinelFile, group: GroupConfig): Problem[] {
  const option = pathOf(group, 'quorum')
  const count = countSentinels(file, group.name)?.count
  const { quorum } = group
  const most = count ?? MOST_SENTINELS
  if (quorum > most) {
    const message = `${quorum} of ${most} Sentinels can never agree: no failover will happen`
    const problem = warn(
      file,
      'E_QUORUM_UNREACHABLE',
      option,
      message,
      unreachableHint(file, count),
    )
    return [{ ...problem, severity: 'error' }]
  }
  if (count === undefined && quorum > USUAL_QUORUM) {
    const message = `needs ${quorum} Sentinels or more, and the file does not say how many there are`
    const hint = 'add sentinels: <how many>, and it is checked; 2 of 3 or 3 of 5 is usual'
    return [warn(file, 'W_QUORUM_UNCHECKED', option, message, hint)]
  }
  if (count !== undefined && quorum > majority(count)) {
    const message = `with ${quorum} of ${count}, no failover happens when ${count - quorum + 1} are lost`
    return [warn(file, 'W_QUORUM_ABOVE_MAJORITY', option, message, `use ${majority(count)}`)]
  }
  if (quorum > 1 || count === 1) return []
  const message = 'a single Sentinel with a bad link can start a failover'
  return [warn(file, 'W_QUORUM_ONE', option, message, 'use 2 or more')]
}

/** A Sentinel knows no more peers than this, and itself. */
const MOST_SENTINELS = PROVEN_MAX + 1
/** The majority of nine, the largest deployment anybody has told of. */
const USUAL_QUORUM = 5

function unreachableHint({ sentinels }: SentinelFile, count: number | undefined): string {
  if (count === undefined) return 'use 2, which is usual with three Sentinels'
  const more = sentinels === undefined ? 'start the others first, if there are more' : ''
  return [`use ${majority(count)}`, more].filter((part) => part !== '').join(', or ')
}

/** PINGs are never sent more often than this, however short down-after is. */
const MIN_PING_MS = 100

/** Two PINGs must fit into down-after, or one late reply makes an instance look down. */
function adviseTimes(file: SentinelFile, group: GroupConfig): Problem[] {
  const { downAfterMs, failoverTimeoutMs } = group
  const problems: Problem[] = []
  const intervalMs = pingIntervalMs(file, downAfterMs)
  if (downAfterMs < 2 * intervalMs) {
    const message = `${downAfterMs} ms cannot be measured with a PING every ${intervalMs} ms`
    const enough = `use ${2 * intervalMs} ms or more`
    const hint = askForUnit(file, downAfterMs, SECONDS_MEANT.downAfter, enough)
    problems.push(warn(file, 'W_DOWN_AFTER_SHORT', pathOf(group, 'downAfterMs'), message, hint))
  }
  if (failoverTimeoutMs < SHORT_FAILOVER * downAfterMs) {
    const message = 'a failover may be given up before the replicas have been seen to follow'
    const enough = `use at least ${SHORT_FAILOVER} times down-after: ${SHORT_FAILOVER * downAfterMs} ms`
    const hint = askForUnit(file, failoverTimeoutMs, SECONDS_MEANT.failoverTimeout, enough)
    const option = pathOf(group, 'failoverTimeoutMs')
    problems.push(warn(file, 'W_FAILOVER_TIMEOUT_SHORT', option, message, hint))
  }
  return problems
}

/** Up to here a number of milliseconds was probably meant as seconds: `down-after: 5` is of no use. */
const SECONDS_MEANT = { downAfter: 99, failoverTimeout: 999 } as const

function askForUnit({ name }: SentinelFile, ms: number, most: number, otherwise: string): string {
  if (ms > most) return otherwise
  const meant = isYml(name) ? `${ms}s? Without a unit it is` : `${ms * 1_000}? It is a number of`
  return `did you mean ${meant} milliseconds. Otherwise ${otherwise}`
}

/**
 * In down-afters: the time a failover needs when one of the replicas turns out to be down as well.
 */
const SHORT_FAILOVER = 3

function pingIntervalMs(file: SentinelFile, downAfterMs: number): number {
  return Math.min(file.core.periods.pingMs, Math.max(MIN_PING_MS, Math.floor(downAfterMs / 5)))
}

/**
 * A network whose clients are told of the other members and not of this one: if it is promoted, they are sent to an
 * address that they cannot reach.
 */
function adviseClientAddresses(file: SentinelFile, group: GroupConfig): Problem[] {
  const table = group.clientAddresses
  const members = [hostAndPort(group.host, group.port), ...table.map(([, member]) => member)]
  return [...new Set(table.map(([network]) => network))].flatMap((network) => {
    const own = table.filter(([one]) => one === network)
    const isAsItIs = own.every(([, member, announced]) => member === announced)
    const missing = [...new Set(members)].filter((one) => !own.some(([, member]) => member === one))
    if (isAsItIs || missing.length === 0) return []
    const message = `clients from ${network} are told ${missing.join(' and ')} as it is inside`
    const hint = 'name every data node and every Sentinel for each of the networks'
    return [warn(file, 'W_CLIENT_ADDRESSES', pathOf(group, 'clientAddresses'), message, hint)]
  })
}

/** No process can end and listen again in less time. */
const MIN_REFUSED_AFTER_MS = 50
/** A hiccup of a disk, or a moment at the limit of the memory, is shorter than this. */
const MIN_GRAY_AFTER_MS = 1_000

/**
 * Warns only about values that the user has set: the default does no harm where it has no effect.
 */
function adviseNoEffect(file: SentinelFile, group: GroupConfig): Problem[] {
  return GROUP_OPTION_ROWS.flatMap(([key, { onlyWith }]) => {
    const option = pathOf(group, key)
    if (onlyWith === undefined || !file.locations.has(option)) return []
    const value = group[onlyWith.key]
    if (value === onlyWith.value) return []
    const { yml } = GROUP_OPTIONS[onlyWith.key]
    const hint = `set ${yml} to ${onlyWith.value}, or leave it out`
    return [warn(file, 'W_NO_EFFECT', option, `has no effect with ${yml} ${value}`, hint)]
  })
}

function adviseRefusedAfter(file: SentinelFile, group: GroupConfig): Problem[] {
  const { detection, refusedAfterMs, downAfterMs } = group
  const option = pathOf(group, 'refusedAfterMs')
  if (detection === 'ping' || !file.locations.has(option)) return []
  if (refusedAfterMs >= downAfterMs) {
    const message = `has no effect: down-after is over first, after ${downAfterMs} ms`
    return [warn(file, 'W_NO_EFFECT', option, message, `use less than ${downAfterMs} ms`)]
  }
  if (refusedAfterMs >= MIN_REFUSED_AFTER_MS) return []
  const message = 'a quick restart of the master would cause a failover'
  const hint = `use ${MIN_REFUSED_AFTER_MS} ms or more, and more than a restart takes`
  return [warn(file, 'W_REFUSED_AFTER_SHORT', option, message, hint)]
}

function adviseGrayAfter(file: SentinelFile, group: GroupConfig): Problem[] {
  const { grayAfterMs } = group
  if (grayAfterMs === 0 || grayAfterMs >= MIN_GRAY_AFTER_MS) return []
  const message = 'a master that refuses writes only for a moment would be failed over'
  const hint = `use ${MIN_GRAY_AFTER_MS} ms or more; 0 only reports it`
  return [warn(file, 'W_GRAY_AFTER_SHORT', pathOf(group, 'grayAfterMs'), message, hint)]
}

function adviseParallelSyncs(file: SentinelFile, group: GroupConfig): Problem[] {
  const learnt = file.learnt?.groups.find((saved) => saved.current.name === group.name)
  const replicas = learnt?.replicas.length ?? 0
  // One replica is promoted; of two, only one is left to reconfigure.
  if (replicas < 2 || group.parallelSyncs < replicas) return []
  const message = `all ${replicas} replicas may synchronise at the same time, and then none serves reads`
  const option = pathOf(group, 'parallelSyncs')
  return [warn(file, 'W_PARALLEL_SYNCS', option, message, `use less than ${replicas}`)]
}

/** How many Sentinels there are, and the option that says so; undefined: not known. */
function countSentinels(
  file: SentinelFile,
  group: string | undefined,
): { readonly option: string; readonly count: number } | undefined {
  if (file.sentinels !== undefined) return { option: 'sentinels', count: file.sentinels }
  const learnt = file.learnt?.groups.find((saved) => saved.current.name === group)
  const peers = learnt?.peers.length ?? 0
  return peers === 0 ? undefined : { option: `groups.${group}.known-sentinel`, count: peers + 1 }
}
