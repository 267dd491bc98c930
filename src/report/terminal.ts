/** A run for a terminal: verdict and facts, why it went so, and the course of events. */
import { type Painter, renderReport } from '../scenario/report.ts'
import type { ScenarioResult } from '../scenario/result.ts'
import type { ScenarioFile } from '../scenario/scenario-file.ts'
import type { History } from '../scenario/world.ts'
import { explain } from './chain.ts'
import { renderChain } from './chain-text.ts'
import { createLanes } from './lanes.ts'
import { renderLanes } from './lanes-text.ts'

export interface TerminalOptions {
  /** Columns of the terminal. */
  readonly width: number
  readonly painter: Painter
}

/**
 * Ends with a newline. Where the swim lanes do not fit the course is the list of `renderReport`, which
 * is also what to use when nobody looks: a pipe or a file has no width.
 */
export function renderForTerminal(
  file: ScenarioFile,
  result: ScenarioResult,
  history: History,
  { width, painter }: TerminalOptions,
): string {
  if (result.verdict === 'skipped') return renderReport(result, { painter })
  const chain = renderChain(explain(file, result, history), {
    width: Math.min(width, 110),
    painter,
  })
  const lanes = renderLanes(createLanes(file, history), { width, painter })
  const head = renderReport(result, { painter, brief: lanes !== undefined })
  return `${head}${[...chain, '', ...(lanes ?? [])].join('\n')}\n`
}
