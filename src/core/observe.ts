/**
 * What an INFO reply changes: who the instance is, what role it plays, whom it follows, who its
 * replicas are. The noting half always runs; the acting half is skipped in TILT.
 */
import type { Reply } from '../resp/reply.ts'
import { checkDown } from './down.ts'
import { checkEmptied } from './empty-master.ts'
import { announce } from './events.ts'
import { driveFailover } from './failover.ts'
import { noteInfoForWrites } from './gray.ts'
import { requestInfo, scheduleInfo } from './info.ts'
import { type FailoverReport, type InfoFacts, parseInfo } from './info-text.ts'
import { save } from './memory/save.ts'
import { complainOfHost, hearOf, isPuzzling, usableHost } from './names/names.ts'
import { noteReboot } from './reboot.ts'
import { repairReplica } from './repair.ts'
import { addReplica, knowsReplica } from './replicas.ts'
import { type DataInstance, type Master, type Replica, roleWord, type Turn } from './state.ts'

export function onInfoReply(turn: Turn, instance: DataInstance, reply: Reply): void {
  instance.infosPending = Math.max(0, instance.infosPending - 1)
  const text = infoTextOf(reply)
  if (text === undefined) return
  const facts = parseInfo(text)
  instance.infoText = text
  instance.infoAtMs = turn.now.monoMs
  noteRunId(turn, instance, facts.runId)
  instance.replid = facts.replid
  instance.replid2 = facts.replid2
  if (instance.kind === 'master') discoverReplicas(turn, instance, facts)
  else noteReplica(turn, instance, facts)
  noteFailover(turn, instance, facts.failover)
  noteRole(turn, instance, facts.role ?? 'none')
  noteInfoForWrites(turn, instance, facts.writes)
  if (instance.kind === 'replica') checkEmptied(turn, instance.group)
  act(turn, instance)
  scheduleInfo(turn, instance)
}

function act(turn: Turn, instance: DataInstance): void {
  const { group } = instance
  const { roleReported, refusal, gray, emptiedAtMs } = group.master
  // What a master is worth that calls itself a replica, or is of little use, its replicas know.
  const isUseless = refusal !== undefined || gray !== undefined || emptiedAtMs !== undefined
  const isDoubted = roleReported === 'slave' || isUseless
  if (instance.kind === 'master' || isDoubted) {
    checkDown(turn, group.master)
  }
  if (group.failover !== undefined) driveFailover(turn, group)
  else if (instance.kind === 'replica') repairReplica(turn, instance)
}

function infoTextOf(reply: Reply): string | undefined {
  if (reply.kind === 'bulk') return reply.bytes
  return reply.kind === 'verbatim' ? reply.text : undefined
}

function noteRunId(turn: Turn, instance: DataInstance, runId: string): void {
  if (runId === '' || runId === instance.runId) return
  if (instance.runId !== '') {
    announce(turn, 'notice', '+reboot', instance)
    if (instance.kind === 'master') noteMastersNewLife(turn, instance)
  }
  instance.runId = runId
}

function noteMastersNewLife(turn: Turn, master: Master): void {
  master.newLifeAtMs = turn.now.monoMs
  noteReboot(turn, master)
  askReplicas(turn, master)
}

/** They know what became of it: whether it handed over, whether it still has its data. */
function askReplicas(turn: Turn, { group }: Master): void {
  for (const replica of group.replicas.values()) requestInfo(turn, replica)
}

/** Far more than a master could feed: what it claims must not fill our memory. */
const REPLICAS_MAX = 1_000

/** A master's INFO is how its replicas are found. One it no longer lists is not forgotten. */
function discoverReplicas(turn: Turn, instance: Master, facts: InfoFacts): void {
  const { group } = instance
  let hasNews = false
  for (const address of facts.replicas) {
    if (group.replicas.size >= REPLICAS_MAX) break
    if (knowsReplica(turn.state, group, address) || isPuzzling(turn, address.host)) continue
    const host = usableHost(turn.state, address.host)
    if (host === undefined) {
      complainOfHost(turn, address.host, `replica of ${group.config.name}`)
    } else if (!knowsReplica(turn.state, group, { host, port: address.port })) {
      addReplica(turn, group, { host, port: address.port })
      hasNews = true
    }
  }
  if (hasNews) save(turn)
}

/** Once a name among its replicas is answered: those that were put off are taken up. */
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
  replica.announced = facts.announced
  replica.guard = facts.guard
  replica.deposed = undefined
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
  announce(turn, 'verbose', channel, instance, `new reported role is ${roleWord(role)}`)
}
