/**
 * The live view as text, drawn for a terminal of a given size. This file only draws. Where there is little
 * room, hints go first, then all incidents but the last; the events take what is left.
 */

import { EVENTS, type HeardEvent, isAbort, isEventName } from '../../core/event-table.ts'
import { colors as pc } from '../colors.ts'
import { type FoldedLine, fold, speakers } from './fold.ts'
import { BUCKET_MS, NO_WRITE, sparkline } from './latency.ts'
import { incidentTable, memberTable } from './live-tables.ts'
import type { ClusterModel } from './model.ts'
import { grouped, type Paint, timeOfDay, truncate } from './paint.ts'
import type { WriteReport } from './writer.ts'

export interface Frame {
  readonly columns: number
  readonly rows: number
  readonly title: string
  /** How to connect, the most useful hint first. */
  readonly hints: readonly string[]
  readonly uptimeMs: number
  /** Undefined while no client writes. */
  readonly writes: WriteReport | undefined
}

/** What has no short name is told only where there is much room. */
const KEYS: readonly (readonly [key: string, what: string, short?: string])[] = [
  ['k', 'kill master', 'kill'],
  ['p', 'pause', 'pause'],
  ['c', 'cut off', 'cut'],
  ['b', 'bring back', 'back'],
  ['w', 'write', 'write'],
  ['o', 'page'],
  ['q', 'quit', 'quit'],
]

const MIN_COLUMNS = 56
const MIN_EVENTS = 3
/** Below this there is room for one hint and one incident only. */
const ROOMY_ROWS = 30
/** Below this, keys are named and times are told in short. */
const ROOMY_COLUMNS = 80
/** From here on the names of events are not cut. */
const WIDE_COLUMNS = 100

/**
 * The whole picture: no line is wider than the terminal, and there are no more lines than it has
 * rows.
 */
export function drawLive(model: ClusterModel, frame: Frame): string {
  const { columns } = frame
  if (columns < MIN_COLUMNS) return tooSmall(frame, ROOMY_ROWS)
  const isRoomy = frame.rows >= ROOMY_ROWS
  const above = [
    [header(frame, columns)],
    memberTable(model, columns),
    writeLines(frame.writes, columns),
    incidentTable(model.incidents, columns, isRoomy ? 4 : 1),
  ]
  const keys = [keyLine(columns)]
  const hints = hintLines(frame, columns, isRoomy)
  // One line is left for the cursor.
  const room = (...blocks: readonly (readonly string[])[]) =>
    frame.rows - 1 - joined([...above, ...blocks]).length - 1
  const below = room(hints, keys) >= MIN_EVENTS ? [hints, keys] : [keys]
  const events = eventLines(model, Math.max(MIN_EVENTS, room(...below)), columns)
  const lines = joined([...above, events, ...below])
  return lines.length < frame.rows ? lines.join('\n') : tooSmall(frame, lines.length + 1)
}

/** In place of a picture that would be cut off where nobody expects it. */
function tooSmall({ columns, rows }: Frame, neededRows: number): string {
  const text = [
    `${columns} × ${rows} is too small`,
    `make it ${MIN_COLUMNS} × ${neededRows}`,
    'q: quit',
  ]
  const fitting = text.slice(0, Math.max(1, rows - 1))
  return fitting.map((line) => truncate(line, columns)).join('\n')
}

/** A blank line between two blocks. */
function joined(blocks: readonly (readonly string[])[]): readonly string[] {
  return blocks
    .filter((block) => block.length > 0)
    .flatMap((block, at) => (at === 0 ? block : ['', ...block]))
}

function header({ title, uptimeMs }: Frame, columns: number): string {
  const clock = uptime(uptimeMs)
  const text = truncate(title, columns - clock.length - 14)
  const gap = ' '.repeat(columns - text.length - clock.length - 12)
  return `  ${pc.bold(pc.cyan('vedette'))} ${text}${gap} ${pc.dim(clock)}`
}

/** Writes that were acknowledged and lost are what a user of the cluster notices, so they stand first. */
function writeLines(writes: WriteReport | undefined, columns: number): readonly string[] {
  if (writes === undefined) return []
  const { acknowledged, lost, silentMs, longestSilenceMs, lastMs, periods } = writes
  const isSilent = silentMs > 200
  const counted = `${grouped(acknowledged)} acknowledged`
  const losses = `${grouped(lost)} lost`
  const now = isSilent ? `silent ${grouped(Math.round(silentMs))} ms` : `in ${inMs(lastMs)}`
  const longest = `longest gap ${grouped(Math.round(longestSilenceMs))} ms`
  const parts = [
    [counted, pc.bold],
    [losses, lost > 0 ? pc.red : pc.green],
    [now, isSilent ? pc.red : pc.green],
    [longest, pc.dim],
  ] as const
  return [
    `  ${pc.dim('WRITES ')}  ${fitted(parts, columns - 11)}`,
    `  ${pc.dim('LATENCY')}  ${trail(periods, columns - 11)}`,
  ]
}

/** As many of the parts as fit. */
function fitted(
  parts: readonly (readonly [text: string, paint: (text: string) => string])[],
  room: number,
): string {
  const widths = parts.map((_, at) =>
    parts.slice(0, at + 1).reduce((sum, [text]) => sum + text.length + 3, -3),
  )
  const shown = parts.filter((_, at) => (widths[at] ?? 0) <= room)
  return shown.map(([text, paint]) => paint(text)).join(' · ')
}

/** The sparkline, with what its marks mean if there is room. */
function trail(periods: WriteReport['periods'], room: number): string {
  const legend = `▁ 1 ms █ 1 s ${NO_WRITE} none, a mark each ${BUCKET_MS / 1_000} s`
  const isWide = room >= WIDE_COLUMNS - 11
  const marks = sparkline(periods, isWide ? room - legend.length - 3 : room)
  const painted = marks.replaceAll(NO_WRITE, pc.red(NO_WRITE))
  return isWide
    ? `${painted}${' '.repeat(room - legend.length - marks.length)}${pc.dim(legend)}`
    : painted
}

function inMs(ms: number | undefined): string {
  return ms === undefined ? '– ms' : `${ms.toFixed(1)} ms`
}

function eventLines(model: ClusterModel, rows: number, columns: number): string[] {
  const lines = fold(model)
    .slice(-rows)
    .map((one) => eventLine(one, model, columns))
  return [...lines, ...Array.from({ length: rows - lines.length }, () => '')]
}

function eventLine(folded: FoldedLine, model: ClusterModel, columns: number): string {
  const { wallMs, event, words } = folded
  const isRoomy = columns >= ROOMY_COLUMNS
  // Seconds are enough where the words would have to be cut.
  const clock = isRoomy ? timeOfDay(wallMs) : timeOfDay(wallMs).slice(0, 8)
  const time = pc.dim(clock)
  const left = columns - clock.length - 4
  if (event === '') return `  ${time}  ${pc.bold(truncate(words, left))}`
  const who = speakers(folded, model).padEnd(9)
  const tone = eventTone(event)
  if (!isRoomy) return `  ${time}  ${who}  ${tone(truncate(words, left - 11))}`
  const width = columns < WIDE_COLUMNS ? 18 : 26
  const what = truncate(event, width).padEnd(width)
  return `  ${time}  ${who}  ${tone(what)}  ${truncate(words, left - width - 13)}`
}

const GOOD_NEWS: ReadonlySet<HeardEvent> = new Set(['+switch-master', '+failover-end'])
const BAD_NEWS: ReadonlySet<HeardEvent> = new Set(['+sdown', '+odown', '+tilt'])

function eventTone(event: HeardEvent): Paint {
  if (GOOD_NEWS.has(event)) return pc.green
  if (BAD_NEWS.has(event) || isAbort(event)) return pc.red
  return isEventName(event) && EVENTS[event].topic === 'election' ? pc.cyan : (text) => text
}

/** A hint that does not fit is left out: half a command is of no use. */
function hintLines({ hints }: Frame, columns: number, isRoomy: boolean): readonly string[] {
  const fitting = hints.filter((hint) => hint.length <= columns)
  const shown = isRoomy ? fitting : fitting.slice(0, 1)
  return shown.map((hint) => pc.dim(hint.length <= columns - 2 ? `  ${hint}` : hint))
}

function keyLine(columns: number): string {
  const isRoomy = columns >= ROOMY_COLUMNS
  // Without colours a key has to stand out by itself.
  const cap = (key: string) => (pc.isColorSupported ? pc.inverse(` ${key} `) : `[${key}]`)
  const isWide = columns >= WIDE_COLUMNS
  const keys = KEYS.filter(([, , short]) => isWide || short !== undefined).map(
    ([key, what, short]) => `${cap(key)} ${isRoomy ? what : short}`,
  )
  return `  ${keys.join(isRoomy ? '  ' : ' ')}`
}

function uptime(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`
}
