/**
 * The end of a start over a wrong line, as redis-server and redis-sentinel tell it: tools that watch
 * their standard error know these lines.
 */
import { utf8Text } from '../base/utf8.ts'
import { REDIS_VERSION } from '../server/version.ts'
import type { Problem } from './problem.ts'

export type Fatal =
  | {
      readonly kind: 'line'
      /** As Redis counts: the command line goes on where the file ends. */
      readonly number: number
      /** The line without the blanks around it, a byte string. */
      readonly text: string
      readonly reason: string
    }
  /** A file that cannot be read. */
  | { readonly kind: 'file'; readonly path: string; readonly reason: string }

/** Something wrong with a line, and how Redis would tell it. */
export interface LineFault {
  readonly problem: Problem
  readonly fatal: Fatal
}

/** What Redis would have stopped at: the first error in the order it reads in. */
export function firstFatal(faults: readonly LineFault[]): Fatal | undefined {
  return faults.find(({ problem }) => problem.severity === 'error')?.fatal
}

/** Ends with a line break. */
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
