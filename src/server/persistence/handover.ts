/**
 * [shutdown-failover] A master that is to end asks its Sentinels for a coordinated failover first, so that its clients
 * have another master before it is gone, and no write is lost.
 *
 * It knows its Sentinels by their hellos (sentinel-board.ts), which any client that may publish can forge. So it
 * gives the order to no Sentinel that has not named this node's run id as that of its master; a forged
 * hello costs one connection. The password goes only to the address from which the hello came.
 *
 * A Sentinel that refuses is no obstacle: the next one is asked, for a while all of them again, and then the node
 * ends as it would without Sentinels.
 */
import { hostAndPort } from '../../base/ip.ts'
import { encodeCommand } from '../../resp/encode.ts'
import type { Reply } from '../../resp/reply.ts'
import { ReplyDecoder } from '../../resp/reply-decoder.ts'
import { earliest } from '../earliest.ts'
import type { ConnectionId } from '../port.ts'
import type { SentinelPresence } from '../sessions/sentinel-board.ts'
import type { PersistenceHost } from './host.ts'

/** For a connection, and for each answer of a Sentinel. */
const ANSWER_MS = 1_000
/** A Sentinel that has taken the order is asked so often whether it is still at it. */
const LOOK_MS = 200
/** Sentinels that all refuse are asked again: they may not have seen yet that a replica is back. */
const AGAIN_MS = 250
const REFUSED_MS = 2_000
/** SENTINEL MASTER has about fifty short words. */
const ANSWER_LIMITS = { maxBulkBytes: 64 * 1024, maxReplyBytes: 256 * 1024, maxItems: 1_000 }

interface Asked {
  readonly id: ConnectionId
  readonly sentinel: SentinelPresence
  readonly decoder: ReplyDecoder
  /** What its next answer is about. */
  step: 'connecting' | 'auth' | 'identity' | 'order' | 'progress'
  /** Monotonic: when it has to have answered, or is to be asked again. */
  dueMs: number
}

interface Attempt {
  /** Monotonic. */
  readonly endMs: number
  readonly refusedAfterMs: number
  readonly onEnd: () => void
  /** Sentinels of this round that have not been asked. */
  left: SentinelPresence[]
  asked: Asked | undefined
  /** Monotonic: when the next round begins. */
  againMs: number | undefined
  /** A Sentinel has taken the order; from then on it is only waited for. */
  isOrdered: boolean
  refusal: string
}

export class Handover {
  readonly #host: PersistenceHost
  #attempt: Attempt | undefined

  constructor(host: PersistenceHost) {
    this.#host = host
  }

  get isRunning(): boolean {
    return this.#attempt !== undefined
  }

  /** False if there is no replica to hand over to, or no Sentinel to ask. `onEnd` follows if it is true. */
  begin(limitMs: number, onEnd: () => void): boolean {
    const { settings, replication, now } = this.#host
    if (!settings.flag('shutdown-failover') || replication.isReplica()) return false
    if (!replication.serving.hasOnlineReplica) return false
    const left = this.#sentinels()
    if (left.length === 0) return false
    const endMs = now.monoMs + limitMs
    const refusedAfterMs = Math.min(endMs, now.monoMs + REFUSED_MS)
    const fresh = { left, asked: undefined, againMs: undefined, isOrdered: false, refusal: '' }
    this.#attempt = { endMs, refusedAfterMs, onEnd, ...fresh }
    this.#askNext(this.#attempt)
    return true
  }

  /** It is not wanted any more; `onEnd` is not called. */
  giveUp(): void {
    const attempt = this.#attempt
    this.#attempt = undefined
    if (attempt !== undefined) this.#hangUp(attempt)
  }

  owns(id: ConnectionId): boolean {
    return this.#attempt?.asked?.id === id
  }

  connected(id: ConnectionId): void {
    const asked = this.#attempt?.asked
    if (asked?.id !== id) return
    const { settings } = this.#host
    const [user, password] = [settings.text('sentinel-user'), settings.text('sentinel-pass')]
    if (password === '')
      return this.#say(asked, 'identity', ['SENTINEL', 'MASTER', asked.sentinel.group])
    this.#say(asked, 'auth', user === '' ? ['AUTH', password] : ['AUTH', user, password])
  }

  received(bytes: string): void {
    const attempt = this.#attempt
    const asked = attempt?.asked
    if (attempt === undefined || asked === undefined) return
    asked.decoder.push(bytes)
    for (let reply = asked.decoder.next(); reply !== undefined; reply = asked.decoder.next()) {
      if (reply.kind === 'malformed') return this.#refused(attempt, reply.text)
      this.#answered(attempt, asked, reply)
      if (attempt.asked !== asked) return
    }
  }

  closed(reason: string): void {
    const attempt = this.#attempt
    if (attempt === undefined) return
    const asked = attempt.asked
    attempt.asked = undefined
    if (asked !== undefined && !attempt.isOrdered) this.#note(attempt, asked, reason)
    this.#goOn(attempt)
  }

  /** The commands of the turn may have changed the role, or ended the pause that came with it. */
  commandsDone(): void {
    const attempt = this.#attempt
    if (attempt !== undefined && this.#isOver())
      this.#end(attempt, 'another node is the master now')
  }

  wake(): void {
    const attempt = this.#attempt
    if (attempt === undefined) return
    const nowMs = this.#nowMs
    const { asked, againMs } = attempt
    if (nowMs >= attempt.endMs)
      return this.#end(attempt, `given up: it takes too long${attempt.refusal}`)
    if (asked !== undefined && nowMs >= asked.dueMs) this.#late(attempt, asked)
    else if (againMs !== undefined && nowMs >= againMs) this.#again(attempt)
  }

  nextWakeUpMs(): number | undefined {
    const attempt = this.#attempt
    return attempt && earliest(attempt.endMs, attempt.asked?.dueMs, attempt.againMs)
  }

  get #nowMs(): number {
    return this.#host.now.monoMs
  }

  /**
   * A replica now, and the clients that waited have been sent to the new master, which the Sentinel does
   * with the end of its pause.
   */
  #isOver(): boolean {
    const { replication, pause } = this.#host
    return replication.isReplica() && !replication.failover.isRunning && pause.scope === undefined
  }

  /**
   * Those that name this node come first. The others are asked as well: behind a NAT or in a container network
   * they know this node by an address that it does not know, and the run id tells whether it is meant.
   */
  #sentinels(): SentinelPresence[] {
    const { sentinels, now, settings, sessions } = this.#host
    const isSecret = settings.text('sentinel-pass') !== ''
    const mayHear = ({ host, connection }: SentinelPresence) =>
      !isSecret || sessions.get(connection)?.ends.remoteHost === host
    const present = sentinels.present(now.monoMs).filter((one) => one.isPresent && mayHear(one))
    const newestFirst = present.reverse()
    return [
      ...newestFirst.filter(({ namesUs }) => namesUs),
      ...newestFirst.filter(({ namesUs }) => !namesUs),
    ]
  }

  #askNext(attempt: Attempt): void {
    const sentinel = attempt.left.shift()
    if (sentinel === undefined) return this.#allRefused(attempt)
    const id = this.#host.newConnectionId()
    const decoder = new ReplyDecoder(ANSWER_LIMITS)
    const dueMs = this.#nowMs + ANSWER_MS
    attempt.asked = { id, sentinel, decoder, step: 'connecting', dueMs }
    this.#host.port.connect(id, sentinel.host, sentinel.port)
  }

  #allRefused(attempt: Attempt): void {
    const isInVain = this.#nowMs >= attempt.refusedAfterMs
    if (isInVain || !this.#host.replication.serving.hasOnlineReplica) {
      return this.#end(attempt, `no Sentinel arranges it${attempt.refusal}`)
    }
    attempt.againMs = this.#nowMs + AGAIN_MS
  }

  #again(attempt: Attempt): void {
    attempt.againMs = undefined
    attempt.left = this.#sentinels()
    this.#askNext(attempt)
  }

  #answered(attempt: Attempt, asked: Asked, reply: Reply): void {
    const { group } = asked.sentinel
    const question = ['SENTINEL', 'MASTER', group]
    const isInProgress = reply.kind === 'error' && reply.text.startsWith('INPROG')
    if (reply.kind === 'error' && !(asked.step === 'order' && isInProgress)) {
      return this.#refused(attempt, reply.text)
    }
    switch (asked.step) {
      case 'auth':
        return this.#say(asked, 'identity', question)
      case 'identity':
        if (fieldOf(reply, 'runid') !== this.#host.runId) {
          return this.#refused(attempt, 'its master is another process')
        }
        return this.#say(asked, 'order', ['SENTINEL', 'FAILOVER', group, 'COORDINATED'])
      case 'order':
        attempt.isOrdered = true
        this.#log(`the Sentinel at ${placeOf(asked)} arranges a coordinated failover`)
        asked.step = 'progress'
        asked.dueMs = this.#nowMs + LOOK_MS
        return
      default:
        return this.#progress(attempt, asked, reply)
    }
  }

  /** The Sentinel is at it as long as it says so, or this node hands over, or waits for its release. */
  #progress(attempt: Attempt, asked: Asked, reply: Reply): void {
    asked.dueMs = this.#nowMs + LOOK_MS
    const isAtIt = fieldOf(reply, 'flags')?.includes('failover_in_progress') === true
    const { replication } = this.#host
    if (isAtIt || replication.failover.isRunning || replication.isReplica()) return
    attempt.isOrdered = false
    this.#refused(attempt, 'it has given the failover up')
  }

  #late(attempt: Attempt, asked: Asked): void {
    if (asked.step !== 'progress') return this.#refused(attempt, 'no answer')
    // Its answer brings the next look forward again.
    asked.dueMs = this.#nowMs + ANSWER_MS
    this.#write(asked, ['SENTINEL', 'MASTER', asked.sentinel.group])
  }

  #refused(attempt: Attempt, reason: string): void {
    const { asked } = attempt
    if (asked !== undefined) this.#note(attempt, asked, reason)
    this.#hangUp(attempt)
    this.#goOn(attempt)
  }

  #note(attempt: Attempt, asked: Asked, reason: string): void {
    attempt.refusal = ` (Sentinel ${placeOf(asked)}: ${reason})`
  }

  /** One that has taken the order carries it out also if its connection is gone. */
  #goOn(attempt: Attempt): void {
    if (!attempt.isOrdered) this.#askNext(attempt)
  }

  #hangUp(attempt: Attempt): void {
    const { asked } = attempt
    attempt.asked = undefined
    if (asked !== undefined) this.#host.port.close(asked.id, true)
  }

  #end(attempt: Attempt, outcome: string): void {
    this.#attempt = undefined
    this.#hangUp(attempt)
    this.#log(outcome)
    attempt.onEnd()
  }

  #say(asked: Asked, step: Asked['step'], argv: readonly string[]): void {
    asked.step = step
    asked.dueMs = this.#nowMs + ANSWER_MS
    this.#write(asked, argv)
  }

  #write(asked: Asked, argv: readonly string[]): void {
    this.#host.port.write(asked.id, encodeCommand(argv))
  }

  #log(text: string): void {
    this.#host.port.log('notice', `shutdown: handing over: ${text}`)
  }
}

function placeOf({ sentinel: { host, port } }: Asked): string {
  return hostAndPort(host, port)
}

/** A field of SENTINEL MASTER, which is a list of names and values, or a map. */
function fieldOf(reply: Reply, name: string): string | undefined {
  if (reply.kind === 'map') {
    return textOf(reply.entries.find(([key]) => textOf(key) === name)?.[1])
  }
  if (reply.kind !== 'array') return undefined
  const at = reply.items.findIndex((item, index) => index % 2 === 0 && textOf(item) === name)
  return at < 0 ? undefined : textOf(reply.items[at + 1])
}

function textOf(reply: Reply | undefined): string | undefined {
  return reply?.kind === 'bulk' ? reply.bytes : undefined
}
