import type { ScenarioResult } from './result.ts'

/** One JSON value per run, on one line, with a newline. The fields are those of the result. */
export function renderJson(result: ScenarioResult): string {
  return `${JSON.stringify(result)}\n`
}
