/** The swim lanes as SVG: time to the right, a row per process, clients' writes on the same axis. */

import { unreachable } from '../../base/assert.ts'
import { secondsText } from '../../scenario/duration.ts'
import type { RunHistory } from '../../scenario/world.ts'
import type {
  Lane,
  LaneModel,
  LaneMoment,
  LaneRemark,
  LaneSpan,
  LaneTopic,
} from '../lanes/lane-model.ts'
import { shorten } from '../lanes/lane-rows.ts'
import { type LaneState, wordState } from '../lanes/lane-state.ts'
import type { LostWrite } from '../losses.ts'
import { html, type Markup } from './html.ts'
import { createScale, fitted, type LaneTitle, type Scale, tickStep, xOf } from './page-scale.ts'
import { renderClientTrack } from './page-tracks.ts'

const TOP = 44
const ROW = 38
const CLIENT_ROW = 58
/** For what is said below the bar of a lane. */
const REMARK = 13
const HOST_GAP = 8
const AXIS = 30
/** In characters; the tooltip shows all of them. */
const RULE_LABEL = 44
/** A picture with more marks says less; the table has them all. */
const MOST_MARKS = 400

interface Placed {
  readonly lane: Lane
  readonly y: number
}

export function renderFigure(
  model: LaneModel,
  history: RunHistory,
  losses: readonly LostWrite[],
): { readonly svg: Markup; readonly leftOut: number } {
  const scale = createScale(model.endMs, model.lanes.map(titleOf))
  const rows = place(model.lanes)
  const last = rows.at(-1)
  const bottom = last === undefined ? TOP : last.y + heightOf(last.lane)
  const height = bottom + AXIS
  const svg = html`<svg id="picture" viewBox="0 0 ${scale.width} ${height}" data-end="${model.endMs}"
 data-height="${height}" data-top="${TOP}" data-bottom="${bottom}" role="group"
 aria-label="What each process was and what happened to it, over ${secondsText(model.endMs)}">
<defs>${PATTERNS}<clipPath id="plot"><rect id="plot-area" x="${scale.left}" y="0"
 width="${scale.width - scale.left}" height="${height}"/></clipPath></defs>
<g id="axis" aria-hidden="true">${renderAxis(scale, bottom)}</g>
${rows.map((row) => renderName(row, scale))}
<g clip-path="url(#plot)">
${rows.map((row) => renderLane(row, { scale, history, losses }))}
${renderRules(model, scale, bottom)}
<g id="cursor" hidden="" aria-hidden="true"><line y1="${TOP - 6}" y2="${bottom}"/></g>
</g></svg>`
  const leftOut = model.lanes.reduce((sum, lane) => sum + keyMoments(lane).left, 0)
  return { svg, leftOut }
}

const PATTERNS = html`<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse"
 patternTransform="rotate(45)"><rect width="6" height="6" class="hatch-ground"/><rect width="2.5" height="6" class="hatch-line"/></pattern>
<pattern id="dots" width="6" height="6" patternUnits="userSpaceOnUse"><circle cx="3" cy="3" r="1" class="dot-ink"/></pattern>`

function heightOf(lane: Lane): number {
  if (lane.kind === 'client') return CLIENT_ROW
  return lane.remarks.length === 0 ? ROW : ROW + REMARK
}

function place(lanes: readonly Lane[]): readonly Placed[] {
  let y = TOP
  return lanes.map((lane, index) => {
    if (index > 0 && lanes[index - 1]?.host !== lane.host) y += HOST_GAP
    const placed = { lane, y }
    y += heightOf(lane)
    return placed
  })
}

/** The script redraws it for other widths and zooms. */
function renderAxis(scale: Scale, bottom: number): Markup[] {
  const step = tickStep(scale.endMs, 10)
  const ticks = Array.from({ length: Math.floor(scale.endMs / step) + 1 }, (_none, n) => n * step)
  return ticks.map((atMs) => {
    const x = xOf(atMs, scale)
    return html`<line class="grid" x1="${x}" x2="${x}" y1="${TOP - 6}" y2="${bottom}"/><text class="tick" x="${x}" y="${bottom + 18}">${atMs / 1_000} s</text>`
  })
}

function titleOf({ name, kind, host }: Lane): LaneTitle {
  return { name, host: `${kind} on ${host}` }
}

/** The script cuts the texts anew for its own width. */
function renderName({ lane, y }: Placed, scale: Scale): Markup {
  const middle = y + (lane.kind === 'client' ? CLIENT_ROW / 2 : ROW / 2 + 4)
  const title = titleOf(lane)
  const { name, host } = fitted(title, scale)
  return html`<g class="name" data-lane="${lane.name}"><text data-full="${title.name}" x="4" y="${middle + 1}">${name}</text><text class="host" data-full="${title.host}" x="4" y="${middle + 13}">${host}</text><title>${title.name}, ${title.host}</title></g>
`
}

interface Drawing {
  readonly scale: Scale
  readonly history: RunHistory
  readonly losses: readonly LostWrite[]
}

function renderLane({ lane, y }: Placed, drawing: Drawing): Markup {
  const { scale } = drawing
  const track =
    lane.kind === 'client'
      ? renderClientTrack(lane, drawing)
      : html`${lane.spans.map((span) => renderSpan(lane, span, scale))}${lane.remarks.map((remark) => renderRemark(lane, remark, scale))}`
  const marks = keyMoments(lane).shown.map((moment) => renderMark(lane, moment, scale))
  return html`<g class="lane" data-lane="${lane.name}" transform="translate(0 ${y})">${track}${marks}</g>
`
}

function keyMoments(lane: Lane): { readonly shown: readonly LaneMoment[]; readonly left: number } {
  // A client's outages are drawn; marks would only repeat them.
  const key = lane.kind === 'client' ? [] : lane.moments.filter(({ isKey }) => isKey)
  return { shown: key.slice(0, MOST_MARKS), left: Math.max(0, key.length - MOST_MARKS) }
}

function renderSpan(lane: Lane, { fromMs, untilMs, state }: LaneSpan, scale: Scale): Markup {
  const x = xOf(fromMs, scale)
  const width = Math.max(0.5, xOf(untilMs, scale) - x)
  const tip = `${lane.name}: ${wordState(state)}\n${secondsText(fromMs)} to ${secondsText(untilMs)}`
  const bar = html`<rect class="bar ${classOf(state)}" data-x0="${fromMs}" data-x1="${untilMs}" data-tip="${tip}" x="${x}" y="19" width="${width}" height="14" rx="2"/>`
  const label = shortState(state)
  const hidden = label.length * 6 + 10 > width ? html` hidden=""` : undefined
  return html`${bar}<text class="bar-text ${classOf(state)}-text" data-x0="${fromMs}" data-x1="${untilMs}" x="${x + 6}" y="29.5"${hidden}>${label}</text>`
}

/** A thin line below the bar, with its words where they fit. */
function renderRemark(lane: Lane, { fromMs, untilMs, text }: LaneRemark, scale: Scale): Markup {
  const x = xOf(fromMs, scale)
  const width = Math.max(0.5, xOf(untilMs, scale) - x)
  const tip = `${lane.name}: ${text}\n${secondsText(fromMs)} to ${secondsText(untilMs)}`
  const hidden = text.length * 6 + 10 > width ? html` hidden=""` : undefined
  return html`<rect class="remark" data-x0="${fromMs}" data-x1="${untilMs}" data-tip="${tip}" x="${x}" y="34.5" width="${width}" height="3"/><text class="bar-text remark-text" data-x0="${fromMs}" data-x1="${untilMs}" x="${x + 6}" y="47"${hidden}>${text}</text>`
}

function classOf(state: LaneState): string {
  switch (state.kind) {
    case 'master':
      return state.refuses === undefined ? 'master' : 'refusing'
    case 'replica':
      return state.isLinkUp ? 'replica' : 'unlinked'
    case 'watching':
      return state.isTilted ? 'tilted' : 'watching'
    case 'down':
    case 'unknown':
    case 'paused':
    case 'starting':
    case 'served':
    case 'waiting':
      return state.kind
    default:
      return unreachable(state)
  }
}

function shortState(state: LaneState): string {
  if (state.kind === 'master' && state.refuses !== undefined) return `refuses writes`
  if (state.kind === 'replica' && !state.isLinkUp) return `no link to ${state.of}`
  return wordState(state)
}

/** Drawn around 0,0. Shapes differ, so that readers need not tell colours apart. */
const SHAPES: Readonly<Record<LaneTopic, string>> = {
  suspicion: 'M0-5.5L5.5 4.5h-11z',
  election: 'M0-5.5L5.5 0 0 5.5-5.5 0z',
  promotion: 'M0-5.5a5.5 5.5 0 1 0 .01 0z',
  switch: 'M-4.5-4.5h9v9h-9z',
  tilt: 'M-5.5-4.5h11L0 5.5z',
  state: 'M0-3.5a3.5 3.5 0 1 0 .01 0z',
  other: 'M0-2.5a2.5 2.5 0 1 0 .01 0z',
}

function renderMark(lane: Lane, moment: LaneMoment, scale: Scale): Markup {
  const { atMs, topic, text, count, untilMs } = moment
  const often = count === 1 ? '' : ` (${count} times until ${secondsText(untilMs)})`
  const tip = `${secondsText(atMs)}  ${lane.name}  ${text}${often}`
  return html`<g class="mark ${topic}" data-at="${atMs}" data-tip="${tip}" role="img" aria-label="${tip}" tabindex="-1" transform="translate(${xOf(atMs, scale)} 9)"><path d="${SHAPES[topic]}"/></g>`
}

/** Faults and violations go through all lanes; labels that would overlap are left out. */
function renderRules(model: LaneModel, scale: Scale, bottom: number): Markup[] {
  const rules = [
    ...model.faults.map((one) => ({ ...one, kind: 'fault', process: undefined })),
    ...model.violations.map((one) => ({ ...one, kind: 'violation' })),
  ].sort((a, b) => a.atMs - b.atMs)
  return rules.slice(0, MOST_MARKS).map(({ atMs, text, kind, process }) => {
    const who = process === undefined ? '' : `${process}  `
    const tip = `${secondsText(atMs)}  ${who}${text}`
    return html`<g class="rule ${kind}" data-at="${atMs}" data-tip="${tip}" role="img" aria-label="${tip}" tabindex="-1" transform="translate(${xOf(atMs, scale)} 0)"><line y1="8" y2="${bottom}"/><path d="M0 3l5 5-5 5-5-5z"/><text class="rule-text" x="9" y="12">${shorten([text], RULE_LABEL)}</text></g>
`
  })
}

/** For the legend. */
const LEGEND_SHAPES: readonly { readonly topic: LaneTopic; readonly word: string }[] = [
  { topic: 'suspicion', word: 'held down, or up again' },
  { topic: 'election', word: 'election and votes' },
  { topic: 'promotion', word: 'selection and promotion' },
  { topic: 'switch', word: 'names another master' },
  { topic: 'tilt', word: 'TILT' },
  { topic: 'state', word: 'process and link' },
]

export function renderLegend({ lanes }: LaneModel, losses: readonly LostWrite[]): Markup {
  const shapes = LEGEND_SHAPES.map(
    ({ topic, word }) =>
      html`<li><svg class="key mark ${topic}" viewBox="-7 -7 14 14" aria-hidden="true"><path d="${SHAPES[topic]}"/></svg>${word}</li>`,
  )
  const causes = [...new Set(losses.map(({ cause }) => cause))].map(
    (cause) =>
      html`<li><span class="swatch lost ${cause}"></span>lost: ${cause.replace('-', ' ')}</li>`,
  )
  const hasClients = lanes.some(({ kind }) => kind === 'client')
  const hasRemarks = lanes.some(({ remarks }) => remarks.length > 0)
  const bars = [
    ['master', 'master'],
    ['refusing', 'master that refuses writes'],
    ['replica', 'replica'],
    ['unlinked', 'replica without link'],
    ['watching', 'Sentinel'],
    ['down', 'down'],
    ['paused', 'paused'],
    ...(hasRemarks ? [['remark', 'remark of the Sentinels']] : []),
    ...(hasClients
      ? [
          ['acknowledged', 'acknowledged writes'],
          ['outage', 'outage of a client'],
        ]
      : []),
  ].map(([kind, word]) => html`<li><span class="swatch ${kind}"></span>${word}</li>`)
  return html`<ul class="legend">${bars}${causes}${shapes}</ul>`
}
