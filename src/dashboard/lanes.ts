/**
 * The last hour as swim lanes: one for each node and Sentinel. What a bar means stands in its shape and its
 * words, and once more in the list of changes below, which is what a screen reader tells.
 */
import type {
  TimelineDocument,
  TimelineLane,
  TimelineSpan,
  TimelineState,
} from '../http/timeline.ts'
import { byId, element, renew, say, shape } from './dom.ts'
import { clock } from './sentences.ts'

const LANE = 26
const BAR = 16
/** About as wide as two times of day. */
const TICK = 110
const FOOT = 22
/** A bar narrower than this holds no word. */
const WORD = 64

const WORDS: Readonly<Record<TimelineState, string>> = {
  master: 'master',
  replica: 'replica',
  sentinel: 'watching',
  down: 'down for this Sentinel',
  odown: 'down for the quorum',
  tilt: 'TILT',
}

type Scale = (ms: number) => number

export function drawLanes(target: HTMLElement, timeline: TimelineDocument, group: string): void {
  const lanes = timeline.groups.find(({ name }) => name === group)?.lanes ?? []
  const width = Math.max(320, target.clientWidth)
  const names = width < 560 ? 110 : 150
  const fromMs = beginning(timeline, lanes)
  const scale: Scale = (ms) =>
    names + ((Math.max(ms, fromMs) - fromMs) / (timeline.nowMs - fromMs)) * (width - names - 4)
  const height = lanes.length * LANE + FOOT
  const rows = lanes.map((lane, at) => laneRow(lane, at, scale, names))
  const figure = shape(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label(lanes) },
    ...ticks(fromMs, timeline.nowMs, scale, {
      height: lanes.length * LANE,
      count: Math.min(6, Math.floor((width - names) / TICK) + 1),
    }),
    ...rows,
  )
  renew(target, figure, legend())
  drawChanges(lanes)
}

/** A young Sentinel has no hour yet: its minutes fill the width. */
function beginning({ fromMs, nowMs }: TimelineDocument, lanes: readonly TimelineLane[]): number {
  const first = Math.min(nowMs - 60_000, ...lanes.flatMap(({ spans }) => spans[0]?.fromMs ?? []))
  return Math.max(fromMs, first)
}

function laneRow(lane: TimelineLane, at: number, scale: Scale, names: number): SVGElement {
  const top = at * LANE + (LANE - BAR) / 2
  const name = shape('text', { x: 0, y: top + BAR - 4 }, short(lane.address, names))
  const bars = lane.spans.map((span) => bar(span, top, scale))
  return shape('g', {}, name, ...bars)
}

function bar({ fromMs, toMs, state }: TimelineSpan, top: number, scale: Scale): SVGElement {
  const x = scale(fromMs)
  const width = Math.max(2, scale(toMs) - x)
  const title = shape('title', {}, `${WORDS[state]}, ${clock(fromMs)} to ${clock(toMs)}`)
  const box = shape('rect', { class: state, x, y: top, width, height: BAR, rx: 2 }, title)
  if (width < WORD) return box
  const word = shape('text', { class: `on-${state}`, x: x + 6, y: top + BAR - 4 }, shortWord(state))
  return shape('g', {}, box, word)
}

function shortWord(state: TimelineState): string {
  return state === 'odown' ? 'O_DOWN' : state === 'down' ? 'down' : WORDS[state]
}

interface Ruler {
  readonly height: number
  /** Two at least. */
  readonly count: number
}

function ticks(fromMs: number, toMs: number, scale: Scale, { height, count }: Ruler): SVGElement[] {
  return Array.from({ length: count }, (_, at) => {
    const ms = fromMs + ((toMs - fromMs) * at) / (count - 1)
    const x = scale(ms)
    const anchor = at === 0 ? 'start' : at === count - 1 ? 'end' : 'middle'
    const line = shape('line', { class: 'grid', x1: x, x2: x, y1: 0, y2: height })
    const text = { class: 'tick', x, y: height + 15, 'text-anchor': anchor }
    return shape('g', {}, line, shape('text', text, clock(ms)))
  })
}

function legend(): HTMLElement {
  const states = Object.keys(WORDS) as TimelineState[]
  const items = states.map((state) => {
    const box = shape('rect', { class: state, x: 1, y: 1, width: 20, height: 10, rx: 2 })
    const sample = shape('svg', { viewBox: '0 0 22 12', 'aria-hidden': 'true' }, box)
    return element('li', {}, sample, WORDS[state])
  })
  return element('ul', { class: 'legend' }, ...items)
}

/** What became of each lane, newest first. The list stays as open as the reader left it. */
function drawChanges(lanes: readonly TimelineLane[]): void {
  const all = lanes.flatMap(changesOf)
  const newest = all.sort((a, b) => b.fromMs - a.fromMs).slice(0, 50)
  const lines = newest.map(({ fromMs, text }) => element('li', {}, `${clock(fromMs)}  ${text}`))
  say(byId('changes-title'), `Changes in words (${all.length})`)
  renew(byId('changes'), ...lines)
}

/** Behind a hole, in which nothing was looked at or the clock was set, a lane may go on as it was. */
function changesOf({ address, spans }: TimelineLane) {
  return spans.flatMap(({ fromMs, state }, at) => {
    const before = spans[at - 1]?.state ?? state
    return state === before ? [] : [{ fromMs, text: `${address}: ${WORDS[state]}` }]
  })
}

function label(lanes: readonly TimelineLane[]): string {
  const now = lanes.map(
    ({ address, spans }) => `${address} ${WORDS[spans.at(-1)?.state ?? 'down']}`,
  )
  return `The last hour in lanes. Now: ${now.join(', ')}. The changes stand below in words.`
}

/** The end of an address tells more than its beginning. */
function short(address: string, width: number): string {
  const most = Math.floor(width / 7.2)
  return address.length <= most ? address : `…${address.slice(1 - most)}`
}
