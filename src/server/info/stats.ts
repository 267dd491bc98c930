/** What INFO counts. CONFIG RESETSTAT resets it. */
import type { Reply } from '../../resp/reply.ts'

type ErrorReply = Extract<Reply, { kind: 'error' }>

export interface NodeStats {
  connections: number
  rejectedConnections: number
  commands: number
  /** Changes since the last save. */
  changes: number
  /** All that was received and sent, and the part of it that came from our master or went to replicas. */
  inputBytes: number
  outputBytes: number
  replicationInputBytes: number
  replicationOutputBytes: number
  reads: number
  writes: number
  /** Replicas that got everything, those that went on where they were, and those that wanted to and could not. */
  fullSyncs: number
  partialSyncs: number
  refusedPartialSyncs: number
  expiredKeys: number
  /** How long expired keys have been looked for, and how often the time for it was over first. */
  expiryMicros: number
  expiryCaps: number
  expiredFields: number
  evictedKeys: number
  /** How long more memory was used than [maxmemory] allows, up to the last time it was not. */
  evictionExceededMs: number
  hits: number
  misses: number
  errorReplies: number
  /** Connections closed because memory was short, and all connections that have ended. */
  evictedClients: number
  closedClients: number
  /** Closed by [client-output-buffer-limit]. */
  slowClients: number
  /** Commands refused because memory was short. */
  outOfMemory: number
  /**
   * Commands in our master's stream that this node does not have, or that failed here: their changes are missing since the
   * last full copy.
   */
  unappliedCommands: number
  /** Commands in our master's stream that are not writes, and were not carried out. */
  refusedCommands: number
  /** Error replies by their first word. */
  readonly errors: Map<string, number>
}

/** More different codes than this are not counted one by one: scripts and clients could invent them. */
const MAX_ERROR_CODES = 128

export function newStats(): NodeStats {
  return {
    connections: 0,
    rejectedConnections: 0,
    commands: 0,
    changes: 0,
    inputBytes: 0,
    outputBytes: 0,
    replicationInputBytes: 0,
    replicationOutputBytes: 0,
    reads: 0,
    writes: 0,
    fullSyncs: 0,
    partialSyncs: 0,
    refusedPartialSyncs: 0,
    expiredKeys: 0,
    expiryMicros: 0,
    expiryCaps: 0,
    expiredFields: 0,
    evictedKeys: 0,
    evictionExceededMs: 0,
    hits: 0,
    misses: 0,
    errorReplies: 0,
    evictedClients: 0,
    closedClients: 0,
    slowClients: 0,
    outOfMemory: 0,
    unappliedCommands: 0,
    refusedCommands: 0,
    errors: new Map(),
  }
}

export function resetStats(stats: NodeStats): void {
  stats.errors.clear()
  // The changes since the last save are no statistic, nor is what this node misses.
  const { errors, changes, unappliedCommands } = stats
  Object.assign(stats, newStats(), { errors, changes, unappliedCommands })
}

/** `text` is an error reply without its dash. */
export function countError(stats: NodeStats, text: string): void {
  stats.errorReplies++
  const end = text.indexOf(' ')
  const code = end < 0 ? text : text.slice(0, end)
  const count = stats.errors.get(code)
  if (count === undefined && stats.errors.size >= MAX_ERROR_CODES) return
  stats.errors.set(code, (count ?? 0) + 1)
}

/** The errors at any depth of an answer that a script has put together; they are added to `found`. */
export function errorsInside(reply: Reply, found: ErrorReply[] = []): readonly ErrorReply[] {
  if (reply.kind === 'error') found.push(reply)
  else if (reply.kind === 'map') {
    for (const entry of reply.entries) for (const part of entry) errorsInside(part, found)
  } else if (reply.kind === 'array' || reply.kind === 'set') {
    for (const item of reply.items) errorsInside(item, found)
  }
  return found
}
