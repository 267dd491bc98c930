/** Which incidents the records tell, and which of them are asked for. */
import { type ClockTie, commonTime } from '../../blackbox/incident/common-time.ts'
import type { SentinelLife } from '../../blackbox/incident/life.ts'
import { type NodeLife, nodeTime } from '../../blackbox/incident/node-time.ts'
import { type Chapter, explainRecorded } from '../../report/chain/chain.ts'
import { type NodeTies, withJournals } from './own-words.ts'
import { countedFrom, type EndedFailover, type RecordedRun, recordedRun } from './recorded-run.ts'
import type { IncidentStory } from './text.ts'

/** Which incident is meant; the last one if nothing says so. */
export interface Choice {
  readonly last?: boolean
  /** All that were not over by then, in wall-clock milliseconds. */
  readonly since?: number
  /** The one at that moment. */
  readonly at?: number
  /** As the Sentinels announce it: `mymaster-7`. */
  readonly id?: string
  /** Undefined: of all groups. */
  readonly group?: string
}

/** An incident is meant by a moment so near to it: the clock on the wall of whoever asks is another one. */
export const NEAR_MS = 10_000

export interface IncidentsTold {
  readonly run: RecordedRun
  readonly ties: ReadonlyMap<SentinelLife, ClockTie>
  readonly nodeTies: NodeTies
  /** Every incident of the records. */
  readonly all: readonly Chapter[]
  readonly chosen: readonly Chapter[]
  readonly stories: readonly IncidentStory[]
}

/** `lives`: the longest first, and at least one. */
export function tell(
  lives: readonly SentinelLife[],
  choice: Choice,
  nodes: readonly NodeLife[] = [],
): IncidentsTold {
  const ties = commonTime(lives)
  const nodeTies = new Map(nodes.map((node) => [node, nodeTime(node, ties)]))
  const run = withJournals(recordedRun(lives, ties), nodeTies)
  const all = explainRecorded(run.file, run.history)
  const chosen = choose(all, run, choice)
  const stories = chosen.map((chapter): IncidentStory => {
    const own = countedFrom(run, chapter.fromMs)
    const [told = chapter] = explainRecorded(own.file, own.history).slice(all.indexOf(chapter))
    return { run: own, chapter: told, ids: idsOf(chapter, all, run.ended) }
  })
  return { run, ties, nodeTies, all, chosen, stories }
}

function choose(
  chapters: readonly Chapter[],
  run: RecordedRun,
  { since, at, id, group }: Choice,
): readonly Chapter[] {
  const { zeroMs } = run
  const own = chapters.filter((chapter) => group === undefined || chapter.group === group)
  if (id !== undefined) return own.filter((chapter) => idsOf(chapter, own, run.ended).includes(id))
  if (since !== undefined) return own.filter(({ untilMs }) => untilMs + zeroMs >= since)
  if (at === undefined) return own.slice(-1)
  return own.filter(
    ({ fromMs, untilMs }) => fromMs + zeroMs - NEAR_MS <= at && untilMs + zeroMs + NEAR_MS >= at,
  )
}

/**
 * The groups that the records are about: those that the Sentinels watched at the end, and those that had been removed by
 * then and have a story.
 */
export function groupsIn({ run, all }: IncidentsTold): readonly string[] {
  const watched = run.file.topology.groups.map(({ name }) => name)
  return [...new Set([...watched, ...all.flatMap(({ group }) => group ?? [])])]
}

/**
 * The failovers that ended in an incident: usually one, none if it is not over. An incident lasts until the old master
 * is back, which may be after the next one: what ended in both belongs to the one that began last.
 */
export function idsOf(
  chapter: Chapter,
  all: readonly Chapter[],
  ended: readonly EndedFailover[],
): readonly string[] {
  const holds = ({ group, fromMs, untilMs }: Chapter, one: EndedFailover) =>
    one.group === group && one.atMs >= fromMs && one.atMs <= untilMs
  const later = all.filter(({ fromMs }) => fromMs > chapter.fromMs)
  const own = ended.filter(
    (one) => holds(chapter, one) && !later.some((other) => holds(other, one)),
  )
  return [...new Set(own.map(({ id }) => id))]
}
