/** What happened in a cluster, as text: a line for each thing done and each event, with its time. */
import type { DiaryEntry } from './diary.ts'

/** The events without which a failover can be understood are left out unless all are asked for. */
const QUIET: ReadonlySet<string> = new Set(['+set', '+monitor', '+slave', '+sentinel'])

export interface TimelineOptions {
  /** Also what the members wrote into their logs. */
  readonly withLogs?: boolean | undefined
}

/** Times are milliseconds since the cluster was started. */
export function timelineText(
  entries: readonly DiaryEntry[],
  { withLogs = false }: TimelineOptions = {},
): string {
  return entries
    .flatMap((entry) => {
      const text = textOf(entry, withLogs)
      return text === undefined ? [] : [`${entry.atMs.toFixed(0).padStart(7)} ms  ${text}`]
    })
    .join('\n')
}

function textOf(entry: DiaryEntry, withLogs: boolean): string | undefined {
  switch (entry.kind) {
    case 'done':
      return `** ${entry.text}`
    case 'event':
      if (QUIET.has(entry.event.name)) return undefined
      return `${entry.member.padEnd(4)} ${entry.event.name} ${entry.event.payload}`
    case 'log':
      return withLogs ? `${entry.member.padEnd(4)} (${entry.level}) ${entry.text}` : undefined
  }
}
