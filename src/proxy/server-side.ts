/**
 * The half of a session that faces a data node: opens its connection, makes it what the client has made of the one
 * before, and decides what becomes of answers that will never come. Those that come go through server-replies.ts.
 */
import { type AnswerPiece, isConfirmation, isMessage } from './answers.ts'
import type { Asked } from './asked.ts'
import { encodeSetUp } from './carried-state.ts'
import { isMisdirection, setUpRefused } from './proxy-errors.ts'
import { ALIVE_QUESTION, NodeRetry, type Served, ServerLink } from './server-link.ts'
import { ServerReplies } from './server-replies.ts'
import { MAX_QUEUED_BYTES, type SessionHome } from './session-home.ts'
import { bytesForAnother, verdictOn } from './unanswered.ts'

const CONNECT_MS = 1_000
const STALLED_MS = 100

export class ServerSide {
  readonly #home: SessionHome
  readonly #session: Served
  #link: ServerLink | undefined
  readonly #retry = new NodeRetry()
  readonly #replies: ServerReplies

  constructor(home: SessionHome, session: Served) {
    this.#home = home
    this.#session = session
    this.#replies = new ServerReplies(home, session, this.#retry)
  }

  /** Something is to be looked at again soon. */
  get isBusy(): boolean {
    const link = this.#link
    return link !== undefined && (link.phase !== 'ready' || link.isMisdirected || link.isToQueue)
  }

  get hasLink(): boolean {
    return this.#link !== undefined
  }

  get isBackedUp(): boolean {
    const link = this.#link
    // What has been answered has left.
    if (link === undefined || this.#session.inFlight.openSize === 0) return false
    return this.#home.port.queuedBytes(link.id) > MAX_QUEUED_BYTES
  }

  /** Whether new commands may be written. */
  isOpenFor(nowMs: number): boolean {
    const link = this.#link
    if (link?.phase !== 'ready' || link.isMisdirected || link.isToQueue) return false
    if (this.#session.inFlight.againSize > 0) return false
    if (this.#home.isSwitching(this.#session.entrance, nowMs)) return false
    return this.#isConfirmed(link, nowMs)
  }

  /**
   * It owes an answer for so long that what we sent now would only be lost with it, if it is dead: a server
   * carries out the commands of one connection one after the other, so waiting costs a round trip at most.
   */
  isStalled(nowMs: number): boolean {
    const link = this.#link
    if (link === undefined) return false
    if (this.#session.inFlight.openSize === 0) link.heardAtMs = nowMs
    return nowMs - link.heardAtMs > STALLED_MS
  }

  /** There is a node to go to that has not failed us. */
  hasProspect(nowMs: number): boolean {
    const target = this.#home.route(this.#session.entrance, this.#link?.address, nowMs)
    return target !== undefined && !this.#retry.hasFailed(target)
  }

  write(bytes: string): void {
    if (this.#link !== undefined) this.#home.port.write(this.#link.id, bytes)
  }

  /** Opens, leaves or gives up the connection, as the view of the masters and the clock say. */
  look(nowMs: number, isWanted: boolean): void {
    const link = this.#link
    const target = this.#home.route(this.#session.entrance, link?.address, nowMs)
    if (link !== undefined && this.#isOver(link, nowMs)) this.#lose(nowMs)
    else if (link !== undefined && target !== undefined && !link.leads(target)) {
      this.#replace(link, nowMs)
    }
    if (this.#session.hasEnded || this.#link !== undefined) return
    const isWaiting = isWanted || this.#session.inFlight.againSize > 0
    if (target === undefined || !isWaiting || this.#retry.mustWait(target, nowMs)) return
    this.#link = new ServerLink(this.#home.openServer(this.#session.client, target), target, nowMs)
  }

  connected(nowMs: number): void {
    const link = this.#link
    if (link === undefined) return
    if (!this.#isConfirmed(link, nowMs)) return this.#lose(nowMs)
    const { state, transaction, ends, inFlight } = this.#session
    const steps = state.setUp()
    link.isToQueue = inFlight.hasAgainBefore(transaction)
    const queued = link.isToQueue ? [] : this.#queued()
    link.phase = 'settingUp'
    link.owes(steps)
    link.queuedReplies = queued.length
    link.owesPong = this.#home.isDoubtful(this.#session.entrance, link.address)
    const bytes = queued.map((asked) => asked.bytes ?? '').join('')
    const first = this.#home.proxyHeader(ends) + (link.owesPong ? ALIVE_QUESTION : '')
    this.write(first + encodeSetUp(steps) + bytes)
    this.#settle(link, nowMs)
  }

  /** What the open transaction has queued, and the client was told so. */
  #queued(): readonly Asked[] {
    const { transaction } = this.#session
    if (transaction === undefined || transaction.ended !== undefined) return []
    return transaction.log.filter(({ state }) => state === 'told')
  }

  /** All that the client gave before its open transaction has been answered: now comes that. */
  #queueNow(link: ServerLink, nowMs: number): void {
    const queued = this.#queued()
    link.isToQueue = false
    link.phase = 'settingUp'
    link.openedAtMs = nowMs
    link.queuedReplies = queued.length
    this.write(queued.map((asked) => asked.bytes ?? '').join(''))
    this.#settle(link, nowMs)
  }

  received(nowMs: number, bytes: string): void {
    const link = this.#link
    if (link === undefined) return
    link.answers.push(bytes)
    link.heardAtMs = nowMs
    while (this.#link === link) {
      if (this.#replies.passRuns(link)) continue
      const piece = link.answers.next()
      if (piece === undefined) break
      if (piece.kind === 'fault') this.closed(nowMs)
      else if (link.phase === 'settingUp') this.#setUpReply(link, piece, nowMs)
      else this.#replies.take(link, piece, nowMs)
    }
    this.#session.answersCame(nowMs)
  }

  /** The connection ended, or could not be opened. */
  closed(nowMs: number): void {
    const link = this.#link
    if (link === undefined) return
    this.#lose(nowMs)
    this.#home.doubt(this.#session.entrance, link.address)
    this.#session.pump(nowMs)
  }

  /** The client is gone. */
  drop(): void {
    const link = this.#link
    this.#link = undefined
    if (link === undefined) return
    this.#home.port.close(link.id, true)
    this.#home.forgetServer(link.id)
  }

  /** The client takes its answers again, or does not. */
  pauseReading(isPaused: boolean): void {
    if (this.#link === undefined) return
    if (isPaused) this.#home.port.pause(this.#link.id)
    else this.#home.port.resume(this.#link.id)
  }

  #isOver(link: ServerLink, nowMs: number): boolean {
    const owesNothing = this.#session.inFlight.openSize === 0
    if (link.phase === 'leaving') return owesNothing || nowMs >= (link.leavesAtMs ?? nowMs)
    if (link.isMisdirected) return owesNothing
    return link.phase !== 'ready' && nowMs - link.openedAtMs >= CONNECT_MS
  }

  #replace(link: ServerLink, nowMs: number): void {
    if (link.phase === 'leaving') return
    this.#home.counts.moves++
    if (link.phase !== 'ready' || this.#session.inFlight.openSize === 0) return this.#lose(nowMs)
    link.phase = 'leaving'
    link.leavesAtMs = nowMs + this.#home.limits().farewellMs
    this.#session.streamLost()
  }

  #setUpReply(link: ServerLink, piece: AnswerPiece, nowMs: number): void {
    if (piece.kind === 'fault') return
    const { bytes } = piece
    if (piece.kind === 'begin') link.fate = isUnasked(bytes) ? 'aside' : 'drop'
    if (piece.kind !== 'reply' && link.fate === 'aside') return this.#session.tellAside(bytes)
    if (piece.kind === 'begin' || (piece.kind === 'more' && !piece.isLast)) return
    const isError = bytes.startsWith('-')
    // An error is an answer too: who is alive may still want a password.
    if (link.owesPong) link.owesPong = false
    else if (isConfirmation(bytes)) link.setUpConfirmations--
    else if (isUnasked(bytes)) this.#session.tellAside(bytes)
    else if (link.setUpReplies > 0) {
      const mayFail = link.setUpReplies <= link.scriptReplies && !isMisdirection(bytes, false)
      link.setUpReplies--
      if (isError && !mayFail) return this.#refusedSetUp(bytes, nowMs)
    } else if (isError && link.setUpConfirmations > 0) return this.#refusedSetUp(bytes, nowMs)
    else link.queuedReplies--
    this.#settle(link, nowMs)
  }

  #refusedSetUp(error: string, nowMs: number): void {
    if (isMisdirection(error, false)) this.#lose(nowMs)
    else this.#session.end(this.#session.inFlight.size > 0 ? setUpRefused(error) : '')
  }

  #settle(link: ServerLink, nowMs: number): void {
    if (!link.isSetUp) return
    link.phase = 'ready'
    this.#retry.succeeded()
    this.#session.pump(nowMs)
  }

  /** Sends what has to be sent anew, as soon as there is a confirmed master to send it to. */
  resend(nowMs: number): void {
    const link = this.#link
    const { inFlight, transaction } = this.#session
    if (link?.phase !== 'ready' || (inFlight.againSize === 0 && !link.isToQueue)) return
    if (link.isMisdirected || !this.#isConfirmed(link, nowMs)) return
    for (const asked of inFlight.takeAgain(link.isToQueue ? transaction : undefined)) {
      this.#home.counts.repeated++
      this.write(bytesForAnother(asked))
    }
    if (link.isToQueue && inFlight.openSize === 0) this.#queueNow(link, nowMs)
  }

  #isConfirmed(link: ServerLink, nowMs: number): boolean {
    const target = this.#home.route(this.#session.entrance, link.address, nowMs)
    return target !== undefined && link.leads(target)
  }

  #lose(nowMs: number): void {
    const link = this.#link
    if (link === undefined) return
    if (link.phase !== 'leaving' && !link.isMisdirected) this.#retry.holdOff(link, nowMs)
    this.leave()
  }

  /** The connection is given up, and with it what it still owes. */
  leave(): void {
    if (this.#link === undefined) return
    this.drop()
    this.#session.serverLost()
    this.#session.inFlight.cutRuns(this.#home.plain)
    for (const asked of this.#session.inFlight.takeOpen()) {
      if (!this.#session.hasEnded) this.#unanswered(asked)
    }
    if (!this.#session.hasEnded) this.#session.deliver()
  }

  #unanswered(asked: Asked): void {
    const { inFlight } = this.#session
    const verdict = verdictOn(asked, this.#home.kinds)
    if (verdict === 'again') return inFlight.askAgain(asked)
    if (verdict === 'close') return this.#session.end()
    if (verdict.startsWith('-UNANSWERED')) this.#home.counts.unanswered++
    inFlight.tell(asked, verdict)
  }
}

/** A message or another push, which answers nothing. */
function isUnasked(reply: string): boolean {
  return isMessage(reply) || (reply.startsWith('>') && !isConfirmation(reply))
}
