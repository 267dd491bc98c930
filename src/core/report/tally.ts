/**
 * What a Sentinel counts of its own events, for monitoring: how often each was announced, and how long
 * each phase of a failover took. `announce` tells it; the machine decides nothing by it.
 *
 * An incident begins when the master goes S_DOWN, or when a failover begins without that. It ends with the
 * switch, or as a false alarm: the master answers again and nothing came of it. Each phase is counted from
 * the one before it that this Sentinel has seen, and only an incident that led to a switch is measured.
 */
import { observe } from '../../base/histogram.ts'
import { type EventName, isAbort } from '../event-table.ts'
import type { Group, Instance, Turn } from '../state.ts'
import { isSdown } from '../state.ts'
import {
  type EventTally,
  FAILOVER_PHASES,
  type FailoverPhase,
  type GroupTally,
  type OpenIncident,
  PHASE_ENDS,
} from './event-tally.ts'

const PHASE_OF = new Map<EventName, FailoverPhase>(
  FAILOVER_PHASES.map((phase) => [PHASE_ENDS[phase], phase]),
)

/** What was counted of a group; zeros if nothing has happened to it yet. */
export function tallyOf(tally: EventTally, group: Group): GroupTally {
  const known = tally.groups.get(group)
  if (known !== undefined) return known
  const zero = { switches: 0, led: 0, givenUp: 0, falseAlarms: 0 }
  const fresh = { ...zero, last: undefined, incident: undefined }
  tally.groups.set(group, fresh)
  return fresh
}

/** Takes note of one announced event. */
export function tallyEvent(turn: Turn, name: EventName, about: Instance | Group | undefined): void {
  const { tally } = turn.state.stats
  tally.announced.set(name, (tally.announced.get(name) ?? 0) + 1)
  const group = about?.kind === 'group' ? about : about?.group
  if (group === undefined) return
  // Replicas and peers go down and come back as well; an incident is about the master.
  if (isAboutDown(name) && about?.kind !== 'master') return
  noteProgress(turn, tallyOf(tally, group), group, name)
}

function isAboutDown(name: EventName): boolean {
  return name === '+sdown' || name === '-sdown'
}

function noteProgress(turn: Turn, counts: GroupTally, group: Group, name: EventName): void {
  const nowMs = turn.now.monoMs
  if (isAbort(name)) return giveUp(counts, group)
  if (name === '+sdown' && group.failover === undefined) counts.incident = undefined
  if (name === '+sdown') counts.incident ??= beginning(owedSinceMs(group, nowMs))
  if (name === '+try-failover') counts.incident ??= beginning(nowMs)
  const phase = PHASE_OF.get(name)
  const ends = counts.incident?.ends
  if (phase !== undefined && ends?.has(phase) === false) ends.set(phase, nowMs)
  if (name === '-odown') counts.incident?.ends.delete('agreed')
  if (name === '-sdown') withdraw(counts, group)
  if (name === '+reset-master') counts.incident = undefined
  if (name === '+switch-master') conclude(turn, counts)
}

function beginning(beganAtMs: number): OpenIncident {
  return { beganAtMs, ends: new Map() }
}

/** Since when the master has been of no use, as far as its S_DOWN rests on that. */
function owedSinceMs({ master }: Group, nowMs: number): number {
  return master.link.pingPendingSinceMs ?? master.gray?.sinceMs ?? master.emptiedAtMs ?? nowMs
}

/** A failover that is under way goes on without its reason, and so does its incident. */
function withdraw(counts: GroupTally, group: Group): void {
  if (counts.incident === undefined || group.failover !== undefined) return
  counts.incident = undefined
  counts.falseAlarms++
}

/** The master may be down still: then the next attempt belongs to the same incident. */
function giveUp(counts: GroupTally, group: Group): void {
  counts.givenUp++
  for (const phase of ['elected', 'promoted', 'reconfigured'] as const) {
    counts.incident?.ends.delete(phase)
  }
  if (!isSdown(group.master)) counts.incident = undefined
}

function conclude({ state, now }: Turn, counts: GroupTally): void {
  const { incident } = counts
  const part = incident?.ends.has('promoted') ? 'leader' : 'observer'
  const durationsMs = incident === undefined ? new Map<FailoverPhase, number>() : measure(incident)
  counts.switches++
  if (part === 'leader') counts.led++
  counts.last = { part, wallMs: now.wallMs, durationsMs }
  counts.incident = undefined
  const { phases, whole } = state.stats.tally
  for (const [phase, lastedMs] of durationsMs) observe(phases[part][phase], lastedMs / 1000)
  if (incident === undefined) return
  // A leader names the promoted replica from the promotion on, long before the group has switched.
  const namedAtMs = incident.ends.get('promoted') ?? now.monoMs
  observe(whole[part], (namedAtMs - incident.beganAtMs) / 1000)
}

function measure({ beganAtMs, ends }: OpenIncident): ReadonlyMap<FailoverPhase, number> {
  const durations = new Map<FailoverPhase, number>()
  let fromMs = beganAtMs
  for (const phase of FAILOVER_PHASES) {
    const endMs = ends.get(phase)
    if (endMs === undefined) continue
    durations.set(phase, Math.max(0, endMs - fromMs))
    fromMs = endMs
  }
  return durations
}
