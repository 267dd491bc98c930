/**
 * What redis_exporter reads from INFO, under its names: both programs answer INFO with Redis' field names, so
 * their metrics mean what they mean for a redis-server. Fields that INFO has only for the sake of its readers,
 * always 0 here, are left out: docs/metrics.md lists them.
 */
import type { Exposition } from './exposition.ts'
import { counter, gauge, type MetricFamily, type MetricUnit } from './family.ts'

/** A field of INFO and the family it is shown as. */
export interface InfoMetric {
  readonly field: string
  readonly family: MetricFamily
}

type Kind = typeof gauge

function row(field: string, kind: Kind, name: string, help: string, unit: MetricUnit = '') {
  return { field, family: kind(`redis_${name}`, { help, unit }) }
}

const BOTH: readonly InfoMetric[] = [
  row(
    'uptime_in_seconds',
    gauge,
    'uptime_in_seconds',
    'Time since the process started.',
    'seconds',
  ),
  row('process_id', gauge, 'process_id', 'The id of the process.'),
  row('connected_clients', gauge, 'connected_clients', 'Client connections.'),
  row(
    'total_connections_received',
    counter,
    'connections_received_total',
    'Connections opened by clients.',
  ),
  row(
    'rejected_connections',
    counter,
    'rejected_connections_total',
    'Connections refused because maxclients was reached.',
  ),
  row('total_commands_processed', counter, 'commands_processed_total', 'Commands executed.'),
  row(
    'total_net_input_bytes',
    counter,
    'net_input_bytes_total',
    'Bytes received from clients.',
    'bytes',
  ),
  row('pubsub_channels', gauge, 'pubsub_channels', 'Channels with a subscriber.'),
  row('pubsub_patterns', gauge, 'pubsub_patterns', 'Patterns with a subscriber.'),
  row('maxclients', gauge, 'config_maxclients', 'The setting maxclients.'),
  row(
    'used_cpu_sys',
    counter,
    'cpu_sys_seconds_total',
    'Processor time used in the kernel.',
    'seconds',
  ),
  row(
    'used_cpu_user',
    counter,
    'cpu_user_seconds_total',
    'Processor time used by the program.',
    'seconds',
  ),
]

export const SENTINEL_INFO_METRICS: readonly InfoMetric[] = [
  ...BOTH,
  row('tracking_clients', gauge, 'tracking_clients', 'Clients with CLIENT TRACKING.'),
  row('sentinel_masters', gauge, 'sentinel_masters', 'Groups that this Sentinel watches.'),
  row('sentinel_tilt', gauge, 'sentinel_tilt', 'This Sentinel is in TILT.', 'yes or no'),
  row('sentinel_running_scripts', gauge, 'sentinel_running_scripts', 'Scripts that run now.'),
  row(
    'sentinel_scripts_queue_length',
    gauge,
    'sentinel_scripts_queue_length',
    'Scripts that run or wait.',
  ),
  row(
    'sentinel_simulate_failure_flags',
    gauge,
    'sentinel_simulate_failure_flags',
    'Bits of SENTINEL SIMULATE-FAILURE: 1 after an election, 2 after a promotion.',
  ),
]

const MEMORY: readonly InfoMetric[] = [
  row('used_memory', gauge, 'memory_used_bytes', 'Memory in use, garbage included.', 'bytes'),
  row('used_memory_rss', gauge, 'memory_used_rss_bytes', 'Resident memory.', 'bytes'),
  row(
    'used_memory_peak',
    gauge,
    'memory_used_peak_bytes',
    'The highest value of the memory in use.',
    'bytes',
  ),
  row('maxmemory', gauge, 'memory_max_bytes', 'The setting maxmemory.', 'bytes'),
  row(
    'mem_clients_normal',
    gauge,
    'mem_clients_normal',
    'Memory held for requests and answers of clients.',
    'bytes',
  ),
]

const FILES: readonly InfoMetric[] = [
  row('loading', gauge, 'loading_dump_file', 'The node is loading its data.', 'yes or no'),
  row(
    'rdb_changes_since_last_save',
    gauge,
    'rdb_changes_since_last_save',
    'Changes since the last dump.',
  ),
  row(
    'rdb_bgsave_in_progress',
    gauge,
    'rdb_bgsave_in_progress',
    'A dump is in progress.',
    'yes or no',
  ),
  row(
    'rdb_last_save_time',
    gauge,
    'rdb_last_save_timestamp_seconds',
    'When the last dump was written.',
    'seconds',
  ),
  row(
    'rdb_last_bgsave_status',
    gauge,
    'rdb_last_bgsave_status',
    'The last dump succeeded.',
    'yes or no',
  ),
  row(
    'rdb_last_bgsave_time_sec',
    gauge,
    'rdb_last_bgsave_duration_sec',
    'How long the last dump or copy for replicas took; -1 before the first.',
    'seconds',
  ),
  row(
    'rdb_current_bgsave_time_sec',
    gauge,
    'rdb_current_bgsave_duration_sec',
    'How long the current dump has taken so far; -1 if there is none.',
    'seconds',
  ),
  row('aof_enabled', gauge, 'aof_enabled', 'The append-only file is on.', 'yes or no'),
  row(
    'aof_rewrite_in_progress',
    gauge,
    'aof_rewrite_in_progress',
    'A rewrite of the append-only file is in progress.',
    'yes or no',
  ),
  row(
    'aof_rewrite_scheduled',
    gauge,
    'aof_rewrite_scheduled',
    'A rewrite is scheduled.',
    'yes or no',
  ),
  row(
    'aof_last_rewrite_time_sec',
    gauge,
    'aof_last_rewrite_duration_sec',
    'How long the last rewrite took; -1 before the first.',
    'seconds',
  ),
  row(
    'aof_current_rewrite_time_sec',
    gauge,
    'aof_current_rewrite_duration_sec',
    'How long the current rewrite has taken so far; -1 if there is none.',
    'seconds',
  ),
  row(
    'aof_last_bgrewrite_status',
    gauge,
    'aof_last_bgrewrite_status',
    'The last rewrite succeeded.',
    'yes or no',
  ),
  row(
    'aof_last_write_status',
    gauge,
    'aof_last_write_status',
    'The last write to the append-only file succeeded.',
    'yes or no',
  ),
  row(
    'aof_current_size',
    gauge,
    'aof_current_size_bytes',
    'Size of the append-only file.',
    'bytes',
  ),
  row(
    'aof_base_size',
    gauge,
    'aof_base_size_bytes',
    'Size of the append-only file after the last rewrite.',
    'bytes',
  ),
  row('aof_buffer_length', gauge, 'aof_buffer_length', 'Bytes that wait to be written.', 'bytes'),
  row('aof_pending_bio_fsync', gauge, 'aof_pending_bio_fsync', 'Syncs in progress.'),
  row('aof_delayed_fsync', gauge, 'aof_delayed_fsync', 'Syncs that were late.'),
]

const COUNTED: readonly InfoMetric[] = [
  row(
    'total_net_output_bytes',
    counter,
    'net_output_bytes_total',
    'Bytes sent to clients.',
    'bytes',
  ),
  row('expired_keys', counter, 'expired_keys_total', 'Keys that have expired.'),
  row(
    'expired_time_cap_reached_count',
    counter,
    'expired_time_cap_reached_total',
    'How often the time for deleting expired keys was over first.',
  ),
  row(
    'evicted_keys',
    counter,
    'evicted_keys_total',
    'Keys that were deleted because of maxmemory.',
  ),
  row('keyspace_hits', counter, 'keyspace_hits_total', 'Reads of a key that exists.'),
  row('keyspace_misses', counter, 'keyspace_misses_total', 'Reads of a key that does not exist.'),
  row(
    'acl_access_denied_auth',
    counter,
    'acl_access_denied_auth_total',
    'Logins that were refused.',
  ),
  row(
    'acl_access_denied_cmd',
    counter,
    'acl_access_denied_cmd_total',
    'Commands that a user may not send.',
  ),
  row(
    'acl_access_denied_key',
    counter,
    'acl_access_denied_key_total',
    'Commands on keys that a user may not use.',
  ),
  row(
    'acl_access_denied_channel',
    counter,
    'acl_access_denied_channel_total',
    'Commands on channels that a user may not use.',
  ),
  row(
    'client_output_buffer_limit_disconnections',
    counter,
    'client_output_buffer_limit_disconnections_total',
    'Clients closed because they did not take their output.',
  ),
  row('blocked_clients', gauge, 'blocked_clients', 'Clients that wait in a blocking command.'),
]

const REPLICATION: readonly InfoMetric[] = [
  row('connected_slaves', gauge, 'connected_slaves', 'Replicas attached to this node.'),
  row(
    'repl_backlog_size',
    gauge,
    'replication_backlog_bytes',
    'The maximum size of the backlog.',
    'bytes',
  ),
  row(
    'repl_backlog_active',
    gauge,
    'repl_backlog_is_active',
    'The node has a backlog.',
    'yes or no',
  ),
  row(
    'repl_backlog_first_byte_offset',
    gauge,
    'repl_backlog_first_byte_offset',
    'The oldest offset from which a replica can continue.',
    'bytes',
  ),
  row(
    'repl_backlog_histlen',
    gauge,
    'repl_backlog_history_bytes',
    'Bytes in the backlog now.',
    'bytes',
  ),
  row(
    'master_repl_offset',
    gauge,
    'master_repl_offset',
    'The replication offset of this node.',
    'bytes',
  ),
  row(
    'second_repl_offset',
    gauge,
    'second_repl_offset',
    'The offset up to which replicas of the previous replid may continue; -1 for none.',
    'bytes',
  ),
  row('slave_priority', gauge, 'slave_priority', 'The setting replica-priority.'),
  row('sync_full', gauge, 'replica_resyncs_full', 'Full copies sent to replicas.'),
  row(
    'sync_partial_ok',
    gauge,
    'replica_partial_resync_accepted',
    'Accepted requests for a partial resync.',
  ),
  row(
    'sync_partial_err',
    gauge,
    'replica_partial_resync_denied',
    'Refused requests for a partial resync.',
  ),
]

export const NODE_INFO_METRICS: readonly InfoMetric[] = [
  ...BOTH,
  ...COUNTED,
  ...MEMORY,
  ...FILES,
  ...REPLICATION,
]

export function addInfoMetrics(
  page: Exposition,
  rows: readonly InfoMetric[],
  fields: ReadonlyMap<string, string>,
): void {
  for (const { field, family } of rows) {
    const value = infoNumber(fields.get(field))
    if (value !== undefined) page.add(family, '', value)
  }
}

/** A word of success or failure counts as 1 or 0. */
export function infoNumber(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (text === 'ok' || text === 'up') return 1
  if (text === 'err' || text === 'down') return 0
  const value = Number(text)
  return Number.isNaN(value) ? undefined : value
}
