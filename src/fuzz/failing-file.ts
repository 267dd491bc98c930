/** A failing plan as a file that anybody can run, and the proof that it fails there as it did here. */

import { assemble, type Title } from './assemble.ts'
import type { Failure } from './failure.ts'
import { renderScenario } from './file.ts'
import type { Plan } from './plan.ts'
import { runPlan } from './run.ts'

export interface FailingFile {
  /** A scenario in YAML. */
  readonly text: string
  readonly steps: number
  /** Played from this very text with the same seed it fails in the same way. */
  readonly reproduces: boolean
}

export async function createFailingFile(
  plan: Plan,
  failure: Failure,
  seed: string,
): Promise<FailingFile> {
  const words = assemble(plan, failingTitle(failure, seed))
  const again = await runPlan(plan, seed)
  return {
    text: renderScenario(words),
    steps: words.timeline.length,
    reproduces: again.failure?.signature === failure.signature,
  }
}

function failingTitle({ kind, checker, text, atMs }: Failure, seed: string): Title {
  const when = atMs === undefined ? '' : ` at ${atMs / 1_000} s`
  const what = kind === 'expectation' ? 'What was expected and did not come' : 'What was found'
  return {
    name: `Seed ${seed}: ${checker}`,
    story: `Drawn by chance and made small; run it with seed ${seed}. ${what}: ${checker}${when}. ${text}\n`,
  }
}
