/**
 * The sections of INFO, with Redis' field names in Redis' order. What nobody measures here is given as
 * 0: monitoring wants the field, not a guess.
 */

import type { CommandContext } from '../context.ts'
import { persistenceLines } from '../persistence/report.ts'
import { REDIS_VERSION } from '../version.ts'
import { lines } from './info-lines.ts'
import { memory } from './memory-section.ts'
import { stats } from './stats-section.ts'

/** `field:value` lines. */
type Fields = (context: CommandContext) => string[]

function server({ node, now }: CommandContext): string[] {
  const { processId, os, executable, configFile, supervisedBy } = node.port.processFacts()
  const shutdownMs = node.persistence.shutdown.remainingMs
  const uptimeSeconds = Math.floor((now.monoMs - node.startedAt.monoMs) / 1000)
  return lines({
    redis_version: REDIS_VERSION,
    redis_git_sha1: '00000000',
    redis_git_dirty: 0,
    redis_build_id: '0',
    redis_mode: 'standalone',
    server_name: 'vedette',
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

function persistence({ node }: CommandContext): string[] {
  const { usedBytes } = node.port.processFacts()
  return persistenceLines({ persistence: node.persistence, stats: node.stats, usedBytes })
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
