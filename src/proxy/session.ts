/**
 * One client and its connection to a data node. The session passes commands on, knows which of them have no answer,
 * and stops at the border of a command when the master is not confirmed. When it changes, the session makes the new
 * master's connection what the old one was, asks again what could not have been carried out, and answers the rest with
 * an error that says so. A write leaves the proxy once, unless the server itself said that it did not do it.
 */
import { encodeCommand } from '../resp/encode.ts'
import { type CarriedTransaction, forNodesOnly, newAsked } from './asked.ts'
import type { CarriedState } from './carried-state.ts'
import { ClientAnswers } from './client-answers.ts'
import { type CommandKind, NEEDS_NO_SERVER } from './command-kinds.ts'
import { CommandHold } from './hold.ts'
import type { InFlight } from './in-flight.ts'
import { OpenTransaction } from './open-transaction.ts'
import type { ClientEnds, Entrance, WireId } from './port.ts'
import { notOffered, TRANSACTION_WITHOUT_MASTER } from './proxy-errors.ts'
import { type RequestPiece, Requests, wordsOf } from './requests.ts'
import { ServerSide } from './server-side.ts'
import { MAX_QUEUED_BYTES, type SessionHome } from './session-home.ts'
import { WaitedWrites } from './waited-writes.ts'

/** Every server refuses to queue it, for want of a key, and discards the transaction at EXEC. */
const NOT_QUEUED = encodeCommand(['GET'])
const MAX_IN_FLIGHT = 4_096
const MAX_IN_FLIGHT_BYTES = 1024 * 1024
/** A client that says nothing more may be gone altogether: its answers are waited for so long. */
const LEAVE_MS = 500

export class Session {
  readonly client: WireId
  readonly entrance: Entrance
  readonly ends: ClientEnds
  readonly answers: ClientAnswers
  readonly server: ServerSide
  readonly #home: SessionHome
  readonly #requests: Requests
  readonly #wait: CommandHold
  readonly #multi = new OpenTransaction()
  readonly #waited = new WaitedWrites()
  /** A long command is on its way: to the server, or to nowhere because its beginning went to one that is gone. */
  #stream: 'none' | 'server' | 'nowhere' = 'none'
  #isPaused = false
  /** The proxy looks at it every few milliseconds. */
  #isAttended = false
  #isDraining = false
  #leaveAtMs: number | undefined
  hasEnded = false

  constructor(home: SessionHome, client: WireId, entrance: Entrance, ends: ClientEnds) {
    this.#home = home
    this.client = client
    this.entrance = entrance
    this.ends = ends
    this.#requests = new Requests(home.kinds)
    this.answers = new ClientAnswers(home, client)
    this.server = new ServerSide(home, this)
    this.#wait = new CommandHold(home, entrance.group)
  }

  /** It has said nothing yet. */
  isNew = true

  received(nowMs: number, bytes: string): void {
    this.isNew = false
    this.#requests.push(bytes)
    this.pump(nowMs)
  }

  /** Takes commands for as long as they can go on. */
  pump(nowMs: number): void {
    if (this.hasEnded) return
    if (this.#leaveAtMs !== undefined && nowMs >= this.#leaveAtMs) return this.end()
    // Usually there is nothing to see to: what is open is confirmed, and is not to be left.
    if (this.#isRefusing || !this.server.isOpenFor(nowMs)) this.#seesToServer(nowMs)
    const isOpen = this.server.isOpenFor(nowMs)
    const isClogged = this.#isBackedUp() || this.#isBehind(nowMs)
    this.#takeCommands(isOpen && !isClogged)
    if (this.hasEnded) return
    if (this.inFlight.head?.state === 'told') this.deliver()
    if (!this.hasEnded) this.#minds(nowMs, isClogged)
  }

  #seesToServer(nowMs: number): void {
    if (this.#isRefusing && this.server.hasProspect(nowMs)) this.#wait.refusal = undefined
    this.server.look(nowMs, this.#wantsServer())
    this.server.resend(nowMs)
  }

  #takeCommands(isOpen: boolean): void {
    const { plain } = this.#home
    while (!this.hasEnded && this.#mayTake(isOpen)) {
      const mayRun =
        this.transaction === undefined && !this.#isRefusing && this.#leaveAtMs === undefined
      const room = MAX_IN_FLIGHT - this.inFlight.size
      const piece = mayRun ? this.#requests.next(plain, room) : this.#requests.next()
      if (piece === undefined) break
      this.#take(piece)
    }
  }

  /** Answers of a server have come, and may have made room. Usually nothing has waited for that. */
  answersCame(nowMs: number): void {
    const isWaiting = this.#requests.pendingBytes > 0 || this.inFlight.againSize > 0
    // A subscriber gives no commands that would have it look where it is.
    const isLed = isWaiting || this.state.hasSubscribed
    const isSpecial = this.#isPaused || this.#isAttended || this.#isDraining || this.server.isBusy
    const isClogged = this.#home.port.queuedBytes(this.client) > MAX_QUEUED_BYTES
    if (isLed || isSpecial || isClogged) this.pump(nowMs)
  }

  /** Answers that are complete go to the client, in its order. */
  deliver(): void {
    const lastWords = this.answers.deliver()
    if (lastWords !== undefined) this.end(lastWords)
  }

  /** The client left. */
  closed(): void {
    this.#finish()
  }

  /**
   * It has closed its half. What it asked is answered, but for what blocks: nobody may be there any more when that
   * is carried out. For the same reason nothing waits for a master, other than a connection that is only being opened.
   */
  leaves(nowMs: number): void {
    const blocks = this.inFlight.some(({ bytes }) => this.#home.kinds.mayBlockAs(bytes))
    if (blocks || this.state.subscriptions > 0) return this.end()
    if (!this.server.hasProspect(nowMs)) this.#wait.refuses()
    this.#leaveAtMs = nowMs + LEAVE_MS
    this.drain(nowMs)
  }

  /** Says the last words and closes. */
  end(lastWords = ''): void {
    if (this.hasEnded) return
    if (lastWords !== '') this.#home.port.write(this.client, lastWords)
    this.#home.port.close(this.client)
    this.#finish()
  }

  /** From now on it is closed as soon as nothing is under way. */
  drain(nowMs: number): void {
    this.#isDraining = true
    this.pump(nowMs)
  }

  /** The client reads again. */
  drained(nowMs: number): void {
    this.server.pauseReading(false)
    this.pump(nowMs)
  }

  get isHolding(): boolean {
    return this.#wait.isHolding
  }

  get #isRefusing(): boolean {
    return this.#wait.refusal !== undefined
  }

  #wantsServer(): boolean {
    const isSubscribed = this.state.subscriptions > 0
    const waits = this.#requests.pendingBytes > 0 || this.inFlight.againSize > 0
    return isSubscribed || waits || this.#isRefusing
  }

  #finish(): void {
    this.hasEnded = true
    this.#wait.ends()
    this.server.drop()
    this.#attend(false)
    this.#home.ended(this.client)
  }

  #mayTake(isOpen: boolean): boolean {
    if (this.#stream === 'nowhere') return true
    const { size, bytes } = this.inFlight
    if (size >= MAX_IN_FLIGHT || bytes >= MAX_IN_FLIGHT_BYTES) return false
    return isOpen || this.#isRefusing || this.#requests.begins(NEEDS_NO_SERVER)
  }

  /** A long command that has begun goes on. */
  #isBehind(nowMs: number): boolean {
    return this.#stream === 'none' && this.server.isStalled(nowMs)
  }

  #isBackedUp(): boolean {
    const { port } = this.#home
    return port.queuedBytes(this.client) > MAX_QUEUED_BYTES || this.server.isBackedUp
  }

  /** After each turn: what is waited for, and whether the client is read. */
  #minds(nowMs: number, isClogged: boolean): void {
    const isIdle = this.inFlight.size === 0 && this.#requests.pendingBytes === 0
    const isQuiet = isIdle && this.transaction === undefined && this.#stream === 'none'
    if (this.#isDraining && isQuiet) return this.end()
    const waits = this.#requests.pendingBytes > 0 || this.inFlight.againSize > 0
    const isHeld = waits && !this.server.isOpenFor(nowMs)
    this.#hold(nowMs, isHeld)
    if (this.hasEnded) return
    if (this.#home.port.queuedBytes(this.client) > MAX_QUEUED_BYTES) this.server.pauseReading(true)
    const { size, bytes } = this.inFlight
    const isFull = size >= MAX_IN_FLIGHT || bytes >= MAX_IN_FLIGHT_BYTES
    this.#pause(isHeld || isClogged || isFull)
    const seeks = this.server.isBusy || (!this.server.hasLink && this.#wantsServer())
    this.#attend(isHeld || seeks || this.#leaveAtMs !== undefined)
  }

  #attend(isNeeded: boolean): void {
    if (isNeeded === this.#isAttended) return
    this.#isAttended = isNeeded
    this.#home.attend(this.client, isNeeded)
  }

  #hold(nowMs: number, isHeld: boolean): void {
    if (!isHeld) {
      if (this.#isRefusing && this.server.isOpenFor(nowMs)) this.#wait.refusal = undefined
      return this.#wait.ends()
    }
    if (!this.#wait.holds(nowMs, this.#requests.pendingBytes + this.inFlight.bytes)) return
    this.#takeBack(this.#wait.refusal ?? '')
    this.pump(nowMs)
  }

  /** What would have been sent anew is refused. */
  #takeBack(refusal: string): void {
    this.#leaveQueue()
    for (const asked of this.inFlight.takeBack()) {
      this.#home.counts.refused++
      this.#multi.takenBack(asked)
      this.answers.refused(asked, asked.kind === 'exec' ? TRANSACTION_WITHOUT_MASTER : refusal)
    }
  }

  /** A server that is still there would carry out what it has queued, or queue what comes next. */
  #leaveQueue(): void {
    if (this.transaction !== undefined) this.server.leave()
  }

  #pause(isNeeded: boolean): void {
    if (isNeeded === this.#isPaused) return
    this.#isPaused = isNeeded
    if (isNeeded) this.#home.port.pause(this.client)
    else this.#home.port.resume(this.client)
  }

  #take(piece: RequestPiece): void {
    switch (piece.kind) {
      case 'fault':
        return this.#endWithFault(piece.text)
      case 'plain':
        return this.#passOn(piece.bytes)
      case 'more':
        return this.#more(piece)
      case 'begin':
        this.#stream = this.#isRefusing ? 'nowhere' : 'server'
        return this.#command(piece.name, piece.bytes, false)
      case 'command':
        return this.#command(piece.name, piece.bytes, true)
    }
  }

  /** Told behind the answers that are still open. A long command that has begun will never have one. */
  #endWithFault(text: string): void {
    if (this.#stream === 'server') return this.end()
    this.#answer('quit', `-${text}\r\n`)
  }

  #more({ bytes, isLast }: Extract<RequestPiece, { kind: 'more' }>): void {
    if (this.#stream === 'server') this.server.write(bytes)
    if (isLast) this.#stream = 'none'
  }

  get transaction(): CarriedTransaction | undefined {
    return this.#multi.current
  }

  get state(): CarriedState {
    return this.answers.state
  }

  get inFlight(): InFlight {
    return this.answers.inFlight
  }

  /** What answers nothing: messages. */
  tellAside(bytes: string): void {
    this.#home.port.write(this.client, bytes)
  }

  /** The connection to the server is gone, and what it was for the server. */
  serverLost(): void {
    this.streamLost()
    this.#multi.serverLost()
    this.#waited.serverLost()
    // What the client keeps is not invalidated any more; a new connection makes it forget that.
    if (this.state.isTracking || this.state.isTooMuch) this.end()
  }

  /** The server is gone: the rest of a long command is dropped. */
  streamLost(): void {
    if (this.#stream === 'server') this.#stream = 'nowhere'
  }

  /** What `PlainCommands` has found, and counted. */
  #passOn(bytes: string): void {
    const { count, kind } = this.#home.plain
    this.#home.counts.commands += count
    this.inFlight.add(newAsked({ kind, count, bytes, argv: undefined }))
    this.#waited.sends(kind)
    this.server.write(bytes)
  }

  #command(name: string, bytes: string, isWhole: boolean): void {
    const { kinds, counts } = this.#home
    counts.commands++
    if (this.#leaveAtMs !== undefined && kinds.mayBlock(name)) return this.end()
    const kind = kinds.of(name)
    // Without a word, as a server does it. A node would close only its own connection, and the next line get another.
    if (kind === 'http') return this.end()
    if (kind === 'quit') return this.#answer(kind, '+OK\r\n')
    if (kind === 'proxy') return this.#answer(kind, this.#home.proxyCommand(wordsOf(bytes)))
    if (kind === 'refused') return this.#decline(kind, name.toUpperCase())
    if (this.#isRefusing) return this.#refuse(kind)
    const inEnded = this.#multi.answerIfEnded(kind, this.answers.nothing)
    if (inEnded !== undefined) return this.#answer(kind, inEnded)
    const inVain = this.#waited.refusal(kind, this.transaction)
    if (inVain !== undefined) return this.#answer(kind, inVain)
    if (kinds.isAboutScripts(name)) this.state.scriptGiven(name, bytes, this.#home.shelf)
    const isPlain = kind === 'read' || kind === 'write'
    if (isPlain && this.transaction === undefined) {
      return this.#send(kind, bytes, isWhole ? bytes : undefined, undefined)
    }
    const argv = isPlain || !isWhole ? undefined : wordsOf(bytes)
    const refused = argv && forNodesOnly(argv)
    if (refused !== undefined) return this.#decline(kind, refused)
    this.#send(kind, bytes, isWhole ? bytes : undefined, argv)
  }

  /** In a transaction the server has to refuse something as well, so that EXEC does nothing there. */
  #decline(kind: CommandKind, name: string): void {
    const { transaction } = this
    const answer = notOffered(name)
    if (transaction === undefined || transaction.ended !== undefined) {
      return this.#answer(kind, answer)
    }
    if (this.#isRefusing) return this.#refuse(kind)
    this.streamLost()
    this.#send(kind, NOT_QUEUED, NOT_QUEUED, undefined, answer)
  }

  #answer(kind: CommandKind, answer: string): void {
    // The rest of a long command that no server has begun would be taken for commands of its own there.
    this.streamLost()
    const asked = newAsked({ kind, bytes: undefined, argv: undefined })
    asked.state = 'told'
    asked.answer = answer
    this.inFlight.add(asked)
  }

  #refuse(kind: CommandKind): void {
    this.#home.counts.refused++
    this.#leaveQueue()
    const atEnd = this.#multi.answerWithoutMaster(kind)
    this.#answer(kind, atEnd ?? this.#wait.refusal ?? '')
  }

  #send(
    kind: CommandKind,
    bytes: string,
    kept: string | undefined,
    argv: readonly string[] | undefined,
    instead?: string,
  ): void {
    const { transaction } = this
    const isQueued = this.#multi.queues(kind)
    const isLost = this.#multi.mustNotRun(kind)
    const asked = newAsked({ kind, bytes: kept, argv, transaction, isQueued })
    asked.instead = isLost ? this.answers.nothing : instead
    asked.repliesLeft = this.answers.repliesTo(asked)
    this.#multi.sends(asked)
    if (kind === 'reset') this.state.resetting()
    this.inFlight.add(asked)
    this.#waited.sends(kind)
    this.server.write(isLost ? encodeCommand(['DISCARD']) : bytes)
  }
}
