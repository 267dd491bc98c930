/** How replication looks from outside: INFO replication and ROLE, in Redis' words and order. */
import { array, bulk, bulks, integer, type Reply } from '../../resp/reply.ts'
import type { LedgerKeeper } from '../ledger/ledger-keeper.ts'
import { ageSeconds } from '../seconds.ts'
import type { FailoverState } from './failover.ts'
import { ROLE_STATE } from './following/link-phase.ts'
import type { MasterLink } from './following/master-link.ts'
import type { History } from './history/history.ts'
import type { ReplicationHost } from './host.ts'
import { type PeerPhase, peerHost, type ReplicaPeer } from './serving/replica-peer.ts'
import type { Replicas } from './serving/replicas.ts'

export interface ReportSources {
  readonly host: ReplicationHost
  readonly history: History
  readonly replicas: Replicas
  readonly link: MasterLink
  readonly failoverState: FailoverState
  readonly keeper: LedgerKeeper
}

/** INFO replication without its header. */
export function infoLines(sources: ReportSources, isReplica: boolean): string[] {
  const own = isReplica ? replicaLines(sources) : ['role:master']
  return [
    ...own,
    ...peerLines(sources, isReplica),
    ...historyLines(sources),
    ...sources.keeper.infoLines(),
  ]
}

export function roleReply(sources: ReportSources, isReplica: boolean): Reply {
  const { history, link, replicas } = sources
  if (!isReplica) {
    const peers = [...replicas.all()].filter(isOnline).map(roleOfPeer)
    return array([bulk('master'), integer(history.offset), array(peers)])
  }
  return array([
    bulk('slave'),
    bulk(link.address?.host ?? ''),
    integer(link.address?.port ?? 0),
    bulk(ROLE_STATE[link.phase.kind]),
    integer(link.isUp ? history.offset : -1),
  ])
}

function roleOfPeer(peer: ReplicaPeer): Reply {
  return bulks([peerHost(peer), String(peer.listeningPort), String(peer.ackOffset)])
}

function replicaLines(sources: ReportSources): string[] {
  const { host, history, link } = sources
  const { settings, now } = host
  // Without a position our offset is not one of any master's history. Sentinels rank by it.
  const applied = link.hasPosition ? history.offset : 1
  const reader = link.phase.kind === 'streaming' ? link.phase.reader : undefined
  const silence = link.isUp ? ageSeconds(now.monoMs, link.lastInputAtMs) : -1
  return [
    'role:slave',
    `master_host:${link.address?.host ?? ''}`,
    `master_port:${link.address?.port ?? 0}`,
    `master_link_status:${link.isUp ? 'up' : 'down'}`,
    `master_last_io_seconds_ago:${silence}`,
    `master_sync_in_progress:${link.phase.kind === 'transfer' ? 1 : 0}`,
    `slave_read_repl_offset:${applied + (reader?.unappliedBytes ?? 0)}`,
    `slave_repl_offset:${applied}`,
    ...transferLines(sources),
    ...downLines(sources),
    `slave_priority:${settings.int('replica-priority')}`,
    `slave_read_only:${settings.flag('replica-read-only') ? 1 : 0}`,
    `replica_announced:${settings.flag('replica-announced') ? 1 : 0}`,
    ...link.guard.infoLines(),
  ]
}

function transferLines({ host, link }: ReportSources): string[] {
  if (link.phase.kind !== 'transfer') return []
  const { receivedBytes, totalBytes } = link.phase.copy.transfer
  const share = totalBytes === 0 ? 0 : (100 * receivedBytes) / totalBytes
  return [
    `master_sync_total_bytes:${totalBytes}`,
    `master_sync_read_bytes:${receivedBytes}`,
    `master_sync_left_bytes:${totalBytes === 0 ? -1 : totalBytes - receivedBytes}`,
    `master_sync_perc:${share.toFixed(2)}`,
    `master_sync_last_io_seconds_ago:${ageSeconds(host.now.monoMs, link.lastInputAtMs)}`,
  ]
}

/** Absent while the link is up; -1 if it never was, which is not the same as a very long time. */
function downLines({ host, link }: ReportSources): string[] {
  if (link.isUp) return []
  const since = link.downSinceMs
  const seconds = since === undefined ? -1 : ageSeconds(host.now.monoMs, since)
  return [`master_link_down_since_seconds:${seconds}`]
}

function peerLines({ host, replicas }: ReportSources, isReplica: boolean): string[] {
  const { settings } = host
  const needed = settings.int('min-replicas-to-write')
  const isGuarded = needed > 0 && settings.int('min-replicas-max-lag') > 0 && !isReplica
  return [
    `connected_slaves:${replicas.count}`,
    ...(isGuarded ? [`min_slaves_good_slaves:${replicas.goodCount}`] : []),
    ...[...replicas.all()].map((peer, index) => `slave${index}:${peerFields(peer, replicas)}`),
  ]
}

function peerFields(peer: ReplicaPeer, replicas: Replicas): string {
  const lag = isOnline(peer) ? replicas.lagSeconds(peer) : 0
  return [
    `ip=${peerHost(peer)}`,
    `port=${peer.listeningPort}`,
    `state=${PEER_STATE[peer.phase]}`,
    `offset=${peer.ackOffset}`,
    `lag=${lag}`,
  ].join(',')
}

const PEER_STATE: Readonly<Record<PeerPhase, string>> = {
  announced: 'wait_bgsave',
  waiting: 'wait_bgsave',
  copying: 'wait_bgsave',
  loading: 'online',
  online: 'online',
}

function isOnline(peer: ReplicaPeer): boolean {
  return PEER_STATE[peer.phase] === 'online'
}

function historyLines({ history, failoverState }: ReportSources): string[] {
  const { backlog } = history
  return [
    `master_failover_state:${failoverState}`,
    `master_replid:${history.id}`,
    `master_replid2:${history.previousId}`,
    `master_repl_offset:${history.offset}`,
    `second_repl_offset:${history.secondOffset}`,
    `repl_backlog_active:${backlog === undefined ? 0 : 1}`,
    `repl_backlog_size:${history.backlogSizeBytes}`,
    `repl_backlog_first_byte_offset:${backlog?.firstOffset ?? 0}`,
    `repl_backlog_histlen:${backlog?.lengthBytes ?? 0}`,
  ]
}
