/** An incident in lines. */
import type { ClockTie } from '../../blackbox/incident/common-time.ts'
import type { SentinelLife } from '../../blackbox/incident/life.ts'
import { groupIn } from '../../history/event-group.ts'
import type { Happening } from '../../history/happening.ts'
import type { Chapter } from '../../report/chain/chain.ts'
import { formatDuration, secondsText } from '../../scenario/duration.ts'
import { colors as pc } from '../colors.ts'
import { clockTime } from '../replay/words.ts'
import { type GroupLosses, type LostPart, lossLines } from './lost-writes.ts'
import { type NodeTies, nodeClockLines, ownWordsOf, silentLines } from './own-words.ts'
import type { RecordedRun } from './recorded-run.ts'
import type { MissingRecord } from './wire-records.ts'

export interface ShownIncident {
  readonly nameOf: (myid: string) => string
  readonly ties: ReadonlyMap<SentinelLife, ClockTie>
  readonly nodeTies: NodeTies
  readonly silentNodes: readonly MissingRecord[]
  readonly stories: readonly IncidentStory[]
  /** Undefined: no node was asked. */
  readonly losses: ShownLosses | undefined
}

/** A chapter, and the run with its times counted from the beginning of the chapter. */
export interface IncidentStory {
  readonly run: RecordedRun
  readonly chapter: Chapter
  /** As the Sentinels announced it; several where one failover followed another at once. */
  readonly ids: readonly string[]
}

/** What is known of the writes that were lost: of each story, in the order of the stories. */
export interface ShownLosses {
  readonly known: GroupLosses
  readonly parts: readonly (readonly LostPart[])[]
}

export function incidentText(shown: ShownIncident): string {
  const stories = shown.stories.flatMap((story, at) => storyLines(story, lostLines(shown, at)))
  return [...stories, ...clockLines(shown), ''].join('\n')
}

/** What the story at this place has lost, in lines. */
export function lostLines({ losses }: ShownIncident, at: number): readonly string[] {
  return losses === undefined ? [] : lossLines(losses.parts[at] ?? [], losses.known)
}

/** How far the clock of each Sentinel is off. */
export function clockLines({
  nameOf,
  ties,
  nodeTies,
  silentNodes,
}: ShownIncident): readonly string[] {
  const sentinels = [...ties].map(([life, tie], at) =>
    clockLine(lifeName(life, [...ties.keys()], nameOf), tie, at === 0),
  )
  return [...sentinels, ...nodeClockLines(nodeTies), ...silentLines(nodeTies, silentNodes)]
}

/** With the time of its start if the Sentinel has started several times. */
function lifeName(
  { myid, startedAt }: SentinelLife,
  all: readonly SentinelLife[],
  nameOf: ShownIncident['nameOf'],
): string {
  const isOnly = all.filter((one) => one.myid === myid).length === 1
  return isOnly ? nameOf(myid) : `${nameOf(myid)} (started ${clockTime(startedAt.wallMs)})`
}

function storyLines(story: IncidentStory, lost: readonly string[]): readonly string[] {
  const { title, links } = story.chapter
  const sentences = links.map(({ atMs, text }) => {
    const time = atMs === undefined ? '' : secondsText(atMs)
    return `${time.padStart(10)}  ${text}`
  })
  const said = ownWordsOf(story).map((one) => ({ ...one, text: `says: ${one.text}` }))
  const events = [...eventsOf(story), ...said]
    .sort((one, other) => one.atMs - other.atMs)
    .map(({ atMs, process, text }) =>
      pc.dim(`${secondsText(atMs).padStart(10)}  ${process}  ${text}`),
    )
  const named = story.ids.map((id) => `, incident ${id}`).join('')
  const when = `began ${clockTime(story.run.zeroMs)}${named}`
  const losses = lost.map((line) => `${''.padStart(10)}  ${line}`)
  return [pc.bold(title), when, ...sentences, ...losses, '', ...events, '']
}

interface ToldEvent {
  readonly atMs: number
  readonly process: string
  readonly text: string
}

/**
 * What was announced from the first sentence of a chapter to its last, in the order of causes. A host that is lost has
 * masters of many groups: what is said of another group belongs into the story of that one.
 */
export function eventsOf({ run, chapter }: IncidentStory): readonly ToldEvent[] {
  const { fromMs, untilMs, group } = chapter
  const isInside = ({ atMs }: Happening) => atMs >= fromMs && atMs <= untilMs
  return run.history.happenings.filter(isInside).flatMap((one) => {
    if (one.kind !== 'event' || one.process === undefined) return []
    if (group !== undefined && (groupIn(one) ?? group) !== group) return []
    return [{ atMs: one.atMs, process: one.process, text: `${one.name} ${one.payload}`.trimEnd() }]
  })
}

function clockLine(name: string, { aheadMs, withinMs }: ClockTie, isFirst: boolean): string {
  if (isFirst) return `times are those of ${name}`
  if (withinMs === undefined)
    return `nothing that ${name} said or heard can be compared with those above: its own clock is believed`
  const stray = formatDuration(Math.abs(aheadMs))
  const where =
    aheadMs === 0 ? 'shows the same' : aheadMs > 0 ? `is ${stray} ahead` : `is ${stray} behind`
  return `the clock of ${name} ${where}, as its exchanges with the others show, to within ${withinMs} ms`
}
