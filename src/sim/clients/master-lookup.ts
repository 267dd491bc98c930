/**
 * How an application finds its master, the way Sentinel clients do: ask one Sentinel after the
 * other, stay subscribed to `+switch-master` at the one that answered, and ask again when that one
 * is lost. The caller checks whether the address really is a master. As with real clients, a switch
 * between the answer and the subscription goes unnoticed; then only the master's silence reveals
 * it.
 */

import type { Address } from '../../base/ip.ts'
import type { EventName } from '../../core/event-table.ts'
import { eventWords } from '../../core/event-words.ts'
import type { Reply } from '../../resp/reply.ts'
import type { Shell } from '../processes/shell.ts'
import { Exchange } from './exchange.ts'

const ANSWER_TIMEOUT_MS = 500
/** After all Sentinels were asked in vain. */
const ROUND_PAUSE_MS = 250
const SWITCH_EVENT: EventName = '+switch-master'

export interface MasterLookupStart {
  readonly shell: Shell
  readonly group: string
  readonly sentinels: readonly Address[]
  /** Undefined if the Sentinels require none. */
  readonly password?: string | undefined
  /** A Sentinel has named the master: because we asked, or because the master has changed. */
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

  /** Asks, unless a question is open or a round is about to begin. */
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
    const { shell, sentinels, group, password } = this.#start
    const address = sentinels[this.#next % sentinels.length]
    if (address === undefined) return
    this.#next++
    this.#isAnswered = false
    this.#dueMs = shell.now().monoMs + ANSWER_TIMEOUT_MS
    const handler = {
      connected: () => exchange.send(['SENTINEL', 'get-master-addr-by-name', group]),
      replied: (reply: Reply) => this.#replied(exchange, reply),
      lost: () => this.#failed(),
    }
    const exchange = new Exchange(shell, address, ANSWER_TIMEOUT_MS, handler, password)
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
    // Next time the Sentinel that answered is asked first, as clients do.
    this.#next--
    exchange.send(['SUBSCRIBE', SWITCH_EVENT])
    this.#start.named(master)
  }

  /**
   * Moves on to the next Sentinel; with a pause after a whole round in vain, and after a lost
   * subscription.
   */
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

function readSwitch(reply: Reply, group: string): Address | undefined {
  if (reply.kind !== 'array') return undefined
  const [type, , payload] = reply.items
  if (type?.kind !== 'bulk' || type.bytes !== 'message' || payload?.kind !== 'bulk')
    return undefined
  const switched = eventWords('+switch-master', payload.bytes)
  if (switched?.group !== group) return undefined
  return { host: switched.newHost, port: Number(switched.newPort) }
}

export function isMasterRole(reply: Reply): boolean {
  if (reply.kind !== 'array') return false
  const role = reply.items[0]
  return role?.kind === 'bulk' && role.bytes === 'master'
}

/** There is no server to ask. */
export function knownPlace(
  place: Address,
  named: (address: Address) => void,
): Pick<MasterLookup, 'ask' | 'wake' | 'dueMs'> {
  return { ask: () => named(place), wake: () => undefined, dueMs: undefined }
}
