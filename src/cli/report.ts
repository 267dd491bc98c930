/** What the programs write to standard error for people, and the exit status that follows. */
import { formatProblem, type Problem } from '../config/problem.ts'
import { StartError } from '../io/start-error.ts'

/** The program could not start, or ended on an error. */
export const EXIT_FAILED = 1
/** The configuration or the command line is wrong; nothing was started. */
export const EXIT_CONFIG = 2
/** All was skipped: that proves nothing, and a script must not take it for a pass. */
export const EXIT_NOTHING_PLAYED = 3

/** No user mends more in one go; a file with more errors is probably another kind of file. */
const MAX_SHOWN = 100

export function reportProblems(problems: readonly Problem[]): void {
  for (const problem of problems.slice(0, MAX_SHOWN)) {
    say(`${problem.severity}: ${formatProblem(problem)}`)
  }
  if (problems.length > MAX_SHOWN) say(`and ${problems.length - MAX_SHOWN} more problems`)
}

/**
 * For errors that a user can mend: one line and a way out. Any other error is a mistake of ours and
 * is thrown on.
 */
export function reportFailure(error: unknown): number {
  if (!(error instanceof StartError)) throw error
  say(`vedette: ${error.message}`)
  say(`  ${error.hint}`)
  return EXIT_FAILED
}

export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
