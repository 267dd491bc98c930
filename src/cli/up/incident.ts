/**
 * An incident: from the harm to a master, or from the first Sentinel that misses it, to the first write on
 * its successor. Made of what a client can hear and see; the earliest of several Sentinels counts.
 */
import type { HeardEvent } from '../../core/event-table.ts'

/** The steps in their order. */
export const STEPS = ['noticed', 'agreed', 'elected', 'promoted', 'written'] as const

export type IncidentStep = (typeof STEPS)[number]

export interface MasterIncident {
  /** Counted from 1. */
  readonly number: number
  readonly startedWallMs: number
  /** What was done to the master; empty if it was not done from here. */
  readonly cause: string
  readonly from: number
  /** Undefined until there is a new master. */
  to: number | undefined
  /** Milliseconds from the start. */
  readonly steps: Map<IncidentStep, number>
  /** Acknowledged writes that the new master does not have; undefined: no client writes. */
  lost: number | undefined
  /** `withdrawn`: the master answered again before there was another. */
  state: 'open' | 'switched' | 'withdrawn'
}

export interface Harm {
  readonly wallMs: number
  readonly cause: string
  readonly port: number
}

const KEPT_INCIDENTS = 20

/** The user harms a master. */
export function harmed(incidents: MasterIncident[], { wallMs, cause, port }: Harm): void {
  begin(incidents, wallMs, cause, port)
}

/** What a Sentinel announces. */
export function heardOf(
  incidents: MasterIncident[],
  event: HeardEvent | '',
  text: string,
  wallMs: number,
): void {
  const words = text.split(' ')
  const [kind, , , port] = words
  const isOfMaster = kind === 'master'
  if (event === '+sdown' && isOfMaster) noticed(incidents, Number(port), wallMs)
  const incident = incidents.at(-1)
  if (incident === undefined) return
  if (event === '-sdown' && isOfMaster) withdraw(incident, Number(port))
  if (incident.state !== 'open') return
  if (event === '+odown') step(incident, 'agreed', wallMs)
  else if (event === '+elected-leader') step(incident, 'elected', wallMs)
  else if (event === '+promoted-slave') step(incident, 'promoted', wallMs)
  else if (event === '+switch-master') switched(incident, Number(words.at(-1)), wallMs)
}

/** A client's write was acknowledged by the node with this port. */
export function wrote(incidents: readonly MasterIncident[], port: number, wallMs: number): void {
  const incident = incidents.at(-1)
  if (incident?.to !== port) return
  step(incident, 'written', wallMs)
  incident.lost ??= 0
}

/** A client found that the master does not have so many of its acknowledged writes. */
export function lostWrites(incidents: readonly MasterIncident[], count: number): void {
  const incident = incidents.at(-1)
  if (incident !== undefined) incident.lost = (incident.lost ?? 0) + count
}

function noticed(incidents: MasterIncident[], port: number, wallMs: number): void {
  const last = incidents.at(-1)
  if (last?.state === 'switched' && last.from === port) return
  if (last?.state !== 'open' || last.from !== port) begin(incidents, wallMs, '', port)
  const incident = incidents.at(-1)
  if (incident !== undefined) step(incident, 'noticed', wallMs)
}

function begin(
  incidents: MasterIncident[],
  startedWallMs: number,
  cause: string,
  from: number,
): void {
  const number = (incidents.at(-1)?.number ?? 0) + 1
  const steps = new Map<IncidentStep, number>()
  const open = { to: undefined, lost: undefined, state: 'open' as const }
  incidents.push({ number, startedWallMs, cause, from, steps, ...open })
  if (incidents.length > KEPT_INCIDENTS) incidents.shift()
}

function switched(incident: MasterIncident, to: number, wallMs: number): void {
  step(incident, 'promoted', wallMs)
  incident.to = to
  incident.state = 'switched'
}

function withdraw(incident: MasterIncident, port: number): void {
  if (incident.state === 'open' && incident.from === port) incident.state = 'withdrawn'
}

/** Only the first time counts. */
function step({ steps, startedWallMs }: MasterIncident, name: IncidentStep, wallMs: number): void {
  if (!steps.has(name)) steps.set(name, Math.max(0, wallMs - startedWallMs))
}
