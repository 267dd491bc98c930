/**
 * What is wrong with a configuration, or unwise about it: for a person, with the place and a way out.
 * Codes are stable: scripts may look for them.
 */
export type ProblemCode =
  /** The text cannot be read at all: broken YAML, unbalanced quotes. */
  | 'E_SYNTAX'
  | 'E_UNKNOWN'
  | 'E_MISSING'
  | 'E_DUPLICATE'
  /** Another type of value, or another number of words, is wanted. */
  | 'E_TYPE'
  /** The right type, but not within its bounds. */
  | 'E_RANGE'
  | 'E_VALUE'
  /** Redis knows it, we do not, and going on without it would be dangerous. */
  | 'E_UNSUPPORTED'
  /** Redis knows it and we do without it. */
  | 'W_IGNORED'
  /** We know it and Redis does not: it would refuse the file. */
  | 'W_EXTENSION'
  /** Advice about a sound configuration: see check.ts. */
  | 'W_NO_GROUP'
  | 'W_FEW_SENTINELS'
  | 'W_EVEN_SENTINELS'
  | 'W_NAME_ANNOUNCED'
  | 'W_QUORUM_UNREACHABLE'
  | 'W_QUORUM_ABOVE_MAJORITY'
  | 'W_QUORUM_ONE'
  | 'W_DOWN_AFTER_SHORT'
  | 'W_FAILOVER_TIMEOUT_SHORT'
  | 'W_PARALLEL_SYNCS'
  | 'W_NO_EFFECT'
  | 'W_REFUSED_AFTER_SHORT'
  | 'W_GRAY_AFTER_SHORT'
  /** Advice about a redis.conf: see check-node.ts. */
  | 'W_KEEPS_NOTHING'
  | 'W_DUMP_NOT_LOADED'
  | 'W_GUARD_NEEDS_INFO'

export interface Problem {
  readonly severity: 'error' | 'warning'
  readonly code: ProblemCode
  readonly file: string
  /** From 1. Undefined where no line is to blame: a command-line override, something left out. */
  readonly line?: number | undefined
  readonly column?: number | undefined
  /** The option as the user knows it: `groups.mymaster.quorum`, `sentinel monitor`; may be empty. */
  readonly path: string
  readonly message: string
  /** A way out; may be empty. */
  readonly hint: string
}

/** A place in a file, and the name of the option there. */
export interface Location {
  readonly line: number | undefined
  readonly column: number | undefined
  readonly path: string
}

/** One line of text: `file:line:column  path  message  (hint)`. */
export function formatProblem(problem: Problem): string {
  const { file, line, column, path, message, hint } = problem
  const place = [file, line, column].filter((part) => part !== undefined).join(':')
  const parts = [place, path, message, hint === '' ? '' : `(${hint})`]
  return parts.filter((part) => part !== '').join('  ')
}

/** The order of the file; what has no line comes last. */
export function inFileOrder(problems: readonly Problem[]): Problem[] {
  const key = (problem: Problem) => problem.line ?? Number.MAX_SAFE_INTEGER
  return [...problems].sort((a, b) => key(a) - key(b) || (a.column ?? 0) - (b.column ?? 0))
}
