/**
 * A failing plan as a file that anybody can run, and the proof that it fails there as it did here.
 */

import { assemble, type Title } from './assemble.ts'
import type { Failure } from './failure.ts'
import { renderScenario } from './file.ts'
import type { FuzzPlan } from './plan.ts'
import { runPlan } from './run.ts'

export interface FailingFile {
  /** A scenario in YAML. */
  readonly text: string
  readonly steps: number
  /**
   * Played from this very text with the same seed, the run fails in the same way. Undefined: that was
   * not tried, because nothing is the same twice in real time.
   */
  readonly reproduces: boolean | undefined
}

export async function createFailingFile(
  plan: FuzzPlan,
  failure: Failure,
  seed: string,
): Promise<FailingFile> {
  const again = await runPlan(plan, seed)
  const reproduces = again.failure?.signature === failure.signature
  return { ...createUntriedFile(plan, failure, seed), reproduces }
}

/** The file without the proof. */
export function createUntriedFile(plan: FuzzPlan, failure: Failure, seed: string): FailingFile {
  const words = assemble(plan, failingTitle(failure, seed))
  return { text: renderScenario(words), steps: words.timeline.length, reproduces: undefined }
}

function failingTitle({ kind, checker, text, atMs }: Failure, seed: string): Title {
  const when = atMs === undefined ? '' : ` at ${atMs / 1_000} s`
  const what = kind === 'expectation' ? 'What was expected and did not come' : 'What was found'
  return {
    name: `Seed ${seed}: ${checker}`,
    story: `Drawn by chance; run it with seed ${seed}. ${what}: ${checker}${when}. ${text}\n`,
  }
}
