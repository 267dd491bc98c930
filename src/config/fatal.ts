/**
 * How redis-server and redis-sentinel report a wrong line that prevents a start: tools that watch
 * their standard error know these lines.
 */
import { utf8Text } from '../base/utf8.ts'
import { REDIS_VERSION } from '../server/version.ts'
import type { Problem } from './problem.ts'

export type Fatal =
  | {
      readonly kind: 'line'
      /** As Redis counts: the command line continues where the file ends. */
      readonly number: number
      /** The line without surrounding blanks, as a byte string. */
      readonly text: string
      readonly reason: string
    }
  /** A file that cannot be read. */
  | { readonly kind: 'file'; readonly path: string; readonly reason: string }

/** A fault in a line, and how Redis would report it. */
export interface LineFault {
  readonly problem: Problem
  readonly fatal: Fatal
}

/**
 * How many errors of one file we report. Redis stops at the first; a file with more errors than
 * this is not a configuration.
 */
export const MAX_FAULTS = 1_000

/** The error Redis would have stopped at: the first in the order in which it reads. */
export function firstFatal(faults: readonly LineFault[]): Fatal | undefined {
  return faults.find(({ problem }) => problem.severity === 'error')?.fatal
}

/** The text ends with a line break. */
export function formatFatal(fatal: Fatal): string {
  if (fatal.kind === 'file') {
    return `Fatal error, can't open config file '${fatal.path}': ${fatal.reason}\n`
  }
  return `
*** FATAL CONFIG FILE ERROR (Redis ${REDIS_VERSION}) ***
Reading the configuration file, at line ${fatal.number}
>>> '${utf8Text(fatal.text)}'
${utf8Text(fatal.reason)}
`
}
