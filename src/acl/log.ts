/**
 * [ACL LOG] Who was refused what, newest first. A refusal that repeats within a minute is counted in its
 * entry, not listed again, and the list is bounded: a stranger who keeps trying fills neither the log
 * nor our memory.
 */
import { array, bulk, integer, type Reply } from '../resp/reply.ts'

export interface DeniedAttempt {
  readonly reason: 'command' | 'key' | 'channel' | 'auth'
  readonly context: 'toplevel' | 'multi' | 'lua'
  /** The command, key or channel; for `auth` the user name that was tried. Never a password. */
  readonly object: string
  readonly username: string
  /** A line of CLIENT LIST. */
  readonly clientInfo: string
}

interface Entry {
  refusal: DeniedAttempt
  count: number
  lastAtMs: number
}

/** Refusals by their reason. */
export type DeniedCounts = Readonly<Record<DeniedAttempt['reason'], number>>

const NONE_DENIED: DeniedCounts = { auth: 0, command: 0, key: 0, channel: 0 }

/** How far apart two equal refusals may be and still share one entry. */
const GROUPING_MS = 60_000
/** A refusal is compared with this many of the newest entries. */
const COMPARED = 10
/** At most this much of an object or a user name is kept. */
const MAX_BYTES = 1024

export class AclLog {
  readonly #entries: Entry[] = []
  #denied: DeniedCounts = NONE_DENIED
  readonly #maxLength: () => number

  /** [acllog-max-len] Called at each use, because CONFIG SET changes the value. */
  constructor(maxLength: () => number) {
    this.#maxLength = maxLength
  }

  get entries(): readonly Readonly<Entry>[] {
    return this.#entries
  }

  /** How many there were since the start, or `resetCounts`; ACL LOG RESET leaves them alone, as in Redis. */
  get denied(): DeniedCounts {
    return this.#denied
  }

  /** `nowMs` comes from any clock that moves forward steadily. */
  add(refusal: DeniedAttempt, nowMs: number): void {
    this.#denied = { ...this.#denied, [refusal.reason]: this.#denied[refusal.reason] + 1 }
    const kept = {
      ...refusal,
      object: clipped(refusal.object),
      username: clipped(refusal.username),
    }
    const isSame = (one: Entry) => nowMs - one.lastAtMs <= GROUPING_MS && isAlike(one.refusal, kept)
    const at = this.#entries.slice(0, COMPARED).findIndex(isSame)
    const [known] = at < 0 ? [] : this.#entries.splice(at, 1)
    this.#entries.unshift({ refusal: kept, count: (known?.count ?? 0) + 1, lastAtMs: nowMs })
    this.#entries.length = Math.min(this.#entries.length, this.#maxLength())
  }

  resetCounts(): void {
    this.#denied = NONE_DENIED
  }

  reset(): void {
    this.#entries.length = 0
  }

  /** The newest `count` entries. */
  reply(count: number, nowMs: number): Reply {
    return array(this.#entries.slice(0, Math.max(0, count)).map((one) => entryReply(one, nowMs)))
  }
}

function isAlike(one: DeniedAttempt, other: DeniedAttempt): boolean {
  return (
    one.reason === other.reason &&
    one.context === other.context &&
    one.object === other.object &&
    one.username === other.username
  )
}

/** Makes a copy: a slice of a long string would keep the whole string in memory. */
function clipped(text: string): string {
  return text.length > MAX_BYTES ? [...text.slice(0, MAX_BYTES)].join('') : text
}

function entryReply({ refusal, count, lastAtMs }: Entry, nowMs: number): Reply {
  const entries: [string, Reply][] = [
    ['count', integer(count)],
    ['reason', bulk(refusal.reason)],
    ['context', bulk(refusal.context)],
    ['object', bulk(refusal.object)],
    ['username', bulk(refusal.username)],
    ['age-seconds', { kind: 'double', value: (nowMs - lastAtMs) / 1000 }],
    ['client-info', bulk(refusal.clientInfo)],
  ]
  return { kind: 'map', entries: entries.map(([name, value]) => [bulk(name), value] as const) }
}
