/**
 * The text of INFO: the sections of Sentinel mode, with Redis' field names in Redis' order, because that
 * is what monitoring looks for. What nobody measures or has here (keys, replication, ticks) is 0.
 */

import { shownHost } from '../names/names.ts'
import { runningScripts } from '../scripts/script-job.ts'
import type { Group, State, Turn } from '../state.ts'
import { isOdown, isSdown, isTilted } from '../state.ts'
import { clientFields, cpuFields, type Field, serverFields, statsFields } from './process-info.ts'
import { ownFields } from './remarks.ts'

export { REDIS_VERSION } from './process-info.ts'

interface Section {
  readonly title: string
  readonly fields: (turn: Turn) => readonly Field[]
}

const SECTIONS: readonly Section[] = [
  { title: 'Server', fields: serverFields },
  { title: 'Clients', fields: clientFields },
  { title: 'Stats', fields: statsFields },
  { title: 'CPU', fields: cpuFields },
  { title: 'Sentinel', fields: sentinelFields },
]

/** Only by name: INFO without one stays what Redis' tools expect. */
const OWN: Section = { title: 'Vedette', fields: ownFields }

const EVERYTHING: readonly string[] = ['default', 'all', 'everything']

/** The named sections, in our order; without names all. Unknown names are passed over. */
export function infoText(turn: Turn, names: readonly string[]): string {
  const wanted = names.map((name) => name.toLowerCase())
  const isAll = wanted.length === 0 || wanted.some((name) => EVERYTHING.includes(name))
  const isNamed = ({ title }: Section) => wanted.includes(title.toLowerCase())
  return [...SECTIONS.filter((section) => isAll || isNamed(section)), ...[OWN].filter(isNamed)]
    .map((section) => sectionText(turn, section))
    .join('\r\n')
}

function sectionText(turn: Turn, section: Section): string {
  const lines = section.fields(turn).map(([name, value]) => `${name}:${value}\r\n`)
  return `# ${section.title}\r\n${lines.join('')}`
}

function sentinelFields({ state, now }: Turn): readonly Field[] {
  return [
    ['sentinel_masters', state.groups.size],
    ['sentinel_tilt', isTilted(state) ? 1 : 0],
    ['sentinel_tilt_since_seconds', tiltSeconds(state, now.monoMs)],
    ['sentinel_total_tilt', state.tilt.total],
    ['sentinel_running_scripts', runningScripts(state.scripts)],
    ['sentinel_scripts_queue_length', state.scripts.jobs.size],
    ['sentinel_simulate_failure_flags', crashFlags(state)],
    ...[...state.groups.values()].map((group, index) => groupField(state, group, index)),
  ]
}

/** One bit for each moment. */
function crashFlags({ crashesAfter }: State): number {
  return (crashesAfter.election ? 1 : 0) + (crashesAfter.promotion ? 2 : 0)
}

/** -1 outside TILT. */
function tiltSeconds(state: State, nowMs: number): number {
  const sinceMs = state.tilt.sinceMs
  return sinceMs === undefined ? -1 : Math.floor((nowMs - sinceMs) / 1000)
}

/** The configured address: until the switch is complete, that is still the old master's. */
function groupField(state: State, group: Group, index: number): Field {
  const { name, host, port } = group.config
  const value = [
    `name=${name}`,
    `status=${statusOf(group)}`,
    `address=${shownHost(state, host)}:${port}`,
    `slaves=${group.replicas.size}`,
    `sentinels=${group.peers.size + 1}`,
  ]
  return [`master${index}`, value.join(',')]
}

function statusOf(group: Group): 'ok' | 'sdown' | 'odown' {
  if (isOdown(group)) return 'odown'
  return isSdown(group.master) ? 'sdown' : 'ok'
}
