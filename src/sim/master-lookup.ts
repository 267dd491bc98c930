/**
 * How an application finds its master, the way Sentinel clients do: ask one Sentinel after the other,
 * stay subscribed to `+switch-master` at the one that answered, and ask again when that one is lost.
 * Whether the address really is a master is for its user to check. As with real clients, a switch
 * between the answer and the subscription goes unheard; then only the master's silence tells.
 */
import type { Reply } from '../resp/reply.ts'
import { Exchange } from './exchange.ts'
import type { Address } from './happening.ts'
import type { Shell } from './shell.ts'

const ANSWER_TIMEOUT_MS = 500
/** After all Sentinels were asked in vain. */
const ROUND_PAUSE_MS = 250
const SWITCH_EVENT = '+switch-master'

export interface MasterLookupStart {
  readonly shell: Shell
  readonly group: string
  readonly sentinels: readonly Address[]
  /** A Sentinel has named the master: asked by us, or because it has changed. */
  readonly named: (master: Address) => void
}

export class MasterLookup {
  readonly #start: MasterLookupStart
  #sentinel: Exchange | undefined
  #next = 0
  /** Monotonic: when the current question counts as unanswered, or the next round begins. */
  #dueMs: number | undefined
  #isAnswered = false

  constructor(start: MasterLookupStart) {
    this.#start = start
  }

  get dueMs(): number | undefined {
    return this.#dueMs
  }

  /** Asks, unless a question is under way or a round is about to begin. */
  ask(): void {
    if (this.#dueMs !== undefined) return
    this.#dropSentinel()
    this.#askNext()
  }

  wake(nowMs: number): void {
    if (this.#dueMs === undefined || nowMs < this.#dueMs) return
    this.#dropSentinel()
    this.#askNext()
  }

  #askNext(): void {
    const { shell, sentinels, group } = this.#start
    const address = sentinels[this.#next % sentinels.length]
    if (address === undefined) return
    this.#next++
    this.#isAnswered = false
    this.#dueMs = shell.now().monoMs + ANSWER_TIMEOUT_MS
    const exchange = new Exchange(shell, address, ANSWER_TIMEOUT_MS, {
      connected: () => exchange.send(['SENTINEL', 'get-master-addr-by-name', group]),
      replied: (reply) => this.#replied(exchange, reply),
      lost: () => this.#failed(),
    })
    this.#sentinel = exchange
  }

  #replied(exchange: Exchange, reply: Reply): void {
    const switched = this.#isAnswered ? readSwitch(reply, this.#start.group) : undefined
    if (switched !== undefined) this.#start.named(switched)
    if (this.#isAnswered) return
    const master = readAddress(reply)
    if (master === undefined) return this.#failed()
    this.#isAnswered = true
    this.#dueMs = undefined
    // The one that answered is asked first next time, as clients do.
    this.#next--
    exchange.send(['SUBSCRIBE', SWITCH_EVENT])
    this.#start.named(master)
  }

  /** On to the next one; after a whole round in vain, and after a lost subscription, with a pause. */
  #failed(): void {
    const hadAnswer = this.#isAnswered
    this.#dropSentinel()
    if (hadAnswer) this.#next++
    if (hadAnswer || this.#next % this.#start.sentinels.length === 0) {
      this.#dueMs = this.#start.shell.now().monoMs + ROUND_PAUSE_MS
    } else {
      this.#askNext()
    }
  }

  #dropSentinel(): void {
    this.#sentinel?.close()
    this.#sentinel = undefined
    this.#isAnswered = false
    this.#dueMs = undefined
  }
}

function readAddress(reply: Reply): Address | undefined {
  if (reply.kind !== 'array') return undefined
  const [host, port] = reply.items
  if (host?.kind !== 'bulk' || port?.kind !== 'bulk') return undefined
  return { host: host.bytes, port: Number(port.bytes) }
}

/** `<group> <old-ip> <old-port> <new-ip> <new-port>` */
function readSwitch(reply: Reply, group: string): Address | undefined {
  if (reply.kind !== 'array') return undefined
  const [type, , payload] = reply.items
  if (type?.kind !== 'bulk' || type.bytes !== 'message' || payload?.kind !== 'bulk')
    return undefined
  const [name, , , host, port] = payload.bytes.split(' ')
  if (name !== group || host === undefined) return undefined
  return { host, port: Number(port) }
}
