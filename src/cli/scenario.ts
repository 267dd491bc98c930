/** `vedette scenario run`: scenario files played on virtual time, with a verdict for each. */
import pc from 'picocolors'
import { parseScenario } from '../scenario/parse.ts'
import { type Painter, PLAIN, renderReport } from '../scenario/report.ts'
import { renderJson } from '../scenario/report-json.ts'
import type { ScenarioResult } from '../scenario/result.ts'
import { runScenario } from '../scenario/run.ts'
import type { ScenarioFile } from '../scenario/scenario-file.ts'
import { readTextFile } from './files.ts'
import { EXIT_CONFIG, EXIT_FAILED, reportProblems } from './report.ts'

export interface ScenarioOptions {
  readonly seed?: string
  readonly json?: true
}

/** The same run every time, unless somebody asks for another one. */
const DEFAULT_SEED = '1'

const COLOURED: Painter = { good: pc.green, bad: pc.red, bold: pc.bold, dim: pc.dim }

/** Resolves to the exit status. Nothing is run unless every file can be read. */
export async function runScenarios(
  paths: readonly string[],
  options: ScenarioOptions,
): Promise<number> {
  const files = readAll(paths)
  if (files === undefined) return EXIT_CONFIG
  let failed = 0
  for (const file of files) {
    const result = await runScenario(file, { seed: options.seed ?? DEFAULT_SEED })
    process.stdout.write(render(result, options))
    if (result.verdict !== 'passed') failed++
  }
  if (options.json === undefined && files.length > 1) {
    process.stdout.write(`${files.length - failed} passed, ${failed} failed\n`)
  }
  return failed === 0 ? 0 : EXIT_FAILED
}

/** Undefined: at least one is wrong, and the problems of all have been shown. */
function readAll(paths: readonly string[]): readonly ScenarioFile[] | undefined {
  const parsed = paths.map((path) => parseScenario(readTextFile(path, 'utf8'), path))
  const files = parsed.flatMap((one) => (one.ok ? [one.value] : []))
  reportProblems(parsed.flatMap((one) => (one.ok ? [] : one.problems)))
  return files.length === paths.length ? files : undefined
}

function render(result: ScenarioResult, { json }: ScenarioOptions): string {
  if (json) return renderJson(result)
  return `${renderReport(result, { painter: pc.isColorSupported ? COLOURED : PLAIN })}\n`
}
