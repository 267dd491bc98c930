/**
 * A client that closes its half of a connection and reads on is told all that it asked: data nodes and proxies close only
 * behind the last answer. Nothing is demanded while something happens to the cluster, because nodes that change their
 * role close the connections of clients, and nothing of an answer that takes long: a proxy waits for half a second.
 */
import type { Happening } from '../happening.ts'
import type { Checker } from './checker.ts'

/** Since the last fault, change of a role or failover; and since the start. */
const QUIET_MS = 5_000
/** Less than a proxy waits for, by a clock that runs slow. */
const SOON_MS = 400

export function halfClosedAreAnswered(): Checker {
  let quietSinceMs = 0
  return {
    name: 'a half-closed client is answered',
    observe: (happening) => {
      if (isUnrest(happening)) quietSinceMs = happening.atMs
      if (happening.kind !== 'unanswered') return undefined
      const { process, host, asked, answered, tookMs, atMs } = happening
      if (tookMs > SOON_MS || atMs - tookMs - quietSinceMs < QUIET_MS) return undefined
      return `${process} closed its half behind ${asked} commands to ${host}, and got ${answered} answers`
    },
  }
}

function isUnrest({ kind }: Happening): boolean {
  return UNREST.includes(kind)
}

const UNREST: readonly Happening['kind'][] = [
  ...(['fault', 'status', 'role', 'candidacy', 'leader', 'order', 'event', 'writesHeld'] as const),
]
