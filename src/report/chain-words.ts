/** What the sentences of the causal chain share. */
import { formatDuration } from '../scenario/duration.ts'
import type { ScenarioFile } from '../scenario/scenario-file.ts'
import type { History } from '../scenario/world.ts'
import type { Cause } from './causes.ts'
import type { Incident } from './incidents.ts'
import type { Loss } from './losses.ts'

export interface Chapter {
  readonly title: string
  readonly fromMs: number
  readonly untilMs: number
  readonly links: readonly Link[]
}

/** One sentence, and where it happened. */
export interface Link {
  /** Undefined: it is about no moment. */
  readonly atMs: number | undefined
  readonly process: string | undefined
  readonly text: string
}

/** What is known of one incident. */
export interface Story {
  readonly incident: Incident
  readonly cause: Cause | undefined
  readonly file: ScenarioFile
  readonly history: History
  readonly losses: readonly Loss[]
}

export function link(atMs: number | undefined, text: string, process?: string): Link {
  return { atMs, process, text }
}

/** `a`, `a and b`, `a, b and c`. */
export function list(names: readonly string[]): string {
  if (names.length <= 1) return names[0] ?? 'nobody'
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** `, 1.001 s after the fault`, or nothing when it is not known what it was. */
export function sinceCause(atMs: number, { cause, incident }: Story): string {
  if (cause === undefined) return ''
  const what = incident.suspicions.length === 0 ? 'the command' : 'the fault'
  return `, ${formatDuration(atMs - cause.atMs)} after ${what}`
}

export function groupOf({
  incident,
  file,
}: Story): ScenarioFile['topology']['groups'][number] | undefined {
  return file.topology.groups.find(({ name }) => name === incident.group)
}

export function majorityOf({ file }: Story): number {
  return Math.floor(file.topology.sentinels.length / 2) + 1
}
