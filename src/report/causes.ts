/** What broke: which of the things done to the world made a master fall silent. */
import type { ScenarioFile } from '../scenario/scenario-file.ts'
import type { History } from '../scenario/world.ts'
import type { Incident } from './incidents.ts'
import type { Mark } from './lane-model.ts'

export interface Cause extends Mark {
  /** What it did to the master, where that was seen. */
  readonly effect: 'went down' | 'was paused' | undefined
}

/** Undefined: nothing that was done to the world explains it. */
export function causeOf(
  { master, startMs, attempts, suspicions }: Incident,
  file: ScenarioFile,
  history: History,
): Cause | undefined {
  const faults = history.happenings.flatMap((one): Mark[] =>
    one.kind === 'fault' && one.atMs <= startMs ? [{ atMs: one.atMs, text: one.text }] : [],
  )
  const isWanted = suspicions.length === 0 && attempts.length > 0
  if (isWanted) return plain(faults.findLast(({ text }) => /SENTINEL FAILOVER/i.test(text)))
  const halt = lastHalt(master, startMs, history)
  if (halt !== undefined) {
    const fault = faults.findLast(({ atMs }) => atMs <= halt.atMs)
    if (fault !== undefined) return { ...fault, effect: halt.effect }
  }
  const host = file.topology.nodes.find(({ name }) => name === master)?.host ?? master
  return plain(faults.findLast(({ text }) => concerns(text, [master, host])))
}

function plain(fault: Mark | undefined): Cause | undefined {
  return fault === undefined ? undefined : { ...fault, effect: undefined }
}

/** The master stopped to run before it was suspected, and did not run since. */
function lastHalt(
  master: string,
  untilMs: number,
  history: History,
): { atMs: number; effect: 'went down' | 'was paused' } | undefined {
  const last = history.happenings.findLast(
    (one) => one.kind === 'status' && one.process === master && one.atMs <= untilMs,
  )
  if (last?.kind !== 'status' || last.status === 'running' || last.atMs === 0) return undefined
  return { atMs: last.atMs, effect: last.status === 'down' ? 'went down' : 'was paused' }
}

/** Something that can part a process from the others and names it, its host, or everybody. */
function concerns(text: string, names: readonly string[]): boolean {
  if (/^(heal|release|resume|start|repair)\b|works again$|\bas before$/.test(text)) return false
  const words = text.split(/[^\w.-]+/)
  return (
    text.startsWith('partition') || /\*/.test(text) || names.some((name) => words.includes(name))
  )
}
