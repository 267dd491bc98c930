/**
 * [replication: strict] The voters of a group. What makes promises impossible is an error, with which no Sentinel
 * starts; what makes them weak, or the group stand still for one failure, is advice.
 */
import {
  canonicalIp,
  comparableHost,
  hostAndPort,
  isLoopback,
  parseHostAndPort,
} from '../base/ip.ts'
import type { GroupConfig } from '../core/config.ts'
import { wordsAbout } from '../core/failover/host-rules.ts'
import { fencesNeeded, votersIn, writeQuorum } from '../core/failover/voters.ts'
import { pathOf, warn } from './advice.ts'
import type { Problem } from './problem.ts'
import type { SentinelFile } from './sentinel-file.ts'

/** A strict group: nothing is served without its voters, so what is wrong with them is no advice. */
export function adviseVoters(file: SentinelFile, group: GroupConfig): Problem[] {
  if (group.replication !== 'strict') return []
  const fault = voterFault(group)
  if (fault !== undefined) return [toError(file, group, fault)]
  return [
    ...adviseVoterNumber(file, group),
    ...adviseVoterHosts(file, group),
    ...adviseVoterNames(file, group),
    ...adviseBarredVoters(file, group),
  ]
}

/** What keeps a Sentinel from watching its strict groups: it could fail none of them over, or would lose writes. */
export function voterErrors(file: SentinelFile): Problem[] {
  return file.core.groups.flatMap((group) => {
    const fault = group.replication === 'strict' ? voterFault(group) : undefined
    return fault === undefined ? [] : [toError(file, group, fault)]
  })
}

interface VoterFault {
  readonly message: string
  readonly hint: string
}

function toError(file: SentinelFile, group: GroupConfig, { message, hint }: VoterFault): Problem {
  const option = pathOf(group, 'voters')
  return { ...warn(file, 'E_VOTERS', option, message, hint), severity: 'error' }
}

function voterFault(group: GroupConfig): VoterFault | undefined {
  const { voters, host, port } = group
  if (voters.length === 0) {
    const hint = 'name three or five data nodes as host:port, the master among them'
    return { message: 'a strict group without voters never fails over', hint }
  }
  const bad = voters.find((voter) => parseHostAndPort(voter) === undefined)
  if (bad !== undefined) {
    return { message: `'${bad}' is no address`, hint: 'write host:port, as 10.0.0.1:6379' }
  }
  const names = votersIn(group).map((voter) => hostAndPort(voter.host, voter.port))
  if (new Set(names).size < names.length) {
    return { message: 'a voter is named twice', hint: 'name it once' }
  }
  const master = hostAndPort(comparableHost(host), port)
  if (!names.includes(master)) {
    const hint = 'name it among the voters, as it is written above'
    return { message: `the master ${master} is no voter`, hint }
  }
  return quorumFault(group)
}

function quorumFault(group: GroupConfig): VoterFault | undefined {
  const needed = writeQuorum(group)
  const count = group.voters.length
  if (needed >= 2 && needed <= count) return undefined
  const message = `a write quorum of ${needed} makes no sense with ${count} voters`
  return { message, hint: 'have three voters or five, and leave write-quorum out' }
}

/** How many voters a strict group needs to go on: for writes, and for a failover. */
function votersNeeded(group: GroupConfig): number {
  return Math.max(writeQuorum(group), fencesNeeded(group))
}

function adviseVoterNumber(file: SentinelFile, group: GroupConfig): Problem[] {
  const count = group.voters.length
  const option = pathOf(group, 'voters')
  const say = (message: string): Problem[] => [
    warn(file, 'W_VOTERS', option, message, 'have three voters, or five'),
  ]
  if (votersNeeded(group) === count) {
    return say(`writes or failovers need all ${count} voters: each failure ends one of them`)
  }
  if (count % 2 === 1 || group.writeQuorum !== 0) return []
  return say(`${count} voters survive no more failures than ${count - 1}`)
}

/** Loopback addresses tell nothing about hosts. */
function adviseVoterHosts(file: SentinelFile, group: GroupConfig): Problem[] {
  const hosts = votersIn(group).map(({ host }) => host)
  const crowded = [...new Set(hosts)].filter((host) => {
    const here = hosts.filter((one) => one === host).length
    return here > 1 && !isLoopback(host) && hosts.length - here < votersNeeded(group)
  })
  return crowded.map((host) => {
    const here = hosts.filter((one) => one === host).length
    const loss = here < writeQuorum(group) ? '' : ', and acknowledged writes with them'
    const message = `${here} of ${hosts.length} voters are on ${host}: its loss ends writes and failovers${loss}`
    const hint = 'give each voter a host of its own'
    return warn(file, 'W_VOTERS_TOGETHER', pathOf(group, 'voters'), message, hint)
  })
}

/**
 * A master knows its replicas by addresses, unless they announce names. Where Sentinels are told to go by names, the nodes
 * announce theirs.
 */
function adviseVoterNames(file: SentinelFile, group: GroupConfig): Problem[] {
  if (file.core.resolveHostnames && file.core.announceHostnames) return []
  const names = votersIn(group).filter(({ host }) => canonicalIp(host) === undefined)
  if (names.length === 0) return []
  const shown = names.map(({ host, port }) => hostAndPort(host, port)).join(', ')
  const message = `what ${shown} acknowledges counts only if the node announces itself by that name`
  const hint = 'write addresses, or replica-announce-ip with its name in the file of each of them'
  return [warn(file, 'W_VOTER_NAMED', pathOf(group, 'voters'), message, hint)]
}

function adviseBarredVoters(file: SentinelFile, group: GroupConfig): Problem[] {
  return votersIn(group).flatMap((voter) => {
    if (wordsAbout(group, voter).promotion !== 'must-not') return []
    const name = hostAndPort(voter.host, voter.port)
    const message = `voter ${name} must not be promoted: if it alone has what was acknowledged, the group waits for the old master`
    const hint = 'use prefer-not'
    const option = pathOf(group, 'promotionRules')
    return [warn(file, 'W_VOTER_NEVER_PROMOTED', option, message, hint)]
  })
}
