/**
 * Refuses a start because of its configuration: first as Redis reports it, then with all problems and hints.
 */
import { type Fatal, formatFatal } from '../../config/fatal.ts'
import type { Problem } from '../../config/problem.ts'
import { EXIT_CONFIG, EXIT_FAILED, reportProblems } from '../report.ts'

/** Returns the exit status: Redis' own if it would have refused the file too. */
export function refuseStart(problems: readonly Problem[], fatal: Fatal | undefined): number {
  if (fatal !== undefined) process.stderr.write(`${formatFatal(fatal)}\n`)
  reportProblems(problems)
  return fatal === undefined ? EXIT_CONFIG : EXIT_FAILED
}
