/** What a terminal or a script is shown of one run. */

import { type Painter, PLAIN, renderReport } from '../../scenario/report.ts'
import type { ScenarioResult } from '../../scenario/result.ts'
import type { Played } from '../../scenario/run.ts'
import type { ScenarioFile } from '../../scenario/scenario-file.ts'
import { colors as pc } from '../colors.ts'
import { printJsonText } from '../json-answer.ts'
import type { ScenarioOptions } from './scenario-options.ts'

const COLOURED: Painter = { good: pc.green, bad: pc.red, bold: pc.bold, dim: pc.dim }

/**
 * `isOneOfMany`: the same scenario runs with other seeds too, so only failures are shown in full.
 */
export async function renderRun(
  file: ScenarioFile,
  played: Played,
  { json, brief }: ScenarioOptions,
  isOneOfMany: boolean,
): Promise<string> {
  const { result } = played
  if (json) return renderJson(result)
  const painter = pc.isColorSupported ? COLOURED : PLAIN
  if (isOneOfMany && result.verdict === 'passed') {
    const run = painter.dim(`${result.file}, seed ${result.seed}`)
    return `${painter.good('PASSED')}  ${result.name}  ${run}\n`
  }
  if (brief) return `${renderReport(result, { painter, brief })}\n`
  const { renderForLog, renderForTerminal } = await import('../../report/terminal.ts')
  if (!process.stdout.isTTY) return `${renderForLog(file, result, played.history, { painter })}\n`
  const look = { width: process.stdout.columns, painter }
  return `${renderForTerminal(file, result, played.history, look)}\n`
}

/** What `renderRun` gave for these options. */
export function printRun(text: string, { json }: Pick<ScenarioOptions, 'json'>): void {
  if (json) printJsonText(text)
  else process.stdout.write(text)
}

/** One JSON value per run, on one line, with a newline. The fields are those of the result. */
export function renderJson(result: ScenarioResult): string {
  return `${JSON.stringify(result)}\n`
}
