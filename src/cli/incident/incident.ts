/** `vedette incident`: what several Sentinels recorded of a failover, in the order of causes. */
import { writeFileSync } from 'node:fs'
import { commonTime } from '../../blackbox/incident/common-time.ts'
import { SentinelLife } from '../../blackbox/incident/life.ts'
import { segmentPaths } from '../../io/blackbox/segment-reader.ts'
import { reasonOf, StartError } from '../../io/start-error.ts'
import { type Chapter, explainRecorded } from '../../report/chain/chain.ts'
import { renderRecordedPage } from '../../report/page/html-page.ts'
import { playSegment } from '../replay/play.ts'
import { clockTime } from '../replay/words.ts'
import { EXIT_CONFIG, EXIT_FAILED, say } from '../report.ts'
import { countedFrom, partOf, type RecordedRun, recordedRun } from './recorded-run.ts'
import {
  clockLines,
  eventsOf,
  type IncidentStory,
  incidentText,
  type ShownIncident,
} from './text.ts'

export interface IncidentOptions {
  readonly last?: boolean
  /** Wall-clock milliseconds. */
  readonly since?: number
  readonly at?: number
  readonly json?: boolean
  /** The file into which the page is written. */
  readonly html?: string
}

/** An incident is meant by a moment so near to it: the clock on the wall of whoever asks is another one. */
const NEAR_MS = 10_000

/** Returns the exit status. */
export function runIncident(records: readonly string[], options: IncidentOptions): number {
  const { last, since, at, json } = options
  if ([last, since !== undefined, at !== undefined].filter(Boolean).length > 1) {
    say('vedette: --last, --since and --at are three ways to choose: take one')
    return EXIT_CONFIG
  }
  const { lives, faults } = livesIn(segmentPaths(records))
  for (const fault of faults) say(`vedette: ${fault}`)
  if (lives.length === 0) {
    say(`vedette: there is no record of a Sentinel in ${records.join(', ')}`)
    return EXIT_FAILED
  }
  const ties = commonTime(lives)
  const run = recordedRun(lives, ties)
  const all = explainRecorded(run.file, run.history)
  const chosen = choose(all, since, at, run.zeroMs)
  const stories = chosen.map((chapter): IncidentStory => {
    const own = countedFrom(run, chapter.fromMs)
    const [told = chapter] = explainRecorded(own.file, own.history).slice(all.indexOf(chapter))
    return { run: own, chapter: told }
  })
  if (stories.length === 0) {
    say('vedette: these Sentinels suspected no master in that time')
    return EXIT_FAILED
  }
  const shown = { nameOf: run.nameOf, ties, stories }
  if (options.html !== undefined) writePage(options.html, chosen, run, shown)
  process.stdout.write(
    json === true ? `${JSON.stringify(incidentJson(shown))}\n` : incidentText(shown),
  )
  return faults.length === 0 ? 0 : EXIT_FAILED
}

/** One page for all of them, from before the first to behind the last. */
function writePage(
  path: string,
  chosen: readonly Chapter[],
  run: RecordedRun,
  shown: ShownIncident,
): void {
  const fromMs = Math.min(...chosen.map((chapter) => chapter.fromMs))
  const untilMs = Math.max(...chosen.map((chapter) => chapter.untilMs))
  const part = partOf(run, fromMs, untilMs)
  const [only, another] = chosen
  const title = another === undefined ? (only?.title ?? '') : `${chosen.length} incidents`
  const remarks = [
    `time 0 is ${clockTime(part.zeroMs)}`,
    ...clockLines(shown),
    'told by what Sentinels recorded: what was done to the cluster, what clients felt and which writes were lost is not in it',
  ]
  try {
    writeFileSync(
      path,
      renderRecordedPage({ title, remarks, file: part.file, history: part.history }),
    )
  } catch (error) {
    throw new StartError(
      'E_REPORT_FILE',
      `cannot write ${path}: ${reasonOf(error)}`,
      'name a file that this user may write',
    )
  }
}

/** By default the last one. */
function choose(
  chapters: readonly Chapter[],
  since: number | undefined,
  at: number | undefined,
  zeroMs: number,
): readonly Chapter[] {
  if (since !== undefined) return chapters.filter(({ untilMs }) => untilMs + zeroMs >= since)
  if (at === undefined) return chapters.slice(-1)
  return chapters.filter(
    ({ fromMs, untilMs }) => fromMs + zeroMs - NEAR_MS <= at && untilMs + zeroMs + NEAR_MS >= at,
  )
}

/** Every life of every Sentinel, the longest first: its clock is the common one. */
function livesIn(paths: readonly string[]): {
  readonly lives: readonly SentinelLife[]
  readonly faults: readonly string[]
} {
  const lives = new Map<string, SentinelLife>()
  const faults: string[] = []
  for (const path of paths) {
    const steps = playSegment(path)
    let step = steps.next()
    for (; step.done !== true; step = steps.next()) {
      const { state } = step.value
      const { wallMs, monoMs } = state.startedAt
      const key = `${state.myid} ${wallMs} ${monoMs}`
      const life = lives.get(key) ?? new SentinelLife(state)
      lives.set(key, life)
      life.note(step.value)
    }
    if (step.value.fault !== undefined) faults.push(step.value.fault)
  }
  const length = ({ startedAt, lastMonoMs }: SentinelLife) => lastMonoMs - startedAt.monoMs
  const sorted = [...lives.values()].sort((one, other) => length(other) - length(one))
  return { lives: sorted, faults }
}

/** The incidents for scripts. */
function incidentJson({ nameOf, ties, stories }: ShownIncident): object {
  return {
    incidents: stories.map(storyJson),
    clocks: [...ties].map(([{ myid }, { aheadMs, withinMs }]) => {
      return { sentinel: nameOf(myid), aheadMs, withinMs: withinMs ?? null }
    }),
  }
}

function storyJson(story: IncidentStory): object {
  const { chapter, run } = story
  const time = (atMs: number) => clockTime(run.zeroMs + atMs)
  return {
    title: chapter.title,
    from: time(chapter.fromMs),
    until: time(chapter.untilMs),
    sentences: chapter.links.map(({ atMs, process, text }) => ({
      at: atMs === undefined ? null : time(atMs),
      process: process ?? null,
      text,
    })),
    events: eventsOf(story).map(({ atMs, process, text }) => {
      return { at: time(atMs), sentinel: process, event: text }
    }),
  }
}
