/**
 * Advice about a configuration that is sound but may not do what its author hopes. How many Sentinels
 * there are is known only when the file says so (`sentinels:`, or the peers a sentinel.conf has learnt);
 * what depends on it is left unsaid otherwise.
 */
import { canonicalIp } from '../base/ip.ts'
import type { GroupConfig } from '../core/config.ts'
import type { Problem, ProblemCode } from './problem.ts'
import { locationOf, type SentinelFile } from './sentinel-file.ts'

/** Warnings only. Empty: nothing to say. */
export function advise(file: SentinelFile): Problem[] {
  const { groups } = file.core
  if (groups.length === 0) {
    const hint = 'until SENTINEL MONITOR adds a group there is nothing to do'
    return [warn(file, 'W_NO_GROUP', 'groups', 'no group is monitored', hint)]
  }
  const perGroup = groups.flatMap((group) => [
    ...adviseQuorum(file, group),
    ...adviseTimes(file, group),
    ...adviseRefusedAfter(file, group),
    ...adviseGrayAfter(file, group),
    ...adviseParallelSyncs(file, group),
  ])
  return [...adviseNumber(file), ...adviseName(file), ...perGroup]
}

/** Peers that do not resolve names drop a hello with one. */
function adviseName(file: SentinelFile): Problem[] {
  const { announceIp, resolveHostnames } = file.core
  if (resolveHostnames || announceIp === '' || canonicalIp(announceIp) !== undefined) return []
  const message = 'Sentinels that do not resolve names will not find this one'
  const hint = 'set resolve-hostnames on all of them, or announce an address'
  return [warn(file, 'W_NAME_ANNOUNCED', 'announce-ip', message, hint)]
}

/** Three is the least that survives the loss of one; a fourth survives no more than that. */
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
  const option = `groups.${group.name}.quorum`
  const count = countSentinels(file, group.name)?.count
  const { quorum } = group
  if (count !== undefined && quorum > count) {
    const message = `${quorum} of ${count} Sentinels can never agree: no failover will happen`
    return [warn(file, 'W_QUORUM_UNREACHABLE', option, message, `use ${majority(count)}`)]
  }
  if (count !== undefined && quorum > majority(count)) {
    const message = `with ${quorum} of ${count}, no failover happens when ${count - quorum + 1} are lost`
    return [warn(file, 'W_QUORUM_ABOVE_MAJORITY', option, message, `use ${majority(count)}`)]
  }
  if (quorum > 1 || count === 1) return []
  const message = 'a single Sentinel with a bad link can start a failover'
  return [warn(file, 'W_QUORUM_ONE', option, message, 'use 2 or more')]
}

function majority(count: number): number {
  return Math.floor(count / 2) + 1
}

/** PINGs go out this often at most, however short down-after is. */
const MIN_PING_MS = 100

/** Two PINGs must fit into down-after, or one that is a little late makes an instance look down. */
function adviseTimes(file: SentinelFile, group: GroupConfig): Problem[] {
  const { name, downAfterMs, failoverTimeoutMs } = group
  const problems: Problem[] = []
  const intervalMs = pingIntervalMs(file, downAfterMs)
  if (downAfterMs < 2 * intervalMs) {
    const message = `${downAfterMs} ms cannot be measured with a PING every ${intervalMs} ms`
    const hint = `use ${2 * intervalMs} ms or more`
    problems.push(warn(file, 'W_DOWN_AFTER_SHORT', `groups.${name}.down-after`, message, hint))
  }
  if (failoverTimeoutMs < SHORT_FAILOVER * downAfterMs) {
    const message = 'a failover may be given up before the replicas have been seen to follow'
    const hint = `use at least ${SHORT_FAILOVER} times down-after: ${SHORT_FAILOVER * downAfterMs} ms`
    const option = `groups.${name}.failover-timeout`
    problems.push(warn(file, 'W_FAILOVER_TIMEOUT_SHORT', option, message, hint))
  }
  return problems
}

/** In down-afters: what a failover needs when one of the replicas turns out to be down as well. */
const SHORT_FAILOVER = 3

function pingIntervalMs(file: SentinelFile, downAfterMs: number): number {
  return Math.min(file.core.periods.pingMs, Math.max(MIN_PING_MS, Math.floor(downAfterMs / 5)))
}

/** Shorter than any process needs to end and listen again. */
const MIN_REFUSED_AFTER_MS = 50
/** A hiccup of a disk, or a moment at the limit of the memory, is shorter. */
const MIN_GRAY_AFTER_MS = 1_000

/** Only of a value that somebody has chosen: the default does no harm where it has no effect. */
function adviseRefusedAfter(file: SentinelFile, group: GroupConfig): Problem[] {
  const { name, detection, refusedAfterMs, downAfterMs } = group
  const option = `groups.${name}.refused-after`
  if (!file.locations.has(option)) return []
  if (detection === 'ping') {
    const hint = 'set detection to evidence, or leave it out'
    return [warn(file, 'W_NO_EFFECT', option, 'has no effect with detection ping', hint)]
  }
  if (refusedAfterMs >= downAfterMs) {
    const message = `has no effect: down-after is over first, after ${downAfterMs} ms`
    return [warn(file, 'W_NO_EFFECT', option, message, `use less than ${downAfterMs} ms`)]
  }
  if (refusedAfterMs >= MIN_REFUSED_AFTER_MS) return []
  const message = 'a master that is restarted quickly is failed over'
  const hint = `use ${MIN_REFUSED_AFTER_MS} ms or more, and more than a restart takes`
  return [warn(file, 'W_REFUSED_AFTER_SHORT', option, message, hint)]
}

function adviseGrayAfter(file: SentinelFile, { name, grayAfterMs }: GroupConfig): Problem[] {
  if (grayAfterMs === 0 || grayAfterMs >= MIN_GRAY_AFTER_MS) return []
  const message = 'a master that refuses writes for a moment only is failed over'
  const hint = `use ${MIN_GRAY_AFTER_MS} ms or more; 0 only reports it`
  return [warn(file, 'W_GRAY_AFTER_SHORT', `groups.${name}.gray-after`, message, hint)]
}

function adviseParallelSyncs(file: SentinelFile, group: GroupConfig): Problem[] {
  const learnt = file.learnt?.groups.find((saved) => saved.current.name === group.name)
  const replicas = learnt?.replicas.length ?? 0
  // One of the replicas is promoted; with two there is only one to reconfigure.
  if (replicas < 2 || group.parallelSyncs < replicas) return []
  const message = `all ${replicas} replicas may synchronise at the same time, and none can be read from`
  const option = `groups.${group.name}.parallel-syncs`
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

function warn(
  file: SentinelFile,
  code: ProblemCode,
  option: string,
  message: string,
  hint: string,
): Problem {
  const location = locationOf(file, option)
  return { severity: 'warning', code, file: file.name, ...location, message, hint }
}
