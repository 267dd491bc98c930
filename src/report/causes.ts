/** What broke: which of the actions on the world made a master fall silent. */

import { mends } from '../history/action.ts'
import type { ScenarioFile } from '../scenario/scenario-file.ts'
import type { RunHistory } from '../scenario/world.ts'
import type { SuspectedMaster } from './chain/incidents.ts'
import type { LaneMark } from './lanes/lane-model.ts'

export interface Cause extends LaneMark {
  /** What it did to the master, if that was seen. */
  readonly effect: 'went down' | 'was paused' | undefined
}

/** Undefined if no action on the world explains it. */
export function causeOf(
  { master, startMs, attempts, suspicions }: SuspectedMaster,
  file: ScenarioFile,
  history: RunHistory,
): Cause | undefined {
  const faults = history.happenings.flatMap((one) =>
    one.kind === 'fault' && one.atMs <= startMs ? [one] : [],
  )
  const isWanted = suspicions.length === 0 && attempts.length > 0
  if (isWanted) return plain(faults.findLast(({ text }) => /SENTINEL FAILOVER/i.test(text)))
  const halt = lastHalt(master, startMs, history)
  if (halt !== undefined) {
    const fault = faults.findLast(({ atMs }) => atMs <= halt.atMs)
    if (fault !== undefined) return { atMs: fault.atMs, text: fault.text, effect: halt.effect }
  }
  const host = file.topology.nodes.find(({ name }) => name === master)?.host ?? master
  const harms = faults.filter(({ action }) => action === undefined || !mends(action))
  return plain(harms.findLast(({ text }) => concerns(text, [master, host])))
}

function plain(fault: LaneMark | undefined): Cause | undefined {
  return fault && { atMs: fault.atMs, text: fault.text, effect: undefined }
}

/** The master stopped running before it was suspected, and has not run since. */
function lastHalt(
  master: string,
  untilMs: number,
  history: RunHistory,
): { atMs: number; effect: 'went down' | 'was paused' } | undefined {
  const last = history.happenings.findLast(
    (one) => one.kind === 'status' && one.process === master && one.atMs <= untilMs,
  )
  if (last?.kind !== 'status' || last.status === 'running' || last.atMs === 0) return undefined
  return { atMs: last.atMs, effect: last.status === 'down' ? 'went down' : 'was paused' }
}

/**
 * Whether an action can separate a process from the others, and names the process, its host, or
 * all.
 */
function concerns(text: string, names: readonly string[]): boolean {
  const words = text.split(/[^\w.-]+/)
  return (
    text.startsWith('partition') || /\*/.test(text) || names.some((name) => words.includes(name))
  )
}
