/**
 * What an INFO reply changes: the identity of the instance, its role, the master it follows, its
 * replicas. The noting half always runs; the acting half is skipped in TILT.
 */

import { ownCopy } from '../../resp/input.ts'
import type { Reply } from '../../resp/reply.ts'
import { checkDown } from '../detection/down.ts'
import { checkEmptied } from '../detection/empty-master.ts'
import { noteInfoForWrites } from '../detection/gray-master.ts'
import { sendPing } from '../detection/ping.ts'
import { announce } from '../events.ts'
import { driveFailover } from '../failover/failover.ts'
import { noteVotes } from '../failover/renewal.ts'
import { repairReplica } from '../failover/repair.ts'
import { follows } from '../failover/slaveof.ts'
import { announceVoters } from '../failover/voter-report.ts'
import { noteSync, votersIn } from '../failover/voters.ts'
import { noteFollowing } from '../links/rejections.ts'
import { complainOfHost, hearOf, isPuzzling, sameAddress, usableHost } from '../names/names.ts'
import { tellAddresses } from '../names/told-address.ts'
import { save } from '../persistence/save.ts'
import type { DataInstance, Master, Replica, Turn } from '../state.ts'
import { type FailoverReport, type InfoFacts, parseInfo, roleWord } from './info-parser.ts'
import { requestInfo, scheduleInfo } from './info-request.ts'
import { addReplica, knowsReplica, makeRoom, REPLICAS_MAX } from './replicas.ts'

export function onInfoReply(turn: Turn, instance: DataInstance, reply: Reply): void {
  instance.infosPending = Math.max(0, instance.infosPending - 1)
  const text = infoTextOf(reply)
  if (text === undefined) return
  const facts = parseInfo(text)
  instance.infoText = keptPart(text, instance)
  instance.infoAtMs = turn.now.monoMs
  noteNewClaim(turn, instance, facts)
  noteRunId(turn, instance, facts.runId)
  instance.replid = facts.replid
  instance.replid2 = facts.replid2
  const { sync } = instance
  noteSync(turn, instance, facts.sync)
  announceVoters(turn, instance, sync)
  if (instance.kind === 'master') discoverReplicas(turn, instance, facts)
  else noteReplica(turn, instance, facts)
  noteFailover(turn, instance, facts.failover)
  noteRole(turn, instance, facts.role ?? 'none')
  noteInfoForWrites(turn, instance, facts.writes)
  if (instance.kind === 'replica') checkEmptied(turn, instance.group)
  act(turn, instance)
  tellAddresses(turn, instance)
  scheduleInfo(turn, instance)
}

function act(turn: Turn, instance: DataInstance): void {
  const { group } = instance
  const { roleReported, refusal, gray, emptiedAtMs } = group.master
  // If a master calls itself a replica, or is of little use, its replicas know more about it.
  const isUseless = refusal !== undefined || gray !== undefined || emptiedAtMs !== undefined
  const isDoubted = roleReported === 'slave' || isUseless
  if (instance.kind === 'master' || isDoubted) {
    checkDown(turn, group.master)
  }
  if (group.failover !== undefined) driveFailover(turn, group)
  else if (instance.kind === 'replica') repairReplica(turn, instance)
  noteVotes(turn, group)
}

function infoTextOf(reply: Reply): string | undefined {
  if (reply.kind === 'bulk') return reply.bytes
  return reply.kind === 'verbatim' ? reply.text : undefined
}

/**
 * What SENTINEL INFO-CACHE shows later: a master's INFO has a line for each replica, a replica's hardly
 * any.
 */
const MAX_KEPT_BYTES = { master: 1024 * 1024, replica: 64 * 1024 } as const

/** A thousand made-up replicas must not fill our memory with what they say. Cut at the end of a line. */
function keptPart(text: string, { kind }: DataInstance): string {
  const maxBytes = MAX_KEPT_BYTES[kind]
  if (text.length <= maxBytes) return text
  return ownCopy(text.slice(0, text.lastIndexOf('\n', maxBytes - 1) + 1))
}

function noteRunId(turn: Turn, instance: DataInstance, runId: string): void {
  if (runId === '' || runId === instance.runId) return
  if (instance.runId !== '') {
    announce(turn, '+reboot', instance)
    if (instance.kind === 'master') noteMastersNewLife(turn, instance)
  }
  instance.runId = runId
}

function noteMastersNewLife(turn: Turn, master: Master): void {
  master.newLifeAtMs = turn.now.monoMs
  noteReboot(turn, master)
  askReplicas(turn, master)
}

/** They know what happened to the master: whether it handed over, whether it still has its data. */
function askReplicas(turn: Turn, { group }: Master): void {
  for (const replica of group.replicas.values()) requestInfo(turn, replica)
}

/** A master's INFO is how we find its replicas. A replica it no longer lists is not forgotten. */
function discoverReplicas(turn: Turn, instance: Master, facts: InfoFacts): void {
  const { group } = instance
  let hasNews = false
  // Entries beyond that are not even looked at: a list may be arbitrarily long.
  const listed = [...votersIn(group.config), ...facts.replicas].slice(0, REPLICAS_MAX)
  for (const address of listed) {
    if (knowsReplica(turn.state, group, address) || isPuzzling(turn, address.host)) continue
    if (sameAddress(turn.state, group.master, address)) continue
    const host = usableHost(turn.state, address.host)
    if (host === undefined) {
      complainOfHost(turn, address.host, `replica of ${group.config.name}`)
    } else if (!knowsReplica(turn.state, group, { host, port: address.port })) {
      if (!makeRoom(turn, group, listed)) break
      addReplica(turn, group, { host, port: address.port })
      hasNews = true
    }
  }
  if (hasNews) save(turn)
}

/** Called when a host name among its replicas is resolved: takes up the replicas that were put off. */
export function discoverAgain(turn: Turn, master: Master): void {
  discoverReplicas(turn, master, parseInfo(master.infoText))
}

function noteReplica(turn: Turn, replica: Replica, facts: InfoFacts): void {
  replica.masterLinkUp = facts.role === 'slave' && facts.masterLinkUp
  replica.masterLinkDownMs = facts.masterLinkDownMs
  if (facts.role !== 'slave') return
  const moved =
    facts.masterPort !== replica.masterPort ||
    facts.masterHost.toLowerCase() !== replica.masterHost.toLowerCase()
  if (moved) {
    replica.masterChangedAtMs = turn.now.monoMs
    hearOf(turn, facts.masterHost)
  }
  replica.masterHost = facts.masterHost
  replica.masterPort = facts.masterPort
  replica.priority = facts.priority
  replica.offset = facts.offset
  replica.unapplied = facts.unapplied
  replica.announced = facts.announced
  replica.guard = facts.guard
  replica.deposed = undefined
  if (follows(turn.state, replica, replica.group.master)) noteFollowing(turn, replica)
}

function noteFailover(turn: Turn, instance: DataInstance, reported: FailoverReport): void {
  if (reported === instance.failoverReported) return
  instance.failoverReported = reported
  instance.failoverReportedAtMs = turn.now.monoMs
}

function noteRole(turn: Turn, instance: DataInstance, role: DataInstance['roleReported']): void {
  if (role === instance.roleReported) return
  instance.roleReported = role
  instance.roleReportedAtMs = turn.now.monoMs
  if (instance.kind === 'replica' && role === 'slave') {
    instance.masterChangedAtMs = turn.now.monoMs
  } else if (instance.kind === 'master' && role === 'slave') {
    askReplicas(turn, instance)
  }
  const expected = instance.kind === 'master' ? 'master' : 'slave'
  const channel = role === expected ? '+role-change' : '-role-change'
  announce(turn, channel, instance, { role: roleWord(role) })
}

/**
 * A process that was a master and is one with another history was a replica meanwhile, and promoted: how long it has called
 * itself a master counts from now, and not from before the promotion.
 */
function noteNewClaim(turn: Turn, instance: DataInstance, facts: InfoFacts): void {
  const { runId, replid, roleReported } = instance
  const isStill = roleReported === 'master' && facts.role === 'master' && facts.runId === runId
  if (isStill && replid !== '' && facts.replid !== replid) {
    instance.roleReportedAtMs = turn.now.monoMs
  }
}

// [master-reboot-down-after-period] A master that was restarted answers LOADING while it reads its data
// set, and LOADING counts as alive: with much data, no client can write for minutes, and no Sentinel
// fails over. So a restart can have a limit of its own. Only PONG, the end of the loading, lifts it.
//
// A master that comes back empty says PONG at once, so this does not apply to it, as in C Sentinel.

/** INFO showed another run id than before: the process is a new one. */
function noteReboot(turn: Turn, master: Master): void {
  if (master.group.config.rebootDownAfterMs === 0) return
  master.rebootedAtMs = turn.now.monoMs
  // Its PONG may have come before this INFO: without another PING, a short limit could expire in
  // between.
  sendPing(turn, master.link)
}
