/**
 * What is wrong with a configuration, or unwise about it: written for a person, with the place and
 * a remedy. Codes are stable: scripts may look for them.
 */
export type ProblemCode =
  /** The text cannot be read at all: broken YAML, unbalanced quotes. */
  | 'E_SYNTAX'
  | 'E_UNKNOWN'
  | 'E_MISSING'
  | 'E_DUPLICATE'
  /** Another type of value, or another number of words, is needed. */
  | 'E_TYPE'
  /** The type is right, but the value is out of bounds. */
  | 'E_RANGE'
  | 'E_VALUE'
  /** Redis knows the option, we do not, and ignoring it would be dangerous. */
  | 'E_UNSUPPORTED'
  /** What the file names on this machine is missing or cannot be used: see cli/check/machine.ts. */
  | 'E_TLS'
  | 'E_ACL_FILE'
  | 'E_BIND'
  | 'E_LOG_FILE'
  | 'E_STATE_FOLDER'
  | 'E_STATE_DAMAGED'
  | 'E_WEBHOOK'
  | 'E_HTTP'
  | 'E_DUMP'
  | 'E_AOF'
  | 'W_AOF_TORN'
  | 'W_AOF_NOT_LOADED'
  | 'W_TLS'
  | 'W_STATE_FOLDER'
  | 'W_LOG_FILE'
  | 'W_SECRET_FILE'
  /** Redis knows the option, and we ignore it. */
  | 'W_IGNORED'
  /** We know the option and Redis does not: Redis would refuse the file. */
  | 'W_EXTENSION'
  | 'W_LITERAL'
  /** Advice about a valid configuration: see check.ts. */
  | 'W_NO_GROUP'
  | 'W_FEW_SENTINELS'
  | 'W_EVEN_SENTINELS'
  | 'W_NAME_ANNOUNCED'
  | 'W_ONE_MASTER'
  /** No failover could ever happen; a start is not refused, because Sentinels may be added. */
  | 'E_QUORUM_UNREACHABLE'
  | 'W_QUORUM_UNCHECKED'
  /** What the Sentinel would go on from: see check-epochs.ts. */
  | 'E_EPOCHS_USED_UP'
  | 'W_EPOCHS_FAR'
  | 'W_QUORUM_ABOVE_MAJORITY'
  | 'W_QUORUM_ONE'
  | 'W_DOWN_AFTER_SHORT'
  | 'W_FAILOVER_TIMEOUT_SHORT'
  | 'W_PARALLEL_SYNCS'
  | 'W_NO_EFFECT'
  | 'W_REFUSED_AFTER_SHORT'
  | 'W_GRAY_AFTER_SHORT'
  | 'W_CLIENT_ADDRESSES'
  /** A strict group that could promise nothing, or that no failure leaves working: see check-voters.ts. */
  | 'E_VOTERS'
  | 'W_VOTERS'
  | 'W_VOTERS_TOGETHER'
  | 'W_VOTER_NAMED'
  | 'W_VOTER_NEVER_PROMOTED'
  /** Advice about a redis.conf: see check-node.ts. */
  | 'W_MASTER_ADDRESS'
  | 'W_KEEPS_NOTHING'
  | 'W_DUMP_NOT_LOADED'
  | 'W_GUARD_NEEDS_INFO'
  | 'W_VOTER_IN_MEMORY'
  /** What the memory of this machine makes of `maxmemory`: see cli/check/machine.ts. */
  | 'W_NEVER_EVICTS'
  | 'W_MAXMEMORY_ABOVE_HEAP'
  | 'W_CONTAINER_LIMIT'

export interface Problem {
  readonly severity: 'error' | 'warning'
  readonly code: ProblemCode
  readonly file: string
  /**
   * Counted from 1. Undefined if no line is at fault: a command-line override, or something
   * missing.
   */
  readonly line?: number | undefined
  readonly column?: number | undefined
  /**
   * The option as the user knows it: `groups.mymaster.quorum`, `sentinel monitor`; may be empty.
   */
  readonly path: string
  /** The option it was inherited from: `defaults.quorum`. */
  readonly inheritedFrom?: string | undefined
  readonly message: string
  /** A remedy; may be empty. */
  readonly hint: string
}

/** A place in a file, and the name of the option there. */
export interface Location {
  /** Missing: the file that was given, and none that it includes. */
  readonly file?: string
  readonly line: number | undefined
  readonly column: number | undefined
  readonly path: string
  /** It stands there, and the option above inherits it. */
  readonly inheritedFrom?: string | undefined
}

/** As one line of text: `file:line:column  path  message  (hint)`. */
export function formatProblem(problem: Problem): string {
  const { file, line, column, path, inheritedFrom, message, hint } = problem
  const place = [file, line, column].filter((part) => part !== undefined).join(':')
  const option = inheritedFrom === undefined ? path : `${path} (from ${inheritedFrom})`
  const parts = [place, option, message, hint === '' ? '' : `(${hint})`]
  return parts.filter((part) => part !== '').join('  ')
}

/** In the order of the file; problems without a line come last. */
export function inFileOrder(problems: readonly Problem[]): Problem[] {
  const key = (problem: Problem) => problem.line ?? Number.MAX_SAFE_INTEGER
  return [...problems].sort((a, b) => key(a) - key(b) || (a.column ?? 0) - (b.column ?? 0))
}
