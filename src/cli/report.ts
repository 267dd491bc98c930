/** What the programs write to standard error for people, and the exit status that follows. */
import { formatProblem, type Problem } from '../config/problem.ts'
import type { Logger } from '../io/log/logger.ts'
import { StartError, type StartErrorCode } from '../io/start-error.ts'

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

/** A file that cannot be read and options that do not fit: nothing was started or asked. */
const WRONG_INPUT: ReadonlySet<StartErrorCode> = new Set([
  'E_CONFIG_FILE',
  'E_OPTIONS',
  'E_START_FOLDER',
])

/**
 * For errors that a user can mend: one line and a way out. Any other error is a mistake of ours and
 * is thrown on. Wrong input has a status of its own, because 1 is an answer of `check`, `status` and `explain`.
 */
export function reportFailure(error: unknown): number {
  return WRONG_INPUT.has(told(error).code) ? EXIT_CONFIG : EXIT_FAILED
}

/**
 * The same for the programs that take the place of Redis' own, which end with 1 in any case. Whoever looks for why a
 * service is down reads its log: the reason stands there, too.
 */
export function reportFailedStart(error: unknown): number {
  const { message, hint, logLine } = told(error)
  if (startLog === undefined) return EXIT_FAILED
  const { logger, isApart } = startLog
  if (logLine !== undefined) logger.log('warning', logLine)
  if (isApart) logger.log('warning', `cannot start: ${message} (${hint})`)
  logger.flush()
  return EXIT_FAILED
}

let startLog: { readonly logger: Logger; readonly isApart: boolean } | undefined

/** `isApart`: a log that is read apart from standard error, which is a file or syslog. */
export function logFailedStart(logger: Logger, isApart: boolean): void {
  startLog = { logger, isApart }
}

function told(thrown: unknown): StartError {
  const error = startedNowhere(thrown) ?? thrown
  if (!(error instanceof StartError)) throw error
  say(`vedette: ${error.message}`)
  say(`  ${error.hint}`)
  return error
}

/** Whatever needs the working folder fails where that was removed, as by an upgrade while its shell was open. */
function startedNowhere(error: unknown): StartError | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || error.syscall !== 'uv_cwd') return
  const message = 'the folder that this program was started in no longer exists'
  const hint = 'change to another folder (cd /) and start it there'
  return new StartError('E_START_FOLDER', message, hint)
}

export function say(line: string): void {
  if (said.length < MAX_KEPT) said.push(...line.split('\n'))
  process.stderr.write(`${line}\n`)
}

/** The lines that were said, for `failureTold`: a command that goes on for hours says progress. */
const said: string[] = []
const MAX_KEPT = 1_000

/** What went wrong, for programs. */
export interface ToldFailure {
  readonly error: string
  /** What can be done about it, where that is known. */
  readonly hint?: string
}

/** The words of what was said: a failure begins with who says it, and its hint is indented. Notes and warnings are left out. */
export function failureTold(lines: readonly string[] = said): ToldFailure {
  const errors: string[] = []
  const hints: string[] = []
  let isFailure = false
  for (const line of lines) {
    const isHint = line.startsWith('  ')
    if (!isHint) isFailure = FAILURE.test(line)
    if (isFailure) (isHint ? hints : errors).push(line.replace(FAILURE, '').trim())
  }
  const error = errors.join('; ') || 'the command failed without a word'
  return hints.length === 0 ? { error } : { error, hint: hints.join(' ') }
}

const FAILURE = /^(?:vedette|fuzz|error): /
