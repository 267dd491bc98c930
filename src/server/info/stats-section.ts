/**
 * INFO stats. What does not happen here (forks, eviction, defragmentation) or is not measured is 0: who
 * watches reads the field, and must not get a guess.
 */
import type { CommandContext } from '../context.ts'
import { lines } from './info-lines.ts'

export function stats({ node }: CommandContext): string[] {
  const counted = node.stats
  const syncs = node.replication.counts()
  return lines({
    total_connections_received: counted.connections,
    total_commands_processed: counted.commands,
    instantaneous_ops_per_sec: 0,
    total_net_input_bytes: counted.inputBytes,
    total_net_output_bytes: counted.outputBytes,
    total_net_repl_input_bytes: 0,
    total_net_repl_output_bytes: 0,
    instantaneous_input_kbps: '0.00',
    instantaneous_output_kbps: '0.00',
    instantaneous_input_repl_kbps: '0.00',
    instantaneous_output_repl_kbps: '0.00',
    rejected_connections: counted.rejectedConnections,
    sync_full: syncs.syncFull,
    sync_partial_ok: syncs.syncPartialOk,
    sync_partial_err: syncs.syncPartialErr,
    expired_keys: counted.expiredKeys,
    expired_stale_perc: '0.00',
    expired_time_cap_reached_count: 0,
    expire_cycle_cpu_milliseconds: 0,
    evicted_keys: 0,
    evicted_clients: 0,
    total_eviction_exceeded_time: 0,
    current_eviction_exceeded_time: 0,
    keyspace_hits: counted.hits,
    keyspace_misses: counted.misses,
    pubsub_channels: node.pubsub.names('channel').length,
    pubsub_patterns: node.pubsub.names('pattern').length,
    pubsubshard_channels: node.pubsub.names('shardChannel').length,
    latest_fork_usec: 0,
    total_forks: 0,
    migrate_cached_sockets: 0,
    slave_expires_tracked_keys: 0,
    active_defrag_hits: 0,
    active_defrag_misses: 0,
    active_defrag_key_hits: 0,
    active_defrag_key_misses: 0,
    total_active_defrag_time: 0,
    current_active_defrag_time: 0,
    tracking_total_keys: 0,
    tracking_total_items: 0,
    tracking_total_prefixes: 0,
    unexpected_error_replies: 0,
    total_error_replies: counted.errorReplies,
    dump_payload_sanitizations: 0,
    total_reads_processed: counted.reads,
    total_writes_processed: counted.writes,
    io_threaded_reads_processed: 0,
    io_threaded_writes_processed: 0,
    reply_buffer_shrinks: 0,
    reply_buffer_expands: 0,
  })
}
