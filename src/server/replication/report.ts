/** How replication looks from outside: INFO replication and ROLE, in Redis' words and order. */
import type { Moment } from '../../base/clock.ts'
import { array, bulk, bulks, integer, type Reply } from '../../resp/reply.ts'
import { ageSeconds } from '../seconds.ts'
import type { NodeFailoverState } from './failover.ts'
import { ROLE_STATE } from './following/link-phase.ts'
import type { MasterLink } from './following/master-link.ts'
import { type PeerPhase, peerHost, type ReplicaPeer } from './serving/replica-peer.ts'
import type { Replicas } from './serving/replicas.ts'
import type { WriteFence } from './serving/write-fence.ts'
import { isReplica, type ReplicationState } from './state.ts'

/** INFO replication without its header. */
export function infoLines(
  state: ReplicationState,
  link: MasterLink,
  fence: WriteFence,
  failoverState: NodeFailoverState,
): string[] {
  const own = state.master === undefined ? ['role:master'] : replicaLines(state, link)
  return [...own, ...peerLines(state, fence), ...historyLines(state, failoverState)]
}

export function roleReply(state: ReplicationState, link: MasterLink): Reply {
  const { history, replicas, master } = state
  if (master === undefined) {
    const peers = [...replicas.all()].filter(isOnline).map(roleOfPeer)
    return array([bulk('master'), integer(history.offset), array(peers)])
  }
  return array([
    bulk('slave'),
    bulk(master.host),
    integer(master.port),
    bulk(ROLE_STATE[link.phase.kind]),
    integer(link.isUp ? history.offset : -1),
  ])
}

function roleOfPeer(peer: ReplicaPeer): Reply {
  return bulks([peerHost(peer), String(peer.listeningPort), String(peer.ackOffset)])
}

function replicaLines(state: ReplicationState, link: MasterLink): string[] {
  const { node, history, master } = state
  const { settings, now } = node
  // Without a position our offset belongs to no master's history. Sentinels rank replicas by it.
  const applied = link.hasPosition ? history.offset : 1
  const reader = link.phase.kind === 'streaming' ? link.phase.reader : undefined
  const silence = link.isUp ? ageSeconds(now.monoMs, link.lastInputAtMs) : -1
  return [
    'role:slave',
    `master_host:${master?.host ?? ''}`,
    `master_port:${master?.port ?? 0}`,
    `master_link_status:${link.isUp ? 'up' : 'down'}`,
    `master_last_io_seconds_ago:${silence}`,
    `master_sync_in_progress:${link.phase.kind === 'transfer' ? 1 : 0}`,
    `slave_read_repl_offset:${applied + (reader?.unappliedBytes ?? 0)}`,
    `slave_repl_offset:${applied}`,
    ...transferLines(link, now),
    ...downLines(link, now),
    `slave_priority:${settings.int('replica-priority')}`,
    `slave_read_only:${settings.flag('replica-read-only') ? 1 : 0}`,
    `replica_announced:${settings.flag('replica-announced') ? 1 : 0}`,
    ...link.guard.infoLines(),
  ]
}

function transferLines(link: MasterLink, now: Moment): string[] {
  if (link.phase.kind !== 'transfer') return []
  const { receivedBytes, totalBytes } = link.phase.copy.transfer
  const share = totalBytes === 0 ? 0 : (100 * receivedBytes) / totalBytes
  return [
    `master_sync_total_bytes:${totalBytes}`,
    `master_sync_read_bytes:${receivedBytes}`,
    `master_sync_left_bytes:${totalBytes === 0 ? -1 : totalBytes - receivedBytes}`,
    `master_sync_perc:${share.toFixed(2)}`,
    `master_sync_last_io_seconds_ago:${ageSeconds(now.monoMs, link.lastInputAtMs)}`,
  ]
}

/**
 * No lines while the link is up; -1 if it never was, which is not the same as a very long time. Whole seconds that
 * are over: Redis says 1 when the second has changed meanwhile, and a Sentinel with a down-after of 50 ms would take
 * a replica that lost the master 10 ms ago for too old.
 */
function downLines(link: MasterLink, now: Moment): string[] {
  if (link.isUp) return []
  const since = link.downSinceMs
  const seconds = since === undefined ? -1 : Math.floor((now.monoMs - since) / 1_000)
  return [`master_link_down_since_seconds:${seconds}`]
}

function peerLines(state: ReplicationState, fence: WriteFence): string[] {
  const { replicas } = state
  return [
    `connected_slaves:${replicas.count}`,
    ...(fence.isOn && !isReplica(state) ? [`min_slaves_good_slaves:${fence.goodCount}`] : []),
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

function historyLines({ history }: ReplicationState, failoverState: NodeFailoverState): string[] {
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
