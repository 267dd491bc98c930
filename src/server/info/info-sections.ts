/**
 * The sections of INFO, with Redis' field names in Redis' order. A value that is not measured here is
 * 0: monitoring wants the field, not a guess.
 */
import { persistenceLines } from '../persistence/report.ts'
import { REDIS_VERSION } from '../version.ts'
import { type InfoSource, lines } from './info-lines.ts'
import { memory } from './memory-section.ts'
import { newerClientFields, newerServerFields, newerStatsFields } from './newer-fields.ts'
import type { Counted } from './rates.ts'

/** What INFO tells of, and the moment at which it does. */
/** `field:value` lines. */
type Fields = (source: InfoSource) => string[]

function server({ node, now }: InfoSource): string[] {
  const { processId, version, os, executable, configFile, supervisedBy } = node.port.processFacts()
  const shutdownMs = node.persistence.shutdown.remainingMs
  const uptimeSeconds = Math.floor((now.monoMs - node.startedAt.monoMs) / 1000)
  return lines({
    redis_version: REDIS_VERSION,
    redis_git_sha1: '00000000',
    redis_git_dirty: 0,
    redis_build_id: '0',
    redis_mode: 'standalone',
    server_name: 'vedette',
    vedette_version: version,
    os,
    arch_bits: 64,
    monotonic_clock: 'node performance.now',
    multiplexing_api: 'libuv',
    atomicvar_api: '',
    gcc_version: '0.0.0',
    process_id: processId,
    process_supervised: supervisedBy,
    run_id: node.runId,
    tcp_port: node.settings.int('port') || node.settings.int('tls-port'),
    server_time_usec: now.wallMs * 1000,
    uptime_in_seconds: uptimeSeconds,
    uptime_in_days: Math.floor(uptimeSeconds / 86_400),
    hz: node.settings.int('hz'),
    configured_hz: node.settings.int('hz'),
    lru_clock: Math.floor(now.wallMs / 1000) % 2 ** 24,
    executable,
    config_file: configFile,
    io_threads_active: 0,
    ...newerServerFields({ node, now }),
    ...(shutdownMs === undefined ? {} : { shutdown_in_milliseconds: shutdownMs }),
  })
}

function clients({ node, now }: InfoSource): string[] {
  let replicas = 0
  // A pause blocks clients as well.
  let blocked = node.blocking.count
  for (const { kind, postponed } of node.sessions) {
    if (kind === 'replica') replicas++
    if (postponed !== undefined) blocked++
  }
  return lines({
    connected_clients: node.sessions.size - replicas,
    cluster_connections: 0,
    maxclients: node.settings.int('maxclients'),
    client_recent_max_input_buffer: 0,
    client_recent_max_output_buffer: 0,
    blocked_clients: blocked,
    tracking_clients: node.tracking.clients,
    clients_in_timeout_table: 0,
    ...newerClientFields({ node, now }),
  })
}

function persistence({ node }: InfoSource): string[] {
  const {
    persistence,
    stats: counted,
    memory: use,
    replication: { isCopying },
  } = node
  return persistenceLines({
    persistence,
    stats: counted,
    isCopying,
    usedBytes: use.usedBytes,
  })
}

function replication({ node }: InfoSource): string[] {
  const { unappliedCommands, refusedCommands } = node.stats
  // A replica that was promoted misses what it missed.
  const passedOver = Object.entries({
    vedette_unapplied_commands: unappliedCommands,
    vedette_refused_commands: refusedCommands,
  }).filter(([, count]) => count > 0)
  return [...node.replication.infoLines(), ...passedOver.map(([name, count]) => `${name}:${count}`)]
}

/** One thread does all the work, and there are no children: what helpers of the engine use is not told apart. */
function cpu({ node }: InfoSource): string[] {
  const { userCpuMicros, systemCpuMicros } = node.port.processFacts()
  const system = (systemCpuMicros / 1e6).toFixed(6)
  const user = (userCpuMicros / 1e6).toFixed(6)
  return lines({
    used_cpu_sys: system,
    used_cpu_user: user,
    used_cpu_sys_children: '0.000000',
    used_cpu_user_children: '0.000000',
    used_cpu_sys_main_thread: system,
    used_cpu_user_main_thread: user,
  })
}

function commandStats({ node }: InfoSource): string[] {
  const found: string[] = []
  for (const each of node.table.everyCommand()) {
    const { fullName, calls, rejectedCalls, failedCalls } = each
    const micros = Math.round(each.micros)
    if (calls + rejectedCalls === 0) continue
    const counts = `rejected_calls=${rejectedCalls},failed_calls=${failedCalls}`
    const perCall = (calls === 0 ? 0 : micros / calls).toFixed(2)
    found.push(
      `cmdstat_${fullName}:calls=${calls},usec=${micros},usec_per_call=${perCall},${counts}`,
    )
  }
  return found
}

function latencyStats({ node }: InfoSource): string[] {
  const words = node.settings.text('latency-tracking-info-percentiles').split(' ')
  const percents = words.filter((word) => word !== '')
  const found: string[] = []
  for (const { fullName, latency } of node.table.everyCommand()) {
    if (latency === undefined || percents.length === 0) continue
    const shown = percents.map((word) => {
      return `p${word}=${(latency.percentile(Number(word)) / 1000).toFixed(3)}`
    })
    found.push(`latency_percentiles_usec_${fullName}:${shown.join(',')}`)
  }
  return found
}

function errorStats({ node }: InfoSource): string[] {
  const { errors } = node.stats
  return [...errors.keys()].sort().map((code) => `errorstat_${code}:count=${errors.get(code)}`)
}

function cluster(): string[] {
  return lines({ cluster_enabled: 0 })
}

function keyspace({ node, now }: InfoSource): string[] {
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
  ['Latencystats', latencyStats],
  ['Cluster', cluster],
  ['Keyspace', keyspace],
]

/**
 * INFO stats. What does not happen here (forks, defragmentation) or is not measured is 0:
 * monitoring reads the field, and must not get a guess.
 */
function stats({ node, now }: InfoSource): string[] {
  const counted = node.stats
  const kilobytes = (what: Counted) => (node.rates.perSecond(what, now.monoMs) / 1024).toFixed(2)
  return lines({
    total_connections_received: counted.connections,
    total_commands_processed: counted.commands,
    instantaneous_ops_per_sec: Math.round(node.rates.perSecond('commands', now.monoMs)),
    total_net_input_bytes: counted.inputBytes,
    total_net_output_bytes: counted.outputBytes,
    total_net_repl_input_bytes: counted.replicationInputBytes,
    total_net_repl_output_bytes: counted.replicationOutputBytes,
    instantaneous_input_kbps: kilobytes('inputBytes'),
    instantaneous_output_kbps: kilobytes('outputBytes'),
    instantaneous_input_repl_kbps: kilobytes('replicationInputBytes'),
    instantaneous_output_repl_kbps: kilobytes('replicationOutputBytes'),
    rejected_connections: counted.rejectedConnections,
    sync_full: counted.fullSyncs,
    sync_partial_ok: counted.partialSyncs,
    sync_partial_err: counted.refusedPartialSyncs,
    expired_keys: counted.expiredKeys,
    expired_subkeys: counted.expiredFields,
    expired_stale_perc: '0.00',
    expired_time_cap_reached_count: counted.expiryCaps,
    expire_cycle_cpu_milliseconds: Math.floor(counted.expiryMicros / 1000),
    evicted_keys: counted.evictedKeys,
    evicted_clients: counted.evictedClients,
    total_eviction_exceeded_time: Math.round(counted.evictionExceededMs + node.eviction.exceededMs),
    current_eviction_exceeded_time: Math.round(node.eviction.exceededMs),
    keyspace_hits: counted.hits,
    keyspace_misses: counted.misses,
    pubsub_channels: node.pubsub.names('channel').length,
    pubsub_patterns: node.pubsub.names('pattern').length,
    pubsubshard_channels: node.pubsub.names('shardChannel').length,
    latest_fork_usec: 0,
    total_forks: 0,
    migrate_cached_sockets: node.migration.cachedSockets,
    slave_expires_tracked_keys: node.keyspace.localExpiries.size,
    active_defrag_hits: 0,
    active_defrag_misses: 0,
    active_defrag_key_hits: 0,
    active_defrag_key_misses: 0,
    total_active_defrag_time: 0,
    current_active_defrag_time: 0,
    tracking_total_keys: node.tracking.keys,
    tracking_total_items: node.tracking.items,
    tracking_total_prefixes: node.tracking.prefixes,
    unexpected_error_replies: 0,
    total_error_replies: counted.errorReplies,
    dump_payload_sanitizations: 0,
    total_reads_processed: counted.reads,
    total_writes_processed: counted.writes,
    io_threaded_reads_processed: 0,
    io_threaded_writes_processed: 0,
    client_output_buffer_limit_disconnections: counted.slowClients,
    reply_buffer_shrinks: 0,
    reply_buffer_expands: 0,
    ...newerStatsFields({ node, now }),
  })
}
