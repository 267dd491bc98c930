/**
 * What a data node answers to a client's commands, on a connection that is set up: it goes to the client, or the node
 * has said that it is not the master, and then the command is for the next one.
 */
import { type AnswerPiece, isConfirmation, isMessage } from './answers.ts'
import { type Asked, isPlain } from './asked.ts'
import { isMisdirection } from './proxy-errors.ts'
import type { NodeRetry, Served, ServerLink } from './server-link.ts'
import type { SessionHome } from './session-home.ts'
import { verdictOnRefused } from './unanswered.ts'

const GREATER = 62
const ASTERISK = 42

export class ServerReplies {
  readonly #home: SessionHome
  readonly #session: Served
  readonly #retry: NodeRetry
  /** Since when servers say that they are no masters. */
  #troubleSinceMs: number | undefined

  constructor(home: SessionHome, session: Served, retry: NodeRetry) {
    this.#home = home
    this.#session = session
    this.#retry = retry
  }

  /** Answers of plain commands whose turn it is go to the client in one piece. False if there is no such. */
  passRuns(link: ServerLink): boolean {
    const { inFlight, state } = this.#session
    const asked = inFlight.next
    const isPassable = link.phase === 'ready' && inFlight.againSize === 0 && !state.hasSubscribed
    if (asked === undefined || !isPassable || asked !== inFlight.head || !isPlain(asked))
      return false
    const bytes = link.answers.wholeReplies(asked.left)
    if (bytes === '') return false
    this.#isWell()
    const { answers } = this.#session
    if (answers.answeredPlainly(asked, bytes, link.answers.count)) this.#tellNext()
    return true
  }

  take(link: ServerLink, piece: Exclude<AnswerPiece, { kind: 'fault' }>, nowMs: number): void {
    if (piece.kind === 'begin') return this.#begin(link, piece.bytes)
    if (piece.kind === 'more') return this.#more(link, piece)
    const { bytes } = piece
    if (this.#isAside(bytes)) return this.#session.tellAside(bytes)
    const asked = this.#next()
    if (asked === undefined) return
    if (asked.skips > 0) {
      asked.skips--
      return
    }
    if (this.#isMisdirected(asked, bytes, nowMs)) return this.#misdirected(link, asked, nowMs)
    if (this.#isBehindAgain(link, asked)) return this.#again(asked)
    this.#isWell()
    this.#answered(asked, bytes)
  }

  #isWell(): void {
    this.#retry.answered()
    this.#troubleSinceMs = undefined
  }

  /** What is answered next, as a command of its own. */
  #next(): Asked | undefined {
    const { inFlight } = this.#session
    if (inFlight.next?.kind === 'run') inFlight.cutRuns(this.#home.plain)
    return inFlight.next
  }

  /** Messages, and pushes that answer nothing. */
  #isAside(bytes: string): boolean {
    const type = bytes.charCodeAt(0)
    if (type === GREATER) return !isConfirmation(bytes)
    if (type !== ASTERISK || !this.#session.state.hasSubscribed) return false
    return isMessage(bytes)
  }

  #isMisdirected(asked: Asked, bytes: string, nowMs: number): boolean {
    const isAbort = asked.kind === 'exec' && bytes.startsWith('-EXECABORT')
    const isOnRead = this.#session.entrance.kind === 'read'
    const isRefused = !asked.isPartlyTold && isMisdirection(bytes, isOnRead)
    if (!isRefused && !(isAbort && asked.transaction?.isMisdirected === true)) return false
    this.#troubleSinceMs ??= nowMs
    return nowMs - this.#troubleSinceMs < this.#home.limits().holdMs
  }

  /** The server did not carry it out: it is for the next one. */
  #misdirected(link: ServerLink, asked: Asked, nowMs: number): void {
    if (!link.isMisdirected) this.#home.doubt(this.#session.entrance)
    link.isMisdirected = true
    link.isToQueue = false
    this.#retry.holdOff(link, nowMs)
    const { transaction, kind } = asked
    if (transaction?.isOver === true && kind !== 'exec') {
      transaction.isMisdirected = true
      return this.#answered(asked, kind === 'multi' ? '+OK\r\n' : '+QUEUED\r\n')
    }
    if (kind === 'exec' && transaction?.canBeSentAgain !== true) {
      return this.#answered(asked, this.#session.answers.endOf(transaction))
    }
    const told = verdictOnRefused(asked)
    return told === undefined ? this.#again(asked) : this.#answered(asked, told)
  }

  #answered(asked: Asked, reply: string): void {
    if (this.#session.answers.answered(asked, reply)) this.#tellNext()
  }

  #tellNext(): void {
    if (this.#session.inFlight.head?.state === 'told') this.#session.deliver()
  }

  #again(asked: Asked): void {
    const { inFlight } = this.#session
    inFlight.closeNext()
    inFlight.askAgain(asked)
  }

  /** A read that was sent after a write which has to be sent anew must see that write. */
  #isBehindAgain(link: ServerLink, asked: Asked): boolean {
    const { againSize } = this.#session.inFlight
    // Then only the open transaction waits to be sent anew, which comes behind everything.
    if (link.isToQueue) return false
    return againSize > 0 && asked.kind === 'read' && asked.bytes !== undefined && !asked.isQueued
  }

  #begin(link: ServerLink, bytes: string): void {
    const asked = this.#next()
    if (asked === undefined || this.#isAside(bytes)) {
      link.fate = asked === undefined ? 'drop' : 'aside'
      if (link.fate === 'aside') this.#session.tellAside(bytes)
      return
    }
    if (asked.skips > 0 || this.#isBehindAgain(link, asked)) link.fate = 'drop'
    else link.fate = 'pass'
    if (link.fate === 'pass') this.#session.answers.answeredPartly(asked, bytes)
  }

  #more(link: ServerLink, { bytes, isLast }: Extract<AnswerPiece, { kind: 'more' }>): void {
    const asked = this.#session.inFlight.next
    if (link.fate === 'aside') return this.#session.tellAside(bytes)
    if (asked === undefined) return
    if (link.fate === 'pass') {
      if (isLast) this.#answered(asked, bytes)
      else this.#session.answers.answeredPartly(asked, bytes)
    } else if (isLast && asked.skips > 0) asked.skips--
    else if (isLast) this.#again(asked)
  }
}
