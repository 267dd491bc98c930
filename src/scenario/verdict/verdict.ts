/** The verdict on one expectation, without its words. */
import { formatDuration } from '../duration.ts'
import type { JudgedExpectation } from '../result.ts'

export type Verdict = Omit<JudgedExpectation, 'text'>

export const PASSED: Verdict = { passed: true, metAtMs: undefined, finding: '' }

export function met(atMs: number, fromMs: number): Verdict {
  return { passed: true, metAtMs: atMs, finding: `after ${formatDuration(atMs - fromMs)}` }
}

export function failed(finding: string): Verdict {
  return { passed: false, metAtMs: undefined, finding }
}

/** For what is counted: the finding tells the number, whether it is allowed or not. */
export function counted(passed: boolean, finding: string): Verdict {
  return { passed, metAtMs: undefined, finding }
}
