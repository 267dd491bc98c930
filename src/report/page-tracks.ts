/** A client's row: acknowledged writes as a band, outages marked, lost writes where they were promised. */

import { formatDuration } from '../scenario/duration.ts'
import type { LossCause } from '../scenario/scenario-file.ts'
import type { History } from '../scenario/world.ts'
import { type Availability, availabilityOf } from './availability.ts'
import { html, type Markup } from './html.ts'
import type { Lane } from './lane-model.ts'
import { wordState } from './lane-state.ts'
import { LOSS_WORDS, type Loss } from './losses.ts'
import { pixelsPerMs, type Scale, seconds, xOf } from './page-scale.ts'

const BASE = 42
const BAND = 28

export function renderClientTrack(
  lane: Lane,
  { scale, history, losses }: { scale: Scale; history: History; losses: readonly Loss[] },
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

/** Steps of equal height are one rectangle; x is in milliseconds. */
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
    const tip = `${lane.name}: ${wordState(state)} for ${length}\n${seconds(fromMs)} to ${seconds(untilMs)}`
    const x = xOf(fromMs, scale)
    const width = Math.max(0.5, xOf(untilMs, scale) - x)
    const hidden = length.length * 6 + 10 > width ? html` hidden=""` : undefined
    return [
      html`<rect class="outage" data-x0="${fromMs}" data-x1="${untilMs}" data-tip="${tip}" x="${x}" y="${BASE - BAND}" width="${width}" height="${BAND}"/><text class="bar-text outage-text" data-x0="${fromMs}" data-x1="${untilMs}" x="${x + 6}" y="${BASE - 10}"${hidden}>${length}</text>`,
    ]
  })
}

/** A strip under the steps of time in which some were promised, however many writes it stands for. */
function lossPaths(losses: readonly Loss[], stepMs: number): Markup[] {
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

/** Hovered and read: from the first lost write of a cause to the last one. */
function lossSpans(losses: readonly Loss[], lane: Lane, scale: Scale): Markup[] {
  return [...byCause(losses)].map(([cause, some]) => {
    const fromMs = some[0]?.atMs ?? 0
    const untilMs = (some.at(-1)?.atMs ?? fromMs) + 1
    const tip = `${lane.name}: ${some.length} acknowledged writes lost: ${LOSS_WORDS[cause]}\n${seconds(fromMs)} to ${seconds(untilMs)}`
    const x = xOf(fromMs, scale)
    const width = Math.max(0.5, xOf(untilMs, scale) - x)
    return html`<rect class="loss-hit" data-x0="${fromMs}" data-x1="${untilMs}" data-tip="${tip}" x="${x}" y="${BASE + 1}" width="${width}" height="9"/>`
  })
}

function byCause(losses: readonly Loss[]): ReadonlyMap<LossCause, readonly Loss[]> {
  const causes = new Map<LossCause, Loss[]>()
  for (const loss of losses) {
    const known = causes.get(loss.cause)
    if (known === undefined) causes.set(loss.cause, [loss])
    else known.push(loss)
  }
  return causes
}
