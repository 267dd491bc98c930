/** The sections of INFO about the process, its clients and its counters. */
import type { State, Turn } from '../state.ts'

/**
 * The Redis version whose behaviour we follow. Clients decide by it which commands they may use.
 */
export const REDIS_VERSION = '7.0.15'

export type Field = readonly [name: string, value: string | number]

export function serverFields({ state, now }: Turn): readonly Field[] {
  const { process } = state
  const uptimeSeconds = Math.floor((now.monoMs - state.startedAt.monoMs) / 1000)
  return [
    ['redis_version', REDIS_VERSION],
    ['redis_git_sha1', '00000000'],
    ['redis_git_dirty', 0],
    ['redis_build_id', 0],
    ['redis_mode', 'sentinel'],
    ['os', process?.os ?? ''],
    ['arch_bits', process?.archBits ?? 64],
    ['monotonic_clock', 'POSIX clock_gettime'],
    ['multiplexing_api', 'libuv'],
    ['atomicvar_api', ''],
    ['gcc_version', '0.0.0'],
    ['process_id', process?.pid ?? 0],
    ['process_supervised', process?.supervised ?? 'no'],
    ['run_id', process?.runId ?? state.myid],
    ['tcp_port', state.config.port || state.config.tlsPort],
    ['server_time_usec', now.wallMs * 1000],
    ['uptime_in_seconds', uptimeSeconds],
    ['uptime_in_days', Math.floor(uptimeSeconds / 86_400)],
    ['hz', 0],
    ['configured_hz', 0],
    // Redis' LRU clock: seconds, in 24 bits.
    ['lru_clock', Math.floor(now.wallMs / 1000) % 2 ** 24],
    ['executable', process?.executable ?? ''],
    ['config_file', process?.configFile ?? ''],
    ['io_threads_active', 0],
  ]
}

export function clientFields({ state }: Turn): readonly Field[] {
  return [
    ['connected_clients', state.clients.size],
    ['cluster_connections', 0],
    ['maxclients', state.config.maxClients],
    ['client_recent_max_input_buffer', 0],
    ['client_recent_max_output_buffer', 0],
    ['blocked_clients', 0],
    ['tracking_clients', [...state.clients.values()].filter((one) => one.tracking).length],
    ['clients_in_timeout_table', 0],
  ]
}

/** Redis' fields of this section, a few in each line; most describe what only a data node does. */
const STATS = `
  total_connections_received total_commands_processed instantaneous_ops_per_sec
  total_net_input_bytes total_net_output_bytes total_net_repl_input_bytes total_net_repl_output_bytes
  instantaneous_input_kbps instantaneous_output_kbps
  instantaneous_input_repl_kbps instantaneous_output_repl_kbps
  rejected_connections sync_full sync_partial_ok sync_partial_err
  expired_keys expired_stale_perc expired_time_cap_reached_count expire_cycle_cpu_milliseconds
  evicted_keys evicted_clients total_eviction_exceeded_time current_eviction_exceeded_time
  keyspace_hits keyspace_misses pubsub_channels pubsub_patterns pubsubshard_channels
  latest_fork_usec total_forks migrate_cached_sockets slave_expires_tracked_keys
  active_defrag_hits active_defrag_misses active_defrag_key_hits active_defrag_key_misses
  total_active_defrag_time current_active_defrag_time
  tracking_total_keys tracking_total_items tracking_total_prefixes
  unexpected_error_replies total_error_replies dump_payload_sanitizations
  total_reads_processed total_writes_processed io_threaded_reads_processed
  io_threaded_writes_processed reply_buffer_shrinks reply_buffer_expands
`
  .trim()
  .split(/\s+/)

/** Fields that are written with two decimals. */
const FRACTIONS: ReadonlySet<string> = new Set([
  'instantaneous_input_kbps',
  'instantaneous_output_kbps',
  'instantaneous_input_repl_kbps',
  'instantaneous_output_repl_kbps',
  'expired_stale_perc',
])

export function statsFields({ state }: Turn): readonly Field[] {
  const counted = countedIn(state)
  return STATS.map((name) => [name, counted.get(name) ?? (FRACTIONS.has(name) ? '0.00' : 0)])
}

function countedIn({ stats, clients }: State): ReadonlyMap<string, number> {
  const all = [...clients.values()]
  const prefixes = new Set(all.flatMap((client) => client.tracking?.prefixes ?? []))
  return new Map([
    ['total_connections_received', stats.connectionsReceived],
    ['total_commands_processed', stats.commandsProcessed],
    ['total_net_input_bytes', stats.bytesReceived],
    ['rejected_connections', stats.rejected],
    ['pubsub_channels', new Set(all.flatMap((client) => [...client.channels])).size],
    ['pubsub_patterns', new Set(all.flatMap((client) => [...client.patterns])).size],
    ['tracking_total_prefixes', prefixes.size],
    ['total_error_replies', stats.errorReplies],
    ['total_reads_processed', stats.reads],
  ])
}

/** One thread makes all decisions, and children (scripts) are not counted. */
export function cpuFields({ state }: Turn): readonly Field[] {
  const usage = state.process?.cpuUsage() ?? { systemSeconds: 0, userSeconds: 0 }
  const [system, user] = [usage.systemSeconds.toFixed(6), usage.userSeconds.toFixed(6)]
  const none = '0.000000'
  return [
    ['used_cpu_sys', system],
    ['used_cpu_user', user],
    ['used_cpu_sys_children', none],
    ['used_cpu_user_children', none],
    ['used_cpu_sys_main_thread', system],
    ['used_cpu_user_main_thread', user],
  ]
}
