/** A run for a terminal: verdict and facts, why it happened, and the course of events. */
import { type Painter, PLAIN, type ReportOptions, renderReport } from '../scenario/report.ts'
import type { ScenarioResult } from '../scenario/result.ts'
import type { ScenarioFile } from '../scenario/scenario-file.ts'
import type { RunHistory } from '../scenario/world.ts'
import { explain } from './chain/chain.ts'
import type { ChainSentence, Chapter } from './chain/chain-words.ts'
import { createLanes } from './lanes/lanes.ts'
import { renderLanes } from './lanes/lanes-text.ts'

export interface TerminalOptions {
  /** Columns of the terminal. */
  readonly width: number
  readonly painter: Painter
}

/**
 * Ends with a newline. If the swim lanes do not fit, the course is the list of `renderReport`. A pipe or a file has
 * no width: see `renderForLog`.
 */
export function renderForTerminal(
  file: ScenarioFile,
  result: ScenarioResult,
  history: RunHistory,
  { width, painter }: TerminalOptions,
): string {
  if (result.verdict === 'skipped') return renderReport(result, { painter })
  const chain = renderChain(explain(file, result, history), {
    width: Math.min(width, LOG_WIDTH),
    painter,
  })
  const lanes = renderLanes(createLanes(file, history), { width, painter })
  const head = renderReport(result, { painter, brief: lanes !== undefined })
  return `${head}${[...chain, '', ...(lanes ?? [])].join('\n')}\n`
}

/** For a log, where nobody can ask further: a run that failed ends with why things happened as they did. */
export function renderForLog(
  file: ScenarioFile,
  result: ScenarioResult,
  history: RunHistory,
  options: ReportOptions = {},
): string {
  const report = renderReport(result, options)
  if (result.verdict !== 'failed') return report
  const chain = renderChain(explain(file, result, history), { ...options, width: LOG_WIDTH })
  return `${[report.trimEnd(), ...chain].join('\n')}\n`
}

const LOG_WIDTH = 110

// The causal chain for a terminal.

/** Room for `   12.345  ` before each sentence. */
const INDENT = 13

/** Lines of at most `width` columns, one chapter after another. */
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

function renderLink({ atMs, text }: ChainSentence, width: number, paint: Painter): string[] {
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
