/**
 * [failover-timeout] No phase of a failover takes longer: an election is given up after ten seconds or the
 * failover-timeout, whichever is less; a replica that does not become a master, or cannot be told to, after the
 * failover-timeout; and for as long the leader waits for the others to follow. Time in TILT, or while the
 * leader itself is in trouble, does not count.
 */
import { isAbort } from '../../core/event-table.ts'
import { eventWords, type Happening, type HeardEvent } from '../happening.ts'
import type { Checker } from './checker.ts'
import type { CheckerView } from './checker-view.ts'
import { readSubject, SentinelPast } from './sentinel-past.ts'

const ELECTION_MS = 10_000
/** The choice waits for INFO of replicas that are slow. */
const CHOICE_MS = 200
const SLACK_MS = 1_000

/** The phase that begins with each event, and how long it may take. */
const PHASES: Partial<Record<HeardEvent, (failoverTimeoutMs: number) => number>> = {
  '+try-failover': (ms) => Math.min(ELECTION_MS, ms),
  '+failover-state-select-slave': () => CHOICE_MS,
  '+failover-state-send-slaveof-noone': (ms) => ms,
  '+failover-state-wait-promotion': (ms) => ms,
  '+failover-state-reconf-slaves': (ms) => ms,
}

interface Phase {
  readonly process: string
  readonly group: string
  readonly name: string
  readonly sinceMs: number
  readonly dueMs: number
}

export function phasesEnd(scene: CheckerView): Checker {
  const past = new SentinelPast()
  const phases = new Map<string, Phase>()
  return {
    name: 'a phase keeps failover-timeout',
    observe: (happening) => {
      const late = overdue(phases, happening.atMs, past, scene)
      past.note(happening)
      note(phases, happening, scene)
      return late
    },
    elapsed: (nowMs) => overdue(phases, nowMs, past, scene),
  }
}

function note(phases: Map<string, Phase>, happening: Happening, scene: CheckerView): void {
  const { process = '' } = happening
  if (happening.kind === 'status' && happening.status !== 'running') {
    for (const [key, phase] of phases) if (phase.process === process) phases.delete(key)
  }
  if (happening.kind === 'event') noteEvent(phases, happening, scene)
}

function noteEvent(
  phases: Map<string, Phase>,
  { atMs, process = '', name, payload }: Happening & { readonly kind: 'event' },
  scene: CheckerView,
): void {
  const group = groupOf(name, payload)
  const key = `${process} ${group}`
  const lengthOf = PHASES[name]
  const timeoutMs = scene.group(group)?.failoverTimeoutMs
  if (lengthOf !== undefined && timeoutMs !== undefined) {
    const isFencing = name === '+failover-state-select-slave' && isStrict(group, scene)
    const dueMs = atMs + lengthOf(timeoutMs) + SLACK_MS + (isFencing ? FENCING_MS : 0)
    phases.set(key, { process, group, name, sinceMs: atMs, dueMs })
  } else if (ENDS.has(name) || isAbort(name)) phases.delete(key)
}

/** A strict group fences in this state: the old master, the rest of its stream, the others, and the master again. */
const FENCING_MS = 9_000

function isStrict(group: string, scene: CheckerView): boolean {
  return scene.group(group)?.replication === 'strict'
}

const ENDS: ReadonlySet<HeardEvent> = new Set([
  ...(['+elected-leader', '+promoted-slave', '+failover-end', '+reinstated-master'] as const),
  ...(['+switch-master', '+config-update-from', '+reset-master', '-monitor', '+monitor'] as const),
])

function groupOf(name: HeardEvent, payload: string): string {
  if (name === '+switch-master') return eventWords('+switch-master', payload)?.group ?? ''
  return readSubject(payload)?.group ?? ''
}

function overdue(
  phases: Map<string, Phase>,
  nowMs: number,
  past: SentinelPast,
  scene: CheckerView,
): string | undefined {
  for (const [key, phase] of phases) {
    if (nowMs <= phase.dueMs) continue
    phases.delete(key)
    const { process, group, name, sinceMs, dueMs } = phase
    const { troubles } = scene
    if (past.isTilted(process) || !troubles.isCalm(process, sinceMs)) continue
    return `${process} has not come further with ${group} than ${name} for ${dueMs - sinceMs - SLACK_MS} ms`
  }
  return undefined
}
