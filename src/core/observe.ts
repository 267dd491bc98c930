/**
 * What an INFO reply changes: who the instance is, what role it plays, whom it follows, who its
 * replicas are. The noting half always runs; the acting half is skipped in TILT.
 */
import type { Reply } from '../resp/reply.ts'
import { checkDown } from './down.ts'
import { announce } from './events.ts'
import { driveFailover } from './failover.ts'
import { scheduleInfo } from './info.ts'
import { type InfoFacts, parseInfo } from './info-text.ts'
import { repairReplica } from './repair.ts'
import { addReplica, knowsReplica } from './replicas.ts'
import { save } from './save.ts'
import type { DataInstance, Replica, Turn } from './state.ts'

export function onInfoReply(turn: Turn, instance: DataInstance, reply: Reply): void {
  instance.infosPending = Math.max(0, instance.infosPending - 1)
  const text = infoTextOf(reply)
  if (text === undefined) return
  const facts = parseInfo(text)
  instance.infoText = text
  instance.infoAtMs = turn.now.monoMs
  noteRunId(turn, instance, facts.runId)
  if (instance.kind === 'master') discoverReplicas(turn, instance, facts)
  else noteReplica(turn, instance, facts)
  noteRole(turn, instance, facts.role ?? 'slave')
  act(turn, instance)
  scheduleInfo(turn, instance)
}

function act(turn: Turn, instance: DataInstance): void {
  const { group } = instance
  if (instance.kind === 'master') checkDown(turn, instance)
  if (group.failover !== undefined) driveFailover(turn, group)
  else if (instance.kind === 'replica') repairReplica(turn, instance)
}

function infoTextOf(reply: Reply): string | undefined {
  if (reply.kind === 'bulk') return reply.bytes
  return reply.kind === 'verbatim' ? reply.text : undefined
}

function noteRunId(turn: Turn, instance: DataInstance, runId: string): void {
  if (runId === '' || runId === instance.runId) return
  if (instance.runId !== '') announce(turn, 'notice', '+reboot', instance)
  instance.runId = runId
}

/** A master's INFO is how its replicas are found. One it no longer lists is not forgotten. */
function discoverReplicas(turn: Turn, instance: DataInstance, facts: InfoFacts): void {
  const { group } = instance
  const unknown = facts.replicas.filter((address) => !knowsReplica(group, address))
  for (const address of unknown) addReplica(turn, group, address)
  if (unknown.length > 0) save(turn)
}

function noteReplica(turn: Turn, replica: Replica, facts: InfoFacts): void {
  replica.masterLinkUp = facts.role === 'slave' && facts.masterLinkUp
  replica.masterLinkDownMs = facts.masterLinkDownMs
  if (facts.role !== 'slave') return
  const moved =
    facts.masterPort !== replica.masterPort ||
    facts.masterHost.toLowerCase() !== replica.masterHost.toLowerCase()
  if (moved) replica.masterChangedAtMs = turn.now.monoMs
  replica.masterHost = facts.masterHost
  replica.masterPort = facts.masterPort
  replica.priority = facts.priority
  replica.offset = facts.offset
  replica.announced = facts.announced
  replica.deposed = false
}

function noteRole(turn: Turn, instance: DataInstance, role: 'master' | 'slave'): void {
  if (role === instance.roleReported) return
  instance.roleReported = role
  instance.roleReportedAtMs = turn.now.monoMs
  if (instance.kind === 'replica' && role === 'slave') {
    instance.masterChangedAtMs = turn.now.monoMs
  }
  const expected = instance.kind === 'master' ? 'master' : 'slave'
  const channel = role === expected ? '+role-change' : '-role-change'
  announce(turn, 'verbose', channel, instance, `new reported role is ${role}`)
}
