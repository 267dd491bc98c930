/** Tables that are readable both on a terminal and as Markdown. */

const NOTHING = '–'

/** The first column is text, the others are numbers. Every row has a cell for each heading. */
export function renderTable(headings, rows) {
  const widths = headings.map((_, column) =>
    Math.max(3, ...[headings, ...rows].map((row) => row[column].length)),
  )
  const line = (cells) => `| ${cells.join(' | ')} |`
  const render = (row) => line(row.map((cell, column) => pad(cell, column, widths[column])))
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  )
  return [render(headings), line(rule), ...rows.map(render)].join('\n')
}

function pad(cell, column, width) {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width)
}

/** `min / median / max`, as whole numbers unless said otherwise. */
export function spread(summary, digits = 0) {
  if (summary === undefined) return NOTHING
  return [summary.min, summary.median, summary.max].map((one) => decimals(one, digits)).join(' / ')
}

/** With separated thousands, so that 98 000 and 980 000 are not confused. */
export function whole(value) {
  if (value === undefined) return NOTHING
  return String(Math.round(value)).replaceAll(/\B(?=(\d{3})+$)/g, ' ')
}

/** Two significant digits: 0.023, 0.41, 1.8, 12. */
export function ratio(value) {
  if (value === undefined) return NOTHING
  return value >= 10 ? value.toFixed(0) : String(Number(value.toPrecision(2)))
}

/** With this many digits after the point. */
export function decimals(value, digits) {
  if (value === undefined) return NOTHING
  return digits === 0 ? whole(value) : value.toFixed(digits)
}
