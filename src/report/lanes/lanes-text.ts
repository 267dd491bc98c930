/**
 * The course of a run for a terminal: time runs down, each process has a column, and what was done to
 * the world is a rule across all of them. The bar at the left of a column shows the state of the
 * process, the words beside it what has just happened. Quiet times are one line.
 */

import { unreachable } from '../../base/assert.ts'
import { formatDuration } from '../../scenario/duration.ts'
import { type Painter, PLAIN } from '../../scenario/report.ts'
import type { Lane, LaneModel } from './lane-model.ts'
import { type Row, rowsOf, shorten, spanAt } from './lane-rows.ts'
import type { LaneState } from './lane-state.ts'

export interface LanesOptions {
  /** Columns of the terminal. */
  readonly width: number
  readonly painter?: Painter
}

/** Room for `  12345.678  `. */
const TIME_WIDTH = 12
/** A longer quiet time is folded into one line. */
const QUIET_MS = 1_000
/** A terminal is no archive: the page and the JSON have the rest. */
const MOST_ROWS = 600

/**
 * The swim lanes as lines of at most `width` columns, or undefined when the terminal is too narrow for
 * them. Clients are left out first. The caller then shows the list that `renderReport` makes:
 *
 *     const lanes = renderLanes(createLanes(file, history), { width: columns, painter })
 *     renderReport(result, { painter, brief: lanes !== undefined })
 *     // and the lanes after it, joined by newlines
 */
export function renderLanes(model: LaneModel, options: LanesOptions): string[] | undefined {
  const { width, painter = PLAIN } = options
  const room = width - TIME_WIDTH
  const cluster = model.lanes.filter(({ kind }) => kind !== 'client')
  for (const lanes of [model.lanes, cluster]) {
    const widths = columnWidths(lanes, room)
    if (widths !== undefined)
      return new Sheet(model, lanes, widths, { room, paint: painter }).render()
  }
  return undefined
}

class Sheet {
  readonly #model: LaneModel
  readonly #lanes: readonly Lane[]
  readonly #widths: readonly number[]
  readonly #paint: Painter
  readonly #width: number
  /** The width beside the times; texts of rules may be wider than the columns. */
  readonly #room: number

  constructor(
    model: LaneModel,
    lanes: readonly Lane[],
    widths: readonly number[],
    { room, paint }: { readonly room: number; readonly paint: Painter },
  ) {
    this.#model = model
    this.#lanes = lanes
    this.#widths = widths
    this.#paint = paint
    this.#room = room
    this.#width = widths.reduce((sum, width) => sum + width, 0)
  }

  render(): string[] {
    const rows = rowsOf(this.#model, this.#lanes)
    const lines: string[] = []
    let lastMs = 0
    for (const row of rows.slice(0, MOST_ROWS)) {
      if (row.atMs - lastMs > QUIET_MS) lines.push(this.#quiet(lastMs, row.atMs))
      lines.push(this.#row(row, row.atMs === lastMs && lines.length > 0))
      lastMs = row.atMs
    }
    return [...this.#head(), ...lines, ...this.#foot(rows, lastMs)]
  }

  /** Hosts above the names of their processes, and what the bars mean. */
  #head(): string[] {
    const hosts = this.#lanes.map(({ host }, index) =>
      host === this.#lanes[index - 1]?.host ? '' : `on ${host}`,
    )
    const names = this.#lanes.map(({ name }) => name)
    const legend = LEGEND.map(({ state, word }) => `${barOf(state, this.#paint)} ${word}`)
    return [
      `  ${legend.join('  ')}`,
      '',
      this.#paint.dim(this.#cells('', hosts)),
      this.#paint.bold(this.#cells('seconds'.padStart(9), names)),
    ]
  }

  #cells(time: string, texts: readonly string[]): string {
    const cells = texts.map((text, index) => {
      const width = this.#widths[index] ?? 0
      return shorten([text], width - 1).padEnd(width)
    })
    return `${time.padEnd(TIME_WIDTH)}${cells.join('')}`.trimEnd()
  }

  #row(row: Row, isSameTime: boolean): string {
    const time = isSameTime ? '' : (row.atMs / 1_000).toFixed(3).padStart(9)
    const head = this.#paint.dim(time.padEnd(TIME_WIDTH))
    if (row.kind === 'fault') return `${head}${this.#paint.bold(this.#rule(row.text, '━'))}`
    if (row.kind === 'violation')
      return `${head}${this.#paint.bad(this.#rule(`✗ ${row.text}`, '═'))}`
    const cells = this.#lanes.map((lane, index) =>
      this.#cell(barOf(spanAt(lane, row.atMs), this.#paint), row.cells[index], this.#widths[index]),
    )
    return `${head}${cells.join('')}`.trimEnd()
  }

  #rule(text: string, line: string): string {
    const shown = shorten([text], this.#room - 6)
    return `${line}${line} ${shown} ${line.repeat(Math.max(2, this.#width - shown.length - 5))}`
  }

  #cell(bar: string, cell: Row['cells'][number], width = 0): string {
    if (cell === undefined) return `${bar}${' '.repeat(width - 1)}`
    const room = width - BAR_AND_GAPS
    const text = shorten(cell.labels, room)
    const dressed = cell.isImportant ? this.#paint.bold(text) : text
    return `${bar} ${dressed}${' '.repeat(room - text.length + 1)}`
  }

  #quiet(fromMs: number, untilMs: number): string {
    const text = `⋮ ${formatDuration(round(untilMs - fromMs))}`.padStart(9).padEnd(TIME_WIDTH)
    // The state that holds until the next row, because that row shows the change.
    const bars = this.#lanes.map((lane, index) =>
      this.#cell(barOf(spanAt(lane, untilMs - 1), this.#paint), undefined, this.#widths[index]),
    )
    return `${this.#paint.dim(text)}${bars.join('')}`.trimEnd()
  }

  #foot(rows: readonly Row[], lastMs: number): string[] {
    const { endMs, lanes } = this.#model
    const left = rows.length - MOST_ROWS
    const hidden = lanes.filter((lane) => !this.#lanes.includes(lane)).map(({ name }) => name)
    return [
      ...(left <= 0 && endMs - lastMs > QUIET_MS ? [this.#quiet(lastMs, endMs)] : []),
      ...(left > 0 ? [this.#note(`${left} more lines: see the page that --report writes`)] : []),
      ...(hidden.length > 0 ? [this.#note(`no room for ${hidden.join(', ')}`)] : []),
    ]
  }

  #note(text: string): string {
    return this.#paint.dim(`${' '.repeat(TIME_WIDTH)}${text}`)
  }
}

/** Tenths of seconds are precise enough for a time in which nothing happened. */
function round(ms: number): number {
  return Math.round(ms / 100) * 100
}

/**
 * One character for the state of a process; even without colours it must distinguish masters from
 * the rest.
 */
function barOf(state: LaneState, paint: Painter): string {
  switch (state.kind) {
    case 'down':
      return paint.dim('·')
    case 'paused':
      return paint.dim('░')
    case 'unknown':
      return paint.dim('?')
    case 'starting':
      return paint.dim('╵')
    case 'master':
      return state.refuses === undefined ? paint.good('█') : paint.bad('▒')
    case 'replica':
      return state.isLinkUp ? '│' : paint.dim('┊')
    case 'watching':
      return state.isTilted ? paint.bad('≈') : '│'
    case 'served':
      return paint.good('│')
    case 'waiting':
      return paint.bad('┊')
    default:
      return unreachable(state)
  }
}

/** The bars that need an explanation. */
const LEGEND: readonly { readonly state: LaneState; readonly word: string }[] = [
  { state: { kind: 'master', refuses: undefined }, word: 'master' },
  { state: { kind: 'master', refuses: 'NOREPLICAS' }, word: 'refuses writes' },
  { state: { kind: 'replica', of: '', isLinkUp: true }, word: 'up' },
  { state: { kind: 'replica', of: '', isLinkUp: false }, word: 'not connected' },
  { state: { kind: 'watching', names: '', isTilted: true }, word: 'TILT' },
  { state: { kind: 'paused' }, word: 'paused' },
  { state: { kind: 'down' }, word: 'down' },
]

// How wide each column must be, and may become. A column with little text is narrow: nodes need less
// room than Sentinels, and clients least.

/** The bar, a gap after it, and one before the next bar. */
const BAR_AND_GAPS = 3

/** Longer texts are cut. */
const LEAST_LIMIT = 14
const WIDEST = 26

/** One width per lane, or undefined if there is not enough room. */
function columnWidths(lanes: readonly Lane[], room: number): readonly number[] | undefined {
  const widths = lanes.map((lane) => neededFor(lane, -1, LEAST_LIMIT))
  const wanted = lanes.map((lane) => neededFor(lane, 0, WIDEST))
  let left = room - widths.reduce((sum, width) => sum + width, 0)
  if (left < 0 || lanes.length === 0) return undefined
  for (; left > 0; left--) {
    const lacks = widths.map((width, index) => (wanted[index] ?? 0) - width)
    const most = Math.max(...lacks)
    const poorest = lacks.indexOf(most)
    if (most <= 0) break
    widths[poorest] = (widths[poorest] ?? 0) + 1
  }
  return widths
}

/** The width for the label at that index of each moment: 0 is the longest, -1 the shortest. */
function neededFor(lane: Lane, place: 0 | -1, limit: number): number {
  const labels = lane.moments
    .filter(({ isKey }) => isKey)
    .map(({ labels, count }) => `${labels.at(place)}${count === 1 ? '' : ` ×${count}`}`)
  const longest = Math.max(lane.name.length - 1, ...labels.map(({ length }) => length))
  return Math.min(limit, longest + BAR_AND_GAPS)
}
