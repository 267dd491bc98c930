/**
 * Tables and sentences for a terminal of a given width. Columns are as wide as what stands in them; where
 * there is too little room, those that can be spared are left out, and only then is anything cut.
 */
import { colors as pc } from './colors.ts'
import { type Align, type Paint, truncate } from './up/paint.ts'

export interface FittedColumn {
  readonly head: string
  /** Left by default. */
  readonly align?: Align
  /** The column with the highest number is left out first; those without one never are. */
  readonly spare?: number
  /** The width it keeps even if less stands in it, so that a picture which is drawn again stands still. */
  readonly least?: number
}

export interface Cell {
  readonly text: string
  readonly paint: Paint | undefined
}

const GAP = 2
/** No column is cut to less, except by the end of the line. */
const MIN_WIDTH = 4

export function cell(text: string, paint?: Paint): Cell {
  return { text, paint }
}

/** The head first; no line is wider than `width`, or ends with blanks. */
export function table(
  columns: readonly FittedColumn[],
  rows: readonly (readonly Cell[])[],
  width: number,
): readonly string[] {
  const lines = [columns.map(({ head }) => cell(head, pc.dim)), ...rows]
  const natural = columns.map(({ least = 0 }, at) =>
    Math.max(least, ...lines.map((line) => textOf(line, at).length)),
  )
  const shown = fitting(columns, natural, width)
  const widths = squeezed(
    shown.map((at) => natural[at] ?? 0),
    width,
  )
  return lines.map((line) =>
    drawn(
      shown.map((at) => ({ ...(line[at] ?? cell('')), align: columns[at]?.align ?? 'left' })),
      widths,
    ),
  )
}

/** The indexes of the columns for which there is room. */
function fitting(
  columns: readonly FittedColumn[],
  natural: readonly number[],
  width: number,
): readonly number[] {
  let shown = columns.map((_, at) => at)
  const total = () => shown.reduce((sum, at) => sum + (natural[at] ?? 0) + GAP, -GAP)
  while (total() > width) {
    const most = Math.max(...shown.map((at) => columns[at]?.spare ?? 0))
    if (most === 0) return shown
    shown = shown.filter((at) => columns[at]?.spare !== most)
  }
  return shown
}

/** Takes from the widest column until the rest fits. */
function squeezed(widths: readonly number[], width: number): readonly number[] {
  const left = [...widths]
  const total = () => left.reduce((sum, one) => sum + one + GAP, -GAP)
  while (total() > width) {
    const widest = left.indexOf(Math.max(...left))
    if ((left[widest] ?? 0) <= MIN_WIDTH) break
    left[widest] = Math.max(MIN_WIDTH, (left[widest] ?? 0) - (total() - width))
  }
  return left
}

function drawn(
  cells: readonly (Cell & { readonly align: Align })[],
  widths: readonly number[],
): string {
  const last = cells.findLastIndex(({ text }) => text !== '')
  return cells
    .slice(0, last + 1)
    .map(({ text, paint, align }, at) => {
      const width = widths[at] ?? 0
      const cut = cutTo(text, width)
      const blanks = ' '.repeat(width - cut.length)
      const painted = paint === undefined || cut === '' ? cut : paint(cut)
      if (align === 'right') return `${blanks}${painted}`
      return at === last ? painted : `${painted}${blanks}`
    })
    .join(' '.repeat(GAP))
}

/** On one host, nodes and Sentinels differ in nothing but the port: an address keeps its end, with words behind it too. */
function cutTo(text: string, width: number): string {
  const [address = ''] = /^\S+:\d+(?= |$)/.exec(text) ?? []
  if (address === '' || text.length <= width) return truncate(text, width)
  const surplus = text.length - width + 1
  if (address === text) return `…${text.slice(surplus)}`
  return truncate(`…${text.slice(Math.min(surplus, address.lastIndexOf(':')))}`, width)
}

function textOf(line: readonly Cell[], at: number): string {
  return line[at]?.text ?? ''
}

/**
 * Joins the parts in lines of at most `width` characters; a line that does not begin the text is indented
 * by `indent` blanks. A part that is longer than a line is cut at blanks, or at last anywhere.
 */
export function wrapped(
  parts: readonly string[],
  separator: string,
  width: number,
  indent: number,
): readonly string[] {
  const room = Math.max(MIN_WIDTH, width - indent)
  const pieces = parts.flatMap((part) => (part.length <= room ? [part] : cutAtBlanks(part, room)))
  const lines: string[] = []
  for (const piece of pieces) {
    const line = lines.at(-1)
    const longer = `${line}${separator}${piece}`
    const limit = lines.length === 1 ? width : room
    if (line !== undefined && longer.length <= limit) lines[lines.length - 1] = longer
    else lines.push(piece)
  }
  return lines.map((line, at) => (at === 0 ? line : `${' '.repeat(indent)}${line}`))
}

function cutAtBlanks(text: string, room: number): readonly string[] {
  const lines: string[] = []
  for (let rest = text; rest !== ''; ) {
    const blank = rest.length <= room ? rest.length : rest.lastIndexOf(' ', room)
    const at = blank > 0 ? blank : room
    lines.push(rest.slice(0, at))
    rest = rest.slice(at).trimStart()
  }
  return lines
}
