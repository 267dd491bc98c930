/** What a terminal or a script is told of one run. */
import pc from 'picocolors'
import { type Painter, PLAIN, renderReport } from '../scenario/report.ts'
import { renderJson } from '../scenario/report-json.ts'
import type { Played } from '../scenario/run.ts'
import type { ScenarioFile } from '../scenario/scenario-file.ts'
import type { ScenarioOptions } from './scenario-options.ts'

const COLOURED: Painter = { good: pc.green, bad: pc.red, bold: pc.bold, dim: pc.dim }

/** `isOneOfMany`: the same scenario runs with other seeds too, and only failures are of interest. */
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
  const lanes = brief ? [] : await renderCourse(file, played, painter)
  const report = renderReport(result, { painter, brief: lanes !== undefined })
  return lanes === undefined || lanes.length === 0
    ? `${report}\n`
    : `${report}\n${lanes.join('\n')}\n\n`
}

/** A column for each process, on a terminal that has the room; undefined: a list has to do. */
async function renderCourse(
  file: ScenarioFile,
  { result, history }: Played,
  painter: Painter,
): Promise<readonly string[] | undefined> {
  if (!process.stdout.isTTY || result.verdict === 'skipped') return undefined
  const { createLanes } = await import('../report/lanes.ts')
  const { renderLanes } = await import('../report/lanes-text.ts')
  return renderLanes(createLanes(file, history), { width: process.stdout.columns, painter })
}
