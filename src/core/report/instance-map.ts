/**
 * An instance as SENTINEL MASTERS, REPLICAS and SENTINELS show it: clients parse the field names,
 * their order and the words in `flags`. Moments are shown as ages in milliseconds, and everything
 * is a bulk string, numbers included.
 */

import { unreachable } from '../../base/assert.ts'
import { bulkMap, type Reply } from '../../resp/reply.ts'
import type { GroupConfig } from '../config.ts'
import { roleWord } from '../discovery/info-parser.ts'
import { electorsOf } from '../election/quorum.ts'
import { holdingBack, voterReport } from '../failover/voter-report.ts'
import type { GroupOption } from '../group-option-kinds.ts'
import {
  GROUP_OPTION_ROWS,
  hasOptionValue,
  isHidden,
  isOwnOption,
  JUDGING_OPTION_ROWS,
  optionText,
  valueInRedis,
} from '../group-options.ts'
import { type AddressTold, toldInside } from '../names/told-address.ts'
import { holdersOf, isPaused } from '../pause/pause.ts'
import { pauseLeftMs } from '../pause/pause-record.ts'
import type { DataInstance, Group, Instance, Peer, Replica, Turn } from '../state.ts'
import { currentMaster, isOdown, isSdown } from '../state.ts'

type Field = readonly [name: string, value: string | number]

/** Addresses are shown as `told` says. */
export function instanceMap(
  turn: Turn,
  instance: Instance,
  told: AddressTold = toldInside(turn.state),
): Reply {
  return shown([...commonFields(turn, instance, told), ...fieldsByKind(turn, instance, told)])
}

/**
 * The master of a group. From its promotion on the new one is shown, although the others may not follow it yet: redis-py
 * and others read here, and not in GET-MASTER-ADDR-BY-NAME, where to connect to. C Sentinel shows them the old one.
 */
export function masterMap(turn: Turn, group: Group, told: AddressTold): Reply {
  const current = currentMaster(group)
  if (current.kind === 'master') return instanceMap(turn, current, told)
  const common = commonFields(turn, current, told, 'master')
  return shown([...common, ...infoFields(turn, current), ...groupFields(turn, group)])
}

function shown(fields: readonly Field[]): Reply {
  return bulkMap(fields.map(([name, value]) => [name, String(value)] as const))
}

/** The words of `flags`, in C Sentinel's order. */
export function flagsOf(instance: Instance, shownAs = instance.kind): readonly string[] {
  const { kind, group } = instance
  const failover = shownAs === 'master' ? group.failover : undefined
  const replica = kind === 'replica' && shownAs === kind ? instance : undefined
  const flags: readonly (readonly [string, boolean])[] = [
    ['s_down', isSdown(instance)],
    ['o_down', kind === 'master' && isOdown(group)],
    ['master', shownAs === 'master'],
    ['slave', replica !== undefined],
    ['sentinel', kind === 'sentinel'],
    ['disconnected', !isConnected(instance)],
    ['master_down', kind === 'sentinel' && instance.masterDown],
    ['failover_in_progress', failover !== undefined],
    ['promoted', replica?.promoted === true],
    ['reconf_sent', replica?.reconf === 'sent'],
    ['reconf_inprog', replica?.reconf === 'inprog'],
    ['reconf_done', replica?.reconf === 'done'],
    ['force_failover', failover?.kind === 'forced'],
    ['coordinated_failover', failover?.kind === 'coordinated'],
    ['script_kill_sent', instance.scriptKillSent],
    ['master_reboot', instance.kind === 'master' && instance.rebootedAtMs !== undefined],
  ]
  return flags.filter(([, isSet]) => isSet).map(([name]) => name)
}

/**
 * All connections we want are up. C Sentinel drops `disconnected` as soon as it tries to connect,
 * so the flag flickers for a host that refuses connections; clients that pick a replica by this
 * flag are better off with the truth.
 */
function isConnected({ kind, link }: Instance): boolean {
  const isUp = link.command?.up === true
  return isUp && (kind === 'sentinel' || link.pubsub?.up === true)
}

function commonFields(
  turn: Turn,
  instance: Instance,
  told: AddressTold,
  shownAs = instance.kind,
): readonly Field[] {
  const { host, port } = told(instance)
  const { runId, link, group, sdownSinceMs } = instance
  const isMaster = shownAs === 'master'
  const odownSinceMs = instance.kind === 'master' ? group.odownSinceMs : undefined
  return [
    ['name', isMaster ? group.config.name : instance.name],
    ['ip', host],
    ['port', port],
    ['runid', runId],
    ['flags', flagsOf(instance, shownAs).join(',')],
    ['link-pending-commands', link.command?.pending ?? 0],
    ['link-refcount', link.owners.length],
    ...optional('failover-state', isMaster ? group.failover?.state : undefined),
    ['last-ping-sent', ageMs(turn, link.pingPendingSinceMs) ?? 0],
    ['last-ok-ping-reply', ageMs(turn, link.lastOkAtMs)],
    ['last-ping-reply', ageMs(turn, link.lastPongAtMs)],
    ...optional('s-down-time', ageMs(turn, sdownSinceMs)),
    ...optional('o-down-time', ageMs(turn, odownSinceMs)),
    ...optionFields(group.config, 'instances'),
  ]
}

function fieldsByKind(turn: Turn, instance: Instance, told: AddressTold): readonly Field[] {
  switch (instance.kind) {
    case 'master':
      return [...infoFields(turn, instance), ...groupFields(turn, instance.group)]
    case 'replica':
      return [...infoFields(turn, instance), ...replicaFields(instance, told)]
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

function groupFields(turn: Turn, group: Group): readonly Field[] {
  return [...masterFields(group), ...voterFields(turn, group), ...pauseFields(turn, group)]
}

function masterFields(group: Group): readonly Field[] {
  return [
    ['config-epoch', group.configEpoch],
    ['num-slaves', group.replicas.size],
    ['num-other-sentinels', group.peers.size],
    ...optionFields(group.config, 'master'),
  ]
}

/** Only in a strict group. */
function voterFields({ state }: Turn, group: Group): readonly Field[] {
  const report = voterReport(state, group)
  if (report === undefined) return []
  const { voters, fencesNeeded, stalledMs } = report
  return [
    ['voters-now', voters.map(({ address, vote }) => `${address}=${vote}`).join(' ')],
    ['votes-needed-for-failover', fencesNeeded],
    ['writes-stalled-ms', stalledMs],
    ['writes-held-back-by', holdingBack(report).join(' ')],
  ]
}

/** Only while automatic failover is paused. */
function pauseFields({ now }: Turn, group: Group): readonly Field[] {
  if (!isPaused(group)) return []
  const { number, by, reason } = group.pause
  return [
    ['pause-left-ms', Math.ceil(pauseLeftMs(group.pause, now.monoMs))],
    ['pause-number', number],
    ['pause-held-by', holdersOf(group, electorsOf(group))],
    ['pause-by', by],
    ['pause-reason', reason],
  ]
}

/** A group that is judged by C Sentinel's rules shows C Sentinel's fields and no others. */
function optionFields(config: GroupConfig, where: GroupOption['shown']): readonly Field[] {
  const isJudgedAsInRedis = JUDGING_OPTION_ROWS.every(([key, row]) => {
    return row.onlyWith !== undefined || hasOptionValue(config[key], valueInRedis(row))
  })
  return GROUP_OPTION_ROWS.filter(([key, row]) => {
    if (row.shown !== where || config[key] === '' || isHidden(row, config[key])) return false
    return row.kind === 'hook' || !(isOwnOption(row) && isJudgedAsInRedis)
  }).map(([key, row]) => [row.name, optionText(config[key])])
}

function replicaFields(replica: Replica, told: AddressTold): readonly Field[] {
  const master = told({ host: replica.masterHost, port: replica.masterPort })
  return [
    ['master-link-down-time', replica.masterLinkDownMs],
    ['master-link-status', replica.masterLinkUp ? 'ok' : 'err'],
    ['master-host', master.host],
    ['master-port', master.port],
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
