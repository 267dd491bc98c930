/**
 * An instance as SENTINEL MASTERS, REPLICAS and SENTINELS show it: field names, their order and the words
 * in `flags` are what clients parse. Moments are shown as ages in milliseconds, and everything is a bulk
 * string, numbers included.
 */
import { unreachable } from '../../base/assert.ts'
import { bulkMap, type Reply } from '../../resp/reply.ts'
import type { GroupConfig } from '../config.ts'
import { shownHost } from '../names/names.ts'
import type { DataInstance, Instance, Master, Peer, Replica, Turn } from '../state.ts'
import { isOdown, isSdown, roleWord } from '../state.ts'

type Field = readonly [name: string, value: string | number]

export function instanceMap(turn: Turn, instance: Instance): Reply {
  const fields = [...commonFields(turn, instance), ...fieldsByKind(turn, instance)]
  return bulkMap(fields.map(([name, value]) => [name, String(value)] as const))
}

/** The words of `flags`, in C Sentinel's order. */
export function flagsOf(instance: Instance): readonly string[] {
  const flags: readonly (readonly [string, boolean])[] = [
    ['s_down', isSdown(instance)],
    ['o_down', instance.kind === 'master' && isOdown(instance.group)],
    ['master', instance.kind === 'master'],
    ['slave', instance.kind === 'replica'],
    ['sentinel', instance.kind === 'sentinel'],
    ['disconnected', !isConnected(instance)],
    ['master_down', instance.kind === 'sentinel' && instance.masterDown],
    ['failover_in_progress', failoverOf(instance) !== undefined],
    ['promoted', instance.kind === 'replica' && instance.promoted],
    ['reconf_sent', instance.kind === 'replica' && instance.reconf === 'sent'],
    ['reconf_inprog', instance.kind === 'replica' && instance.reconf === 'inprog'],
    ['reconf_done', instance.kind === 'replica' && instance.reconf === 'done'],
    ['force_failover', failoverOf(instance)?.kind === 'forced'],
    ['coordinated_failover', failoverOf(instance)?.kind === 'coordinated'],
    ['script_kill_sent', instance.scriptKillSent],
    ['master_reboot', instance.kind === 'master' && instance.rebootedAtMs !== undefined],
  ]
  return flags.filter(([, isSet]) => isSet).map(([name]) => name)
}

/**
 * All connections we want are up. C Sentinel drops `disconnected` as soon as it tries to connect, so a
 * host that refuses connections flickers there; clients that pick a replica by this flag are better off
 * with the truth.
 */
function isConnected({ kind, link }: Instance): boolean {
  const isUp = link.command?.up === true
  return isUp && (kind === 'sentinel' || link.pubsub?.up === true)
}

function failoverOf(instance: Instance) {
  return instance.kind === 'master' ? instance.group.failover : undefined
}

function commonFields(turn: Turn, instance: Instance): readonly Field[] {
  const { name, host, port, runId, link, group, sdownSinceMs } = instance
  const failover = failoverOf(instance)
  const odownSinceMs = instance.kind === 'master' ? group.odownSinceMs : undefined
  return [
    ['name', name],
    ['ip', shownHost(turn.state, host)],
    ['port', port],
    ['runid', runId],
    ['flags', flagsOf(instance).join(',')],
    ['link-pending-commands', link.command?.pending ?? 0],
    ['link-refcount', link.owners.length],
    ...optional('failover-state', failover?.state),
    ['last-ping-sent', ageMs(turn, link.pingPendingSinceMs) ?? 0],
    ['last-ok-ping-reply', ageMs(turn, link.lastOkAtMs)],
    ['last-ping-reply', ageMs(turn, link.lastPongAtMs)],
    ...optional('s-down-time', ageMs(turn, sdownSinceMs)),
    ...optional('o-down-time', ageMs(turn, odownSinceMs)),
    ['down-after-milliseconds', group.config.downAfterMs],
  ]
}

function fieldsByKind(turn: Turn, instance: Instance): readonly Field[] {
  switch (instance.kind) {
    case 'master':
      return [...infoFields(turn, instance), ...masterFields(instance)]
    case 'replica':
      return [...infoFields(turn, instance), ...replicaFields(instance)]
    case 'sentinel':
      return peerFields(turn, instance)
    default:
      return unreachable(instance)
  }
}

function infoFields(turn: Turn, instance: DataInstance): readonly Field[] {
  return [
    ['info-refresh', ageMs(turn, instance.infoAtMs) ?? 0],
    ['role-reported', roleWord(instance.roleReported)],
    ['role-reported-time', ageMs(turn, instance.roleReportedAtMs)],
  ]
}

function masterFields({ group }: Master): readonly Field[] {
  const { notificationScript, clientReconfigScript } = group.config
  return [
    ['config-epoch', group.configEpoch],
    ['num-slaves', group.replicas.size],
    ['num-other-sentinels', group.peers.size],
    ['quorum', group.config.quorum],
    ['failover-timeout', group.config.failoverTimeoutMs],
    ['parallel-syncs', group.config.parallelSyncs],
    ...optional('notification-script', notificationScript || undefined),
    ...optional('client-reconfig-script', clientReconfigScript || undefined),
    ...detectionFields(group.config),
  ]
}

/** A group that is judged by C Sentinel's rules shows C Sentinel's fields and no others. */
function detectionFields(config: GroupConfig): readonly Field[] {
  const { detection, refusedAfterMs, grayAfterMs } = config
  if (detection === 'ping' && grayAfterMs === 0) return []
  return [
    ['detection', detection],
    ['refused-after', refusedAfterMs],
    ['gray-after', grayAfterMs],
  ]
}

function replicaFields(replica: Replica): readonly Field[] {
  return [
    ['master-link-down-time', replica.masterLinkDownMs],
    ['master-link-status', replica.masterLinkUp ? 'ok' : 'err'],
    ['master-host', replica.masterHost],
    ['master-port', replica.masterPort],
    ['slave-priority', replica.priority],
    ['slave-repl-offset', replica.offset],
    ['replica-announced', replica.announced ? 1 : 0],
  ]
}

function peerFields(turn: Turn, peer: Peer): readonly Field[] {
  return [
    ['last-hello-message', ageMs(turn, peer.helloReceivedAtMs)],
    ['voted-leader', peer.vote?.leader ?? '?'],
    ['voted-leader-epoch', peer.vote?.epoch ?? 0],
  ]
}

function optional(name: string, value: string | number | undefined): readonly Field[] {
  return value === undefined ? [] : [[name, value]]
}

function ageMs(turn: Turn, thenMs: number): number
function ageMs(turn: Turn, thenMs: number | undefined): number | undefined
function ageMs(turn: Turn, thenMs: number | undefined): number | undefined {
  return thenMs === undefined ? undefined : turn.now.monoMs - thenMs
}
