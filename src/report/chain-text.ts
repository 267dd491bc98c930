/** The causal chain for a terminal. */
import { type Painter, PLAIN } from '../scenario/report.ts'
import type { Chapter, Link } from './chain-words.ts'

/** Room for `   12.345  ` before each sentence. */
const INDENT = 13

/** Lines of at most `width` columns, a chapter after the other. */
export function renderChain(
  chapters: readonly Chapter[],
  { width, painter = PLAIN }: { readonly width: number; readonly painter?: Painter },
): string[] {
  return chapters.flatMap(({ title, links }) => [
    '',
    `  ${painter.bold(title)}`,
    ...links.flatMap((one) => renderLink(one, width, painter)),
  ])
}

function renderLink({ atMs, text }: Link, width: number, paint: Painter): string[] {
  const time = atMs === undefined ? '' : (atMs / 1_000).toFixed(3).padStart(9)
  const [first = '', ...others] = wrap(text, Math.max(20, width - INDENT))
  const head = `  ${paint.dim(time.padEnd(INDENT - 2))}`
  return [`${head}${first}`, ...others.map((line) => `${' '.repeat(INDENT)}${line}`)]
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`
    } else lines.push(word)
  }
  return lines
}
