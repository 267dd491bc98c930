/**
 * The sections of INFO, with Redis' field names in Redis' order. What nobody measures here is given as
 * 0: monitoring wants the field, not a guess.
 */

import { humanBytes } from '../arguments/numbers.ts'
import type { CommandContext } from '../context.ts'
import { persistenceLines } from '../persistence/report.ts'
import { REDIS_VERSION } from '../version.ts'

/** `field:value` lines. */
type Fields = (context: CommandContext) => string[]

function server({ node, now }: CommandContext): string[] {
  const shutdownMs = node.persistence.shutdown.remainingMs
  const uptimeSeconds = Math.floor((now.monoMs - node.startedAt.monoMs) / 1000)
  return lines({
    redis_version: REDIS_VERSION,
    redis_git_sha1: '00000000',
    redis_git_dirty: 0,
    redis_build_id: '0',
    redis_mode: 'standalone',
    server_name: 'vedette',
    os: '',
    arch_bits: 64,
    process_id: node.port.processFacts().processId,
    process_supervised: 'no',
    run_id: node.runId,
    tcp_port: node.settings.int('port') || node.settings.int('tls-port'),
    server_time_usec: now.wallMs * 1000,
    uptime_in_seconds: uptimeSeconds,
    uptime_in_days: Math.floor(uptimeSeconds / 86_400),
    hz: node.settings.int('hz'),
    configured_hz: node.settings.int('hz'),
    lru_clock: Math.floor(now.wallMs / 1000) % 2 ** 24,
    executable: '',
    config_file: '',
    io_threads_active: 0,
    ...(shutdownMs === undefined ? {} : { shutdown_in_milliseconds: shutdownMs }),
  })
}

function clients({ node }: CommandContext): string[] {
  let replicas = 0
  for (const session of node.sessions) if (session.kind === 'replica') replicas++
  return lines({
    connected_clients: node.sessions.size - replicas,
    cluster_connections: 0,
    maxclients: node.settings.int('maxclients'),
    client_recent_max_input_buffer: 0,
    client_recent_max_output_buffer: 0,
    blocked_clients: node.blocking.count,
    tracking_clients: 0,
    clients_in_timeout_table: 0,
  })
}

function memory({ node }: CommandContext): string[] {
  const maxmemory = node.settings.int('maxmemory')
  const { usedBytes, residentBytes, peakBytes } = node.port.processFacts()
  return lines({
    used_memory: usedBytes,
    used_memory_human: humanBytes(usedBytes),
    used_memory_rss: residentBytes,
    used_memory_rss_human: humanBytes(residentBytes),
    used_memory_peak: peakBytes,
    used_memory_peak_human: humanBytes(peakBytes),
    total_system_memory: 0,
    total_system_memory_human: humanBytes(0),
    maxmemory,
    maxmemory_human: humanBytes(maxmemory),
    maxmemory_policy: node.settings.text('maxmemory-policy'),
    mem_fragmentation_ratio: '1.00',
    mem_fragmentation_bytes: 0,
    mem_allocator: 'javascript',
    active_defrag_running: 0,
    lazyfree_pending_objects: 0,
    lazyfreed_objects: 0,
  })
}

function persistence({ node }: CommandContext): string[] {
  const { usedBytes } = node.port.processFacts()
  return persistenceLines({ persistence: node.persistence, stats: node.stats, usedBytes })
}

function stats({ node }: CommandContext): string[] {
  const counted = node.stats
  const syncs = node.replication.counts()
  return lines({
    total_connections_received: counted.connections,
    total_commands_processed: counted.commands,
    instantaneous_ops_per_sec: 0,
    total_net_input_bytes: counted.inputBytes,
    total_net_output_bytes: counted.outputBytes,
    rejected_connections: counted.rejectedConnections,
    sync_full: syncs.syncFull,
    sync_partial_ok: syncs.syncPartialOk,
    sync_partial_err: syncs.syncPartialErr,
    expired_keys: counted.expiredKeys,
    evicted_keys: 0,
    evicted_clients: 0,
    keyspace_hits: counted.hits,
    keyspace_misses: counted.misses,
    pubsub_channels: node.pubsub.names('channel').length,
    pubsub_patterns: node.pubsub.names('pattern').length,
    pubsubshard_channels: node.pubsub.names('shardChannel').length,
    latest_fork_usec: 0,
    total_forks: 0,
    tracking_total_keys: 0,
    tracking_total_items: 0,
    tracking_total_prefixes: 0,
    unexpected_error_replies: 0,
    total_error_replies: counted.errorReplies,
    total_reads_processed: counted.reads,
    total_writes_processed: counted.writes,
  })
}

function replication({ node }: CommandContext): string[] {
  const { unappliedCommands } = node.stats
  const isIncomplete = node.replication.isReplica() && unappliedCommands > 0
  const missing = isIncomplete ? [`vedette_unapplied_commands:${unappliedCommands}`] : []
  return [...node.replication.infoLines(), ...missing]
}

function cpu({ node }: CommandContext): string[] {
  const { userCpuMicros, systemCpuMicros } = node.port.processFacts()
  return lines({
    used_cpu_sys: (systemCpuMicros / 1e6).toFixed(6),
    used_cpu_user: (userCpuMicros / 1e6).toFixed(6),
    used_cpu_sys_children: '0.000000',
    used_cpu_user_children: '0.000000',
    used_cpu_sys_main_thread: '0.000000',
    used_cpu_user_main_thread: '0.000000',
  })
}

function commandStats({ node }: CommandContext): string[] {
  const found: string[] = []
  for (const { fullName, calls, rejectedCalls, failedCalls } of node.table.everyCommand()) {
    if (calls + rejectedCalls === 0) continue
    const counts = `rejected_calls=${rejectedCalls},failed_calls=${failedCalls}`
    found.push(`cmdstat_${fullName}:calls=${calls},usec=0,usec_per_call=0.00,${counts}`)
  }
  return found
}

function errorStats({ node }: CommandContext): string[] {
  return [...node.stats.errors].map(([code, count]) => `errorstat_${code}:count=${count}`)
}

function cluster(): string[] {
  return lines({ cluster_enabled: 0 })
}

function keyspace({ node, now }: CommandContext): string[] {
  const found: string[] = []
  for (const db of node.keyspace.dbs) {
    if (db.entries.size === 0) continue
    const averageTtlMs = Math.max(0, Math.round(db.averageTtlMs(now.wallMs)))
    const expires = `expires=${db.expires.size},avg_ttl=${averageTtlMs}`
    found.push(`db${db.index}:keys=${db.entries.size},${expires}`)
  }
  return found
}

function nothing(): string[] {
  return []
}

function lines(fields: Readonly<Record<string, string | number>>): string[] {
  return Object.entries(fields).map(([name, value]) => `${name}:${value}`)
}

export const SECTIONS: readonly (readonly [title: string, fields: Fields])[] = [
  ['Server', server],
  ['Clients', clients],
  ['Memory', memory],
  ['Persistence', persistence],
  ['Stats', stats],
  ['Replication', replication],
  ['CPU', cpu],
  ['Modules', nothing],
  ['Commandstats', commandStats],
  ['Errorstats', errorStats],
  ['Latencystats', nothing],
  ['Cluster', cluster],
  ['Keyspace', keyspace],
]
