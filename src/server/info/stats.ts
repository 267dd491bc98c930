/** What INFO counts. CONFIG RESETSTAT starts it again. */
export interface Stats {
  connections: number
  rejectedConnections: number
  commands: number
  /** Changes since the last save. */
  changes: number
  inputBytes: number
  outputBytes: number
  reads: number
  writes: number
  expiredKeys: number
  hits: number
  misses: number
  errorReplies: number
  /** Commands of our master's stream that this node does not have: what they changed is missing here. */
  unappliedCommands: number
  /** Error replies by their first word. */
  readonly errors: Map<string, number>
}

/** More different codes than this are not counted one by one: scripts and clients could invent them. */
const MAX_ERROR_CODES = 128

export function newStats(): Stats {
  return {
    connections: 0,
    rejectedConnections: 0,
    commands: 0,
    changes: 0,
    inputBytes: 0,
    outputBytes: 0,
    reads: 0,
    writes: 0,
    expiredKeys: 0,
    hits: 0,
    misses: 0,
    errorReplies: 0,
    unappliedCommands: 0,
    errors: new Map(),
  }
}

export function resetStats(stats: Stats): void {
  stats.errors.clear()
  // What has changed since the last save is no statistic, nor is what we miss.
  const { errors, changes, unappliedCommands } = stats
  Object.assign(stats, newStats(), { errors, changes, unappliedCommands })
}

/** `text` is an error reply without its dash. */
export function countError(stats: Stats, text: string): void {
  stats.errorReplies++
  const end = text.indexOf(' ')
  const code = end < 0 ? text : text.slice(0, end)
  const count = stats.errors.get(code)
  if (count === undefined && stats.errors.size >= MAX_ERROR_CODES) return
  stats.errors.set(code, (count ?? 0) + 1)
}
