/** What the sentences of the causal chain share. */
import type { Electorate } from '../../history/happening.ts'
import { formatDuration } from '../../scenario/duration.ts'
import type { ScenarioFile } from '../../scenario/scenario-file.ts'
import type { RunHistory } from '../../scenario/world.ts'
import type { Cause } from '../causes.ts'
import type { LostWrite } from '../losses.ts'
import type { Attempt, SuspectedMaster } from './incidents.ts'

export interface Chapter {
  /** Undefined if it is about no particular group. */
  readonly group: string | undefined
  /** The node that was master when it began. */
  readonly master: string | undefined
  readonly title: string
  readonly fromMs: number
  readonly untilMs: number
  readonly links: readonly ChainSentence[]
}

/** One sentence, and where it happened. */
export interface ChainSentence {
  /** Undefined if it is about no particular moment. */
  readonly atMs: number | undefined
  readonly process: string | undefined
  readonly text: string
}

/** What is known of one incident. */
export interface Story {
  readonly incident: SuspectedMaster
  readonly cause: Cause | undefined
  readonly file: ScenarioFile
  readonly history: RunHistory
  readonly losses: readonly LostWrite[]
}

export function link(atMs: number | undefined, text: string, process?: string): ChainSentence {
  return { atMs, process, text }
}

/** `, 1.001 s after the fault`, or an empty text if the cause is unknown. */
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

/** Who counted at an attempt. Sentinels may have come or been forgotten since; a record has what counted then. */
export function electorateOf(story: Story, attempt?: Attempt): Electorate {
  const known = story.file.topology.sentinels.length
  const [first] = story.incident.attempts
  return (attempt ?? first)?.electorate ?? { known, quorum: groupOf(story)?.quorum ?? 0 }
}
