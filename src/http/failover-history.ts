/**
 * The last failovers and alarms as incidents: when the master was missed, when the quorum agreed, which
 * Sentinel was elected, which replica was promoted, when clients were sent there, or how it ended
 * otherwise. Read from this Sentinel's own events alone, so another Sentinel may know of other moments. They stand in
 * the order in which they came; if the clock is set back, those that are known move along.
 */
import type { Moment } from '../base/clock.ts'
import type { AnnouncedEvent } from '../core/announced-event.ts'
import { incidentId } from '../core/incident-id.ts'
import { ClockSetBack } from './clock-set-back.ts'
import type { RecordedEvent } from './event-ring.ts'

export interface GroupIncident {
  readonly group: string
  /** What `vedette incident --id` takes: of the last attempt that is over; null: none is. */
  readonly incident: string | null
  /** All moments are the wall clock, in ms since 1970; null: it did not happen, or not here. */
  readonly startedMs: number
  readonly endedMs: number | null
  readonly outcome: AlarmOutcome
  readonly noticedMs: number | null
  readonly agreedMs: number | null
  /** When this Sentinel was elected; another one's election is not announced here. */
  readonly electedMs: number | null
  readonly promotedMs: number | null
  readonly switchedMs: number | null
  /** `host:port` before and after, as in the event. */
  readonly from: string | null
  readonly to: string | null
  /** Why it was given up, in the word of the event. */
  readonly reason: string | null
}

/** `open`: it goes on. `withdrawn`: the master answered again. `aborted`: and the master is still down. */
export type AlarmOutcome = 'open' | 'switched' | 'withdrawn' | 'aborted'

const INCIDENTS_MAX = 100
/** Every event of a failover that was given up; the rest of its name is why. */
const ABORTED = /^-failover-abort-(.+)$/

type RunningIncident = { -readonly [Key in keyof GroupIncident]: GroupIncident[Key] }

export class FailoverHistory {
  #all: RunningIncident[] = []
  readonly #open = new Map<string, RunningIncident>()
  /** Of each group, the id of the last attempt. */
  readonly #ids = new Map<string, string>()
  readonly #clock = new ClockSetBack()

  /** The newest first. */
  get incidents(): readonly GroupIncident[] {
    return [...this.#all].reverse()
  }

  /** Call it before each event, and before the incidents are read. */
  followClock(now: Moment): void {
    const byMs = this.#clock.since(now)
    if (byMs !== 0) for (const incident of this.#all) move(incident, byMs)
  }

  /** An event as the log has it, which is told before subscribers hear of it. */
  announced(event: AnnouncedEvent): void {
    const id = incidentId(event)
    if (id !== undefined && event.group !== undefined) this.#ids.set(event.group.name, id)
  }

  see({ name, payload, group, atMs }: RecordedEvent): void {
    if (group === null) return
    if (name === '+switch-master') return this.#switched(group, payload, atMs)
    const [, reason] = ABORTED.exec(name) ?? []
    if (reason !== undefined) return this.#aborted(group, reason, atMs)
    if (!payload.startsWith('master ') && name !== '+promoted-slave') return
    const field = MOMENTS.get(name)
    if (field !== undefined) this.#at(group, atMs)[field] ??= atMs
    if (name === '-odown' || name === '-sdown') this.#end(group, 'withdrawn', atMs)
  }

  #switched(group: string, payload: string, atMs: number): void {
    const [, fromHost, fromPort, toHost, toPort] = payload.split(' ')
    const incident = this.#at(group, atMs)
    incident.incident = this.#ids.get(group) ?? null
    incident.switchedMs = atMs
    incident.from = `${fromHost}:${fromPort}`
    incident.to = `${toHost}:${toPort}`
    this.#end(group, 'switched', atMs)
  }

  /** The next attempt belongs to the same incident, if the master is still missed. */
  #aborted(group: string, reason: string, atMs: number): void {
    const incident = this.#at(group, atMs)
    incident.incident = this.#ids.get(group) ?? null
    incident.reason = reason
    incident.outcome = 'aborted'
    if (incident.noticedMs === null) this.#end(group, 'aborted', atMs)
  }

  #at(group: string, atMs: number): RunningIncident {
    const open = this.#open.get(group)
    if (open !== undefined) return open
    const fresh = newIncident(group, atMs)
    this.#open.set(group, fresh)
    this.#all.push(fresh)
    if (this.#all.length > INCIDENTS_MAX) this.#forget(this.#all.shift())
    return fresh
  }

  #end(group: string, outcome: AlarmOutcome, atMs: number): void {
    const incident = this.#open.get(group)
    if (incident === undefined) return
    incident.outcome = outcome
    incident.endedMs = atMs
    this.#open.delete(group)
  }

  #forget(incident: RunningIncident | undefined): void {
    if (incident !== undefined && this.#open.get(incident.group) === incident) {
      this.#open.delete(incident.group)
    }
  }
}

/** Every field of an incident that is a moment. */
const MOVED = ['endedMs', 'noticedMs', 'agreedMs', 'electedMs', 'promotedMs', 'switchedMs'] as const

function move(incident: RunningIncident, byMs: number): void {
  incident.startedMs += byMs
  for (const field of MOVED) {
    const atMs = incident[field]
    if (atMs !== null) incident[field] = atMs + byMs
  }
}

const MOMENTS: ReadonlyMap<string, 'noticedMs' | 'agreedMs' | 'electedMs' | 'promotedMs'> = new Map(
  [
    ['+sdown', 'noticedMs'],
    ['+odown', 'agreedMs'],
    ['+elected-leader', 'electedMs'],
    ['+promoted-slave', 'promotedMs'],
  ],
)

function newIncident(group: string, startedMs: number): RunningIncident {
  const moments = { noticedMs: null, agreedMs: null, electedMs: null, promotedMs: null }
  const end = { endedMs: null, outcome: 'open', switchedMs: null } as const
  const told = { incident: null, from: null, to: null, reason: null }
  return { group, startedMs, ...moments, ...end, ...told }
}
