/**
 * A client's row: acknowledged writes as a band, outages marked, lost writes where they were acknowledged.
 */

import type { Write } from '../../history/writes.ts'
import { formatDuration, secondsText } from '../../scenario/duration.ts'
import type { LossCause } from '../../scenario/scenario-file.ts'
import type { RunHistory } from '../../scenario/world.ts'
import type { Lane } from '../lanes/lane-model.ts'
import { wordState } from '../lanes/lane-state.ts'
import { LOSS_WORDS, type LostWrite } from '../losses.ts'
import { html, type Markup } from './html.ts'
import { pixelsPerMs, type Scale, xOf } from './page-scale.ts'

const BASE = 42
const BAND = 28

export function renderClientTrack(
  lane: Lane,
  { scale, history, losses }: { scale: Scale; history: RunHistory; losses: readonly LostWrite[] },
): Markup {
  const writes = history.writes.filter(({ client }) => client === lane.name)
  const availability = availabilityOf(writes, history.endMs)
  const own = losses.filter(({ client }) => client === lane.name)
  const { stepMs, counts } = availability
  return html`${outages(lane, scale)}
<rect class="band-hit" data-x0="0" data-x1="${history.endMs}" data-step="${stepMs}" data-counts="${counts.join(' ')}" data-client="${lane.name}" x="${scale.left}" y="${BASE - BAND}" width="${scale.width - scale.left}" height="${BAND}"/>
<g class="scaled" transform="translate(${scale.left} 0) scale(${pixelsPerMs(scale)} 1)"><path class="acknowledged" d="${bandPath(availability)}"/>${lossPaths(own, stepMs)}</g>
<line class="base" x1="0" x2="4000" y1="${BASE}" y2="${BASE}"/>${lossSpans(own, lane, scale)}`
}

/** Neighbouring steps of equal height are one rectangle; x is in milliseconds. */
function bandPath({ stepMs, counts }: Availability): string {
  const most = Math.max(1, ...counts)
  let path = ''
  for (let first = 0; first < counts.length; ) {
    const count = counts[first] ?? 0
    let after = first + 1
    while (after < counts.length && counts[after] === count) after++
    const height = Math.round((count / most) * BAND * 10) / 10
    if (count > 0)
      path += `M${first * stepMs} ${BASE}v-${height}h${(after - first) * stepMs}v${height}z`
    first = after
  }
  return path
}

function outages(lane: Lane, scale: Scale): Markup[] {
  return lane.spans.flatMap(({ fromMs, untilMs, state }) => {
    if (state.kind !== 'waiting' && state.kind !== 'paused') return []
    const length = formatDuration(untilMs - fromMs)
    const tip = `${lane.name}: ${wordState(state)} for ${length}\n${secondsText(fromMs)} to ${secondsText(untilMs)}`
    const x = xOf(fromMs, scale)
    const width = Math.max(0.5, xOf(untilMs, scale) - x)
    const hidden = length.length * 6 + 10 > width ? html` hidden=""` : undefined
    return [
      html`<rect class="outage" data-x0="${fromMs}" data-x1="${untilMs}" data-tip="${tip}" x="${x}" y="${BASE - BAND}" width="${width}" height="${BAND}"/><text class="bar-text outage-text" data-x0="${fromMs}" data-x1="${untilMs}" x="${x + 6}" y="${BASE - 10}"${hidden}>${length}</text>`,
    ]
  })
}

/** A strip under each step of time in which some lost writes were acknowledged, however many. */
function lossPaths(losses: readonly LostWrite[], stepMs: number): Markup[] {
  return [...byCause(losses)].map(([cause, some]) => {
    const steps = [...new Set(some.map(({ atMs }) => Math.floor(atMs / stepMs)))]
    let path = ''
    for (let first = 0; first < steps.length; ) {
      let after = first + 1
      while (after < steps.length && steps[after] === (steps[after - 1] ?? 0) + 1) after++
      const length = (after - first) * stepMs
      path += `M${(steps[first] ?? 0) * stepMs} ${BASE + 2}h${length}v6h-${length}z`
      first = after
    }
    return html`<path class="lost ${cause}" d="${path}"/>`
  })
}

/** For the tooltip: from the first lost write of a cause to the last one. */
function lossSpans(losses: readonly LostWrite[], lane: Lane, scale: Scale): Markup[] {
  return [...byCause(losses)].map(([cause, some]) => {
    const fromMs = some[0]?.atMs ?? 0
    const untilMs = (some.at(-1)?.atMs ?? fromMs) + 1
    const tip = `${lane.name}: ${some.length} acknowledged writes lost: ${LOSS_WORDS[cause]}\n${secondsText(fromMs)} to ${secondsText(untilMs)}`
    const x = xOf(fromMs, scale)
    const width = Math.max(0.5, xOf(untilMs, scale) - x)
    return html`<rect class="loss-hit" data-x0="${fromMs}" data-x1="${untilMs}" data-tip="${tip}" x="${x}" y="${BASE + 1}" width="${width}" height="9"/>`
  })
}

function byCause(losses: readonly LostWrite[]): ReadonlyMap<LossCause, readonly LostWrite[]> {
  const causes = new Map<LossCause, LostWrite[]>()
  for (const loss of losses) {
    const known = causes.get(loss.cause)
    if (known === undefined) causes.set(loss.cause, [loss])
    else known.push(loss)
  }
  return causes
}

/** How many writes a client got acknowledged, in equal steps of time. */
interface Availability {
  readonly stepMs: number
  /** One number per step, from the start of the run to its end. */
  readonly counts: readonly number[]
}

const STEP_MS = 100
/** Longer runs have longer steps: the page must not grow with the run. */
const MOST_STEPS = 1_200
/**
 * For a slow client, a step is so long that it usually contains a few writes, or its band would be full
 * of holes.
 */
const USUAL_COUNT = 3
const LONGEST_FOR_SLOW = 10

export function availabilityOf(writes: readonly Write[], endMs: number): Availability {
  const times = writes.flatMap(({ outcome }) =>
    outcome.kind === 'acknowledged' ? [outcome.atMs] : [],
  )
  const stepMs = stepFor(times, endMs)
  const counts = Array.from({ length: Math.ceil(endMs / stepMs) }, () => 0)
  for (const atMs of times) {
    const place = Math.floor(atMs / stepMs)
    const count = counts[place]
    if (count !== undefined) counts[place] = count + 1
  }
  return { stepMs, counts }
}

function stepFor(times: readonly number[], endMs: number): number {
  const forSize = Math.ceil(endMs / STEP_MS / MOST_STEPS)
  const busy = new Set(times.map((atMs) => Math.floor(atMs / STEP_MS))).size
  const usual = times.length / Math.max(1, busy)
  const forPace =
    usual >= USUAL_COUNT
      ? 1
      : Math.ceil((USUAL_COUNT * endMs) / STEP_MS / Math.max(1, times.length))
  return Math.max(1, forSize, Math.min(LONGEST_FOR_SLOW, forPace)) * STEP_MS
}
