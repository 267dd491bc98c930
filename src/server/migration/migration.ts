/**
 * MIGRATE on its way: keys are sent to another server as RESTORE commands and deleted here once that server
 * has confirmed them, so at each moment at least one of the two has a key.
 *
 * Redis stands still until the answers are there. Here only writes wait, since a change between the copy
 * and the deletion would be lost; what a write cannot reach and changes all the same (the stream of a
 * master, eviction) is noticed, and such a key is kept.
 */
import type { Address } from '../../base/ip.ts'
import { encodeCommand } from '../../resp/encode.ts'
import type { Reply } from '../../resp/reply.ts'
import { ReplyDecoder } from '../../resp/reply-decoder.ts'
import { sooner } from '../earliest.ts'
import type { NodeBase } from '../node-base.ts'
import type { ConnectionId } from '../port.ts'
import { type MoveTarget, Targets } from './targets.ts'

export interface MigrationOrder {
  readonly address: Address
  /** The number of the database on the other server. */
  readonly db: number
  /** The other server may be silent for so long. */
  readonly timeoutMs: number
  /** The words of AUTH; empty: none. */
  readonly auth: readonly string[]
  /** A RESTORE for each key. */
  readonly restores: readonly (readonly string[])[]
}

export interface MigrationResult {
  /** One for each RESTORE, as far as they came; none if AUTH or SELECT was refused. */
  readonly replies: readonly Reply[]
  /** The first error the other server answered, without its dash. */
  readonly refusal: string | undefined
  /** What did not work when the connection failed, in Redis' words. */
  readonly broken:
    | 'connecting to the client'
    | 'writing to target instance'
    | 'reading to target instance'
    | undefined
}

interface Move {
  readonly order: MigrationOrder
  readonly onEnd: (result: MigrationResult) => void
  readonly isSecondTry: boolean
  readonly decoder: ReplyDecoder
  target: MoveTarget
  /** The target was connected before. */
  readonly wasKept: boolean
  /** Answers to AUTH and SELECT that are still to come. */
  preamble: number
  /** One of these was refused. */
  isAstray: boolean
  readonly replies: Reply[]
  refusal: string | undefined
  /** Monotonic. */
  deadlineMs: number
  /** What was not sent yet when the deadline was set. */
  unsentBytes: number
}

/** Answers to RESTORE are short. */
const ANSWER_LIMITS = { maxBulkBytes: 64 * 1024, maxReplyBytes: 64 * 1024, maxItems: 1000 }

export class Migration {
  readonly #node: NodeBase
  readonly #targets: Targets
  #move: Move | undefined

  constructor(node: NodeBase) {
    this.#node = node
    this.#targets = new Targets(node)
  }

  /** For INFO. */
  get cachedSockets(): number {
    return this.#targets.count
  }

  get isRunning(): boolean {
    return this.#move !== undefined
  }

  /** Writes wait until `onEnd` is called. */
  start(order: MigrationOrder, onEnd: (result: MigrationResult) => void): void {
    this.#node.pause.start(Number.POSITIVE_INFINITY, 'writes', 'migration')
    this.#begin(order, onEnd, false)
  }

  owns(id: ConnectionId): boolean {
    return this.#targets.find(id) !== undefined
  }

  connected(id: ConnectionId): void {
    const target = this.#targets.find(id)
    if (target === undefined) return
    target.isConnected = true
    if (this.#move?.target === target) this.#send(this.#move)
  }

  received(id: ConnectionId, bytes: string): void {
    const move = this.#move
    const target = this.#targets.find(id)
    if (target === undefined) return
    // It has sent a reply without a request, so its next replies could not be told apart from that one.
    if (move?.target !== target) return this.#targets.close(target)
    this.#setDeadline(move)
    move.decoder.push(bytes)
    for (let reply = move.decoder.next(); reply !== undefined; reply = move.decoder.next()) {
      if (reply.kind === 'malformed') return this.#fail(move, 'reading to target instance')
      this.#answered(move, reply)
      if (this.#move !== move) return
    }
  }

  closed(id: ConnectionId, reason: string): void {
    const target = this.#targets.find(id)
    if (target === undefined) return
    this.#targets.forget(target)
    const move = this.#move
    if (move?.target !== target) return
    if (target.isConnected) return this.#fail(move, 'reading to target instance')
    // Redis learns from its first write that no process listens there, and of any other obstacle before it.
    const isRefused = reason.includes('ECONNREFUSED')
    this.#fail(move, isRefused ? 'writing to target instance' : 'connecting to the client')
  }

  wake(): void {
    this.#targets.wake()
    const move = this.#move
    if (move === undefined || this.#node.now.monoMs < move.deadlineMs) return
    // It takes what we send, however slowly.
    if (this.#unsent(move) < move.unsentBytes) return this.#setDeadline(move)
    if (!move.target.isConnected) return this.#end(move, 'connecting to the client')
    const isSent = this.#unsent(move) === 0
    this.#end(move, isSent ? 'reading to target instance' : 'writing to target instance')
  }

  nextWakeUpMs(): number | undefined {
    return sooner(this.#move?.deadlineMs, this.#targets.nextWakeUpMs())
  }

  #begin(order: MigrationOrder, onEnd: Move['onEnd'], isSecondTry: boolean): void {
    const target = this.#targets.take(order.address, isSecondTry)
    const move: Move = {
      ...{ order, onEnd, isSecondTry, target, wasKept: target.isConnected },
      ...{ decoder: new ReplyDecoder(ANSWER_LIMITS), preamble: 0, replies: [] },
      isAstray: false,
      ...{ refusal: undefined, deadlineMs: 0, unsentBytes: 0 },
    }
    this.#move = move
    this.#setDeadline(move)
    if (target.isConnected) this.#send(move)
  }

  #send(move: Move): void {
    const { order, target } = move
    const first: (readonly string[])[] = order.auth.length > 0 ? [order.auth] : []
    if (target.db !== order.db) first.push(['SELECT', String(order.db)])
    move.preamble = first.length
    target.db = order.db
    for (const argv of [...first, ...order.restores]) {
      this.#node.port.write(target.id, encodeCommand(argv))
    }
    this.#setDeadline(move)
  }

  #answered(move: Move, reply: Reply): void {
    if (reply.kind === 'error') {
      move.refusal ??= reply.text
      move.target.db = undefined
      if (move.preamble > 0) move.isAstray = true
    }
    if (move.preamble > 0) move.preamble--
    else move.replies.push(reply)
    if (move.replies.length === move.order.restores.length) this.#end(move, undefined)
  }

  /** A connection that was kept may have been closed there meanwhile, which is no fault of anybody. */
  #fail(move: Move, broken: MigrationResult['broken']): void {
    const isFresh = !move.wasKept || move.isSecondTry || move.replies.length > 0
    if (isFresh || move.refusal !== undefined) return this.#end(move, broken)
    if (this.owns(move.target.id)) this.#targets.close(move.target)
    this.#begin(move.order, move.onEnd, true)
  }

  #end(move: Move, broken: MigrationResult['broken']): void {
    const { target, refusal, onEnd } = move
    // Without AUTH or SELECT the keys may have come to another database, and have to stay here.
    const replies = move.isAstray ? [] : move.replies
    this.#move = undefined
    if (broken === undefined) this.#targets.keep(target)
    else if (this.owns(target.id)) this.#targets.close(target)
    onEnd({ replies, refusal, broken })
    this.#node.pause.end('migration')
  }

  #setDeadline(move: Move): void {
    move.deadlineMs = this.#node.now.monoMs + move.order.timeoutMs
    move.unsentBytes = this.#unsent(move)
  }

  #unsent({ target }: Move): number {
    return this.#node.port.queuedBytes(target.id)
  }
}
