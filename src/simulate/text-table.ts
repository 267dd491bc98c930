/** Tables, bars and paragraphs for a terminal of eighty columns. */

const WIDTH = 80

export interface TableColumn {
  readonly width: number
  readonly align: 'left' | 'right'
}

/** Cells padded to their columns, two blanks before each; a text that is too long pushes the rest. */
export function row(columns: readonly TableColumn[], cells: readonly string[]): string {
  const padded = columns.map(({ width, align }, index) => {
    const cell = cells[index] ?? ''
    return `  ${align === 'left' ? cell.padEnd(width) : cell.padStart(width)}`
  })
  return padded.join('').trimEnd()
}

export function left(width: number): TableColumn {
  return { width, align: 'left' }
}

export function right(width: number): TableColumn {
  return { width, align: 'right' }
}

/** `value` of `max` as a bar of at most `cells`; anything above zero is visible. */
export function bar(value: number, max: number, cells: number): string {
  if (value <= 0 || max <= 0) return ''
  return '█'.repeat(Math.max(1, Math.round((value / max) * cells)))
}

/** Lines that fit, each with the same indent. */
export function paragraph(text: string, indent: string, width: number = WIDTH): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`
    } else {
      lines.push(`${indent}${word}`)
    }
  }
  return lines
}

/** A word in the margin, and a paragraph beside it. */
export function entry(word: string, text: string, indent = 13): string[] {
  const lines = paragraph(text, ' '.repeat(indent))
  const head = `  ${word}`.padEnd(indent - 1)
  return lines.map((line, index) => (index === 0 ? `${head} ${line.trimStart()}` : line))
}

export function truncate(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`
}

/** Durations for a table: three digits and a unit. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  const seconds = ms / 1_000
  if (seconds >= 100) return `${Math.round(seconds)} s`
  return `${trimmed(seconds.toFixed(seconds < 10 ? 2 : 1))} s`
}

function trimmed(number: string): string {
  return number.replace(/\.?0+$/, '')
}
