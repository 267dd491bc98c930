/** The end of a start over its configuration: first as Redis tells it, then all that is wrong, with hints. */
import { type Fatal, formatFatal } from '../config/fatal.ts'
import type { Problem } from '../config/problem.ts'
import { EXIT_CONFIG, EXIT_FAILED, reportProblems } from './report.ts'

/** Gives the exit status: Redis' own where it would have refused the file too. */
export function refuseStart(problems: readonly Problem[], fatal: Fatal | undefined): number {
  if (fatal !== undefined) process.stderr.write(`${formatFatal(fatal)}\n`)
  reportProblems(problems)
  return fatal === undefined ? EXIT_CONFIG : EXIT_FAILED
}
