/** What the programs tell people on standard error, and the exit status it leads to. */
import { formatProblem, type Problem } from '../config/problem.ts'
import { StartError } from '../io/start-error.ts'

/** The program could not start, or ended on an error. */
export const EXIT_FAILED = 1
/** The configuration or the command line is wrong; nothing was started. */
export const EXIT_CONFIG = 2

export function reportProblems(problems: readonly Problem[]): void {
  for (const problem of problems) {
    say(`${problem.severity}: ${formatProblem(problem)}`)
  }
}

/** For what a user can mend: one line and a way out. Anything else is a mistake of ours and goes on. */
export function reportFailure(error: unknown): number {
  if (!(error instanceof StartError)) throw error
  say(`vedette: ${error.message}`)
  say(`  ${error.hint}`)
  return EXIT_FAILED
}

export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
