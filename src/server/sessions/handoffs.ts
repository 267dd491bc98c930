/**
 * CLIENT MAINT_NOTIFICATIONS: clients that are told where to go before this node stops answering them, instead of
 * learning it from an error. node-redis, redis-py, go-redis and Lettuce ask for it by themselves.
 *
 * In a coordinated failover both nodes have a part. The old master pushes FAILING_OVER, and MOVING with the address
 * of its heir, once the heir has said that it expects the role. A client then opens a connection there, waits for
 * what is on its way here, and leaves; so what it still sends is carried out here although others wait, and
 * the role changes when all have left, or after a while. The heir holds the writes of clients that come back until
 * it is the master, and then pushes FAILED_OVER.
 *
 * A client that has not asked notices only that the pause is longer by a few round trips.
 */

import { type Address, hostAndPort } from '../../base/ip.ts'
import { ADDRESSES_DIRECTIVE, addressFor, parseTable } from '../../base/network-addresses.ts'
import { bulk, error, integer, NULL, OK, type Reply } from '../../resp/reply.ts'
import { SYNTAX_ERROR } from '../errors.ts'
import type { Settings } from '../settings/settings.ts'
import type { Pause } from './pause.ts'
import type { ClientSession } from './session.ts'
import type { Sessions } from './sessions.ts'

const ENDPOINT_TYPES = ['internal-ip', 'internal-fqdn', 'external-ip', 'external-fqdn', 'none']
/** For a connection to the heir, its handshake, and the answers under way. */
const FAREWELL_MS = 1_000
/** The heir has to be the master so soon after it was asked to expect it. */
const EXPECTED_MS = 5_000
/** The Sentinel sends clients of both nodes away when the role has changed; clients that came for it stay. */
const SPARED_MS = 5_000

const NEEDS_RESP3 = error('ERR Maintenance notifications need RESP3: send HELLO 3 first')
const UNKNOWN_TYPE = error(`ERR moving-endpoint-type must be one of ${ENDPOINT_TYPES.join(', ')}`)

export class Handoffs {
  readonly #sessions: Sessions
  readonly #pause: Pause
  readonly #settings: Settings
  #sequence = 0
  /** Monotonic; undefined: no client is awaited. */
  #farewellEndMs: number | undefined
  /** Clients were told of a failover, and nothing of its end. */
  #isOpen = false
  /** Monotonic; undefined: this node expects no role. */
  #expectedUntilMs: number | undefined

  constructor(sessions: Sessions, pause: Pause, settings: Settings) {
    this.#sessions = sessions
    this.#pause = pause
    this.#settings = settings
  }

  /** CLIENT MAINT_NOTIFICATIONS ON [moving-endpoint-type <type>] | OFF */
  command(session: ClientSession, argv: readonly string[], nowMs: number): Reply {
    const [word = '', option, type, more] = argv.slice(2).map((one) => one.toLowerCase())
    if (word === 'off' && option === undefined) {
      session.handoff = undefined
      return OK
    }
    if (word !== 'on' || more !== undefined) return SYNTAX_ERROR
    if (option !== undefined && (option !== 'moving-endpoint-type' || type === undefined)) {
      return SYNTAX_ERROR
    }
    if (type !== undefined && !ENDPOINT_TYPES.includes(type)) return UNKNOWN_TYPE
    if (session.protocol !== 3) return NEEDS_RESP3
    const cameAtMs = this.isExpecting(nowMs) ? nowMs : undefined
    session.handoff = { isNameless: type === 'none', cameAtMs, isMoving: false }
    return OK
  }

  // The old master

  /** Whether anybody is to be told. */
  get hasTakers(): boolean {
    return this.#takers().length > 0
  }

  failingOver(limitMs: number): void {
    const seconds = integer(Math.ceil(limitMs / 1_000))
    this.#isOpen = true
    for (const session of this.#takers()) this.#push(session, 'FAILING_OVER', seconds)
  }

  /** The heir expects them. They are waited for no longer than `limitMs`. */
  moveTo(heir: Address, nowMs: number, limitMs: number): void {
    this.#farewellEndMs = nowMs + Math.min(FAREWELL_MS, limitMs)
    for (const session of this.#takers()) {
      if (session.handoff !== undefined) session.handoff.isMoving = true
      this.#pushMoving(session, heir)
    }
  }

  /** Whether a client has been told to go, may do so, and is still connected. */
  isAwaiting(nowMs: number): boolean {
    if (this.#farewellEndMs === undefined || nowMs >= this.#farewellEndMs) return false
    return this.#takers().some(({ handoff }) => handoff?.isMoving === true)
  }

  get farewellEndMs(): number | undefined {
    return this.#farewellEndMs
  }

  /**
   * The role has gone, stays after all, or a fence decides on it: clients that are still here are treated normally
   * again.
   */
  farewellOver(role: 'gone' | 'stays' | 'open'): void {
    this.#farewellEndMs = undefined
    for (const { handoff } of this.#takers()) if (handoff !== undefined) handoff.isMoving = false
    if (role === 'stays') this.#stayed()
    if (role !== 'open') this.#isOpen = false
  }

  #stayed(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    for (const session of this.#takers()) this.#push(session, 'FAILED_OVER')
  }

  // The heir

  /** The master will hand its role over. Returns whether this node goes along. */
  expect(nowMs: number): void {
    this.#expectedUntilMs = nowMs + EXPECTED_MS
    // A replica that replicates strictly answers no reads either.
    const scope = this.#settings.flag('sync-replication') ? 'data' : 'writes'
    this.#pause.start(this.#expectedUntilMs, scope, 'takeover')
  }

  isExpecting(nowMs: number): boolean {
    return this.#expectedUntilMs !== undefined && nowMs < this.#expectedUntilMs
  }

  /** What clients that moved here send waits for the role. */
  isHeld({ handoff }: ClientSession, nowMs: number): boolean {
    return handoff !== undefined && this.isExpecting(nowMs)
  }

  /** This node is the master: clients that came for that are told that the handover is over. */
  promoted(): void {
    this.#stayed()
    if (this.#expectedUntilMs === undefined) return
    this.#expectedUntilMs = undefined
    this.#pause.end('takeover')
    for (const session of this.#arrived()) this.#push(session, 'FAILED_OVER')
  }

  /** The role did not come: clients that came for it are sent back to the master. */
  timePassed(nowMs: number, master: Address | undefined): void {
    if (this.#expectedUntilMs === undefined || nowMs < this.#expectedUntilMs) return
    this.#expectedUntilMs = undefined
    if (master === undefined) return
    for (const session of this.#arrived()) this.#pushMoving(session, master)
  }

  /** A client that has just moved here is not sent away with those that have to ask a Sentinel. */
  isSpared({ handoff }: ClientSession, nowMs: number): boolean {
    return handoff?.cameAtMs !== undefined && nowMs - handoff.cameAtMs < SPARED_MS
  }

  #takers(): ClientSession[] {
    return [...this.#sessions].filter(takesPart)
  }

  #arrived(): ClientSession[] {
    return this.#takers().filter(({ handoff }) => handoff?.cameAtMs !== undefined)
  }

  #pushMoving(session: ClientSession, member: Address): void {
    const { host, port } = reachedAt(this.#settings, session, member)
    const endpoint = session.handoff?.isNameless === true ? NULL : bulk(hostAndPort(host, port))
    this.#push(session, 'MOVING', integer(Math.ceil(EXPECTED_MS / 1_000)), endpoint)
  }

  #push(session: ClientSession, name: string, ...facts: readonly Reply[]): void {
    session.push({ kind: 'push', items: [bulk(name), integer(++this.#sequence), ...facts] })
  }
}

/** [client-addresses] Where this client reaches a member; members are known here by the words they are told by. */
export function reachedAt(settings: Settings, session: ClientSession, member: Address): Address {
  const text = settings.text(ADDRESSES_DIRECTIVE)
  const table = text === '' ? [] : parseTable(text)
  if (typeof table === 'string') return member
  const told = addressFor(table, session.ends.remoteHost, (named) => isSame(named, member))
  return told ?? member
}

function isSame(a: Address, b: Address): boolean {
  return a.port === b.port && a.host.toLowerCase() === b.host.toLowerCase()
}

/** Clients that block or are subscribed stay until they are sent away, as their libraries expect. */
function takesPart(session: ClientSession): boolean {
  const { handoff, blocked, isClosing } = session
  return handoff !== undefined && blocked === undefined && !session.isSubscribed && !isClosing
}
