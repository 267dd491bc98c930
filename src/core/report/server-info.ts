/**
 * The text of INFO: the sections of Sentinel mode, with Redis' field names in Redis' order, because
 * monitoring looks for those. Fields for what a Sentinel does not have or measure (keys,
 * replication, ticks) are 0.
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

/** Shown only by name: INFO without arguments stays what Redis' tools expect. */
const OWN: Section = { title: 'Vedette', fields: ownFields }

const EVERYTHING: readonly string[] = ['default', 'all', 'everything']

/** The named sections, in our order; all of them without names. Unknown names are ignored. */
export function infoText(turn: Turn, names: readonly string[]): string {
  const wanted = names.map((name) => name.toLowerCase())
  const isAll = wanted.length === 0 || wanted.some((name) => EVERYTHING.includes(name))
  const isNamed = ({ title }: Section) => wanted.includes(title.toLowerCase())
  return [...SECTIONS.filter((section) => isAll || isNamed(section)), ...[OWN].filter(isNamed)]
    .map((section) => sectionText(turn, section))
    .join('\r\n')
}

/** What INFO says, by field, but for its lines about groups. */
export function infoFields(turn: Turn): ReadonlyMap<string, string> {
  const sections = [serverFields, clientFields, statsFields, cpuFields, sentinelCounts]
  const fields = sections.flatMap((section) => section(turn))
  return new Map(fields.map(([name, value]) => [name, String(value)]))
}

function sectionText(turn: Turn, section: Section): string {
  const lines = section.fields(turn).map(([name, value]) => `${name}:${value}\r\n`)
  return `# ${section.title}\r\n${lines.join('')}`
}

function sentinelFields(turn: Turn): readonly Field[] {
  const { state } = turn
  const groups = [...state.groups.values()]
  return [...sentinelCounts(turn), ...groups.map((group, index) => groupField(state, group, index))]
}

/** The section of the Sentinel, without its groups. */
function sentinelCounts({ state, now }: Turn): readonly Field[] {
  return [
    ['sentinel_masters', state.groups.size],
    ['sentinel_tilt', isTilted(state) ? 1 : 0],
    ['sentinel_tilt_since_seconds', tiltSeconds(state, now.monoMs)],
    ['sentinel_total_tilt', state.tilt.total],
    ['sentinel_running_scripts', runningScripts(state.scripts)],
    ['sentinel_scripts_queue_length', state.scripts.jobs.size],
    ['sentinel_simulate_failure_flags', crashFlags(state)],
  ]
}

/** One bit for each moment at which the process is to die. */
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
    `status=${masterStatusOf(group)}`,
    `address=${shownHost(state, host)}:${port}`,
    `slaves=${group.replicas.size}`,
    `sentinels=${group.peers.size + 1}`,
  ]
  return [`master${index}`, value.join(',')]
}

export function masterStatusOf(group: Group): 'ok' | 'sdown' | 'odown' {
  if (isOdown(group)) return 'odown'
  return isSdown(group.master) ? 'sdown' : 'ok'
}
