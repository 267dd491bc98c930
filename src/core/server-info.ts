/**
 * The text of INFO: sections of `field:value` lines. The sections are those of Sentinel mode without
 * CPU, and in each only what this machine knows: it has no process id, no sockets and no memory figures,
 * and a made-up number in a dashboard is worse than none.
 */
import type { Group, State, Turn } from './state.ts'
import { isOdown, isSdown, isTilted } from './state.ts'

/** The Redis whose behaviour is followed here. Clients decide by it which commands they may use. */
export const REDIS_VERSION = '7.0.15'

type Field = readonly [name: string, value: string | number]

interface Section {
  readonly title: string
  readonly fields: (turn: Turn) => readonly Field[]
}

const SECTIONS: readonly Section[] = [
  { title: 'Server', fields: serverFields },
  { title: 'Clients', fields: clientFields },
  { title: 'Stats', fields: statsFields },
  { title: 'Sentinel', fields: sentinelFields },
]

const EVERYTHING: readonly string[] = ['default', 'all', 'everything']

/** The named sections, in our order; without names all. Unknown names are passed over. */
export function infoText(turn: Turn, names: readonly string[]): string {
  const wanted = names.map((name) => name.toLowerCase())
  const isAll = wanted.length === 0 || wanted.some((name) => EVERYTHING.includes(name))
  return SECTIONS.filter((section) => isAll || wanted.includes(section.title.toLowerCase()))
    .map((section) => sectionText(turn, section))
    .join('\r\n')
}

function sectionText(turn: Turn, section: Section): string {
  const lines = section.fields(turn).map(([name, value]) => `${name}:${value}\r\n`)
  return `# ${section.title}\r\n${lines.join('')}`
}

function serverFields({ state, now }: Turn): readonly Field[] {
  const uptimeSeconds = Math.floor((now.monoMs - state.startedAt.monoMs) / 1000)
  return [
    ['redis_version', REDIS_VERSION],
    ['redis_mode', 'sentinel'],
    ['run_id', state.myid],
    ['tcp_port', state.config.port],
    ['server_time_usec', now.wallMs * 1000],
    ['uptime_in_seconds', uptimeSeconds],
    ['uptime_in_days', Math.floor(uptimeSeconds / 86_400)],
  ]
}

function clientFields({ state }: Turn): readonly Field[] {
  return [
    ['connected_clients', state.clients.size],
    ['maxclients', state.config.maxClients],
    ['blocked_clients', 0],
  ]
}

function statsFields({ state }: Turn): readonly Field[] {
  const clients = [...state.clients.values()]
  return [
    ['total_connections_received', state.stats.connectionsReceived],
    ['total_commands_processed', state.stats.commandsProcessed],
    ['rejected_connections', state.stats.rejected],
    ['pubsub_channels', new Set(clients.flatMap((client) => [...client.channels])).size],
    ['pubsub_patterns', new Set(clients.flatMap((client) => [...client.patterns])).size],
  ]
}

function sentinelFields({ state, now }: Turn): readonly Field[] {
  return [
    ['sentinel_masters', state.groups.size],
    ['sentinel_tilt', isTilted(state) ? 1 : 0],
    ['sentinel_tilt_since_seconds', tiltSeconds(state, now.monoMs)],
    ['sentinel_total_tilt', state.tilt.total],
    ['sentinel_running_scripts', 0],
    ['sentinel_scripts_queue_length', 0],
    ['sentinel_simulate_failure_flags', 0],
    ...[...state.groups.values()].map(groupField),
  ]
}

/** -1 outside TILT. */
function tiltSeconds(state: State, nowMs: number): number {
  const sinceMs = state.tilt.sinceMs
  return sinceMs === undefined ? -1 : Math.floor((nowMs - sinceMs) / 1000)
}

/** The configured address: until the switch is complete, that is still the old master's. */
function groupField(group: Group, index: number): Field {
  const { name, host, port } = group.config
  const value = [
    `name=${name}`,
    `status=${statusOf(group)}`,
    `address=${host}:${port}`,
    `slaves=${group.replicas.size}`,
    `sentinels=${group.peers.size + 1}`,
  ]
  return [`master${index}`, value.join(',')]
}

function statusOf(group: Group): 'ok' | 'sdown' | 'odown' {
  if (isOdown(group)) return 'odown'
  return isSdown(group.master) ? 'sdown' : 'ok'
}
