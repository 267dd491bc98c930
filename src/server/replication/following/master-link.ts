/**
 * The link to our master: connects, introduces itself, gets a full copy or what was missed, and then
 * applies the stream for as long as the connection lasts. A lost link is opened again at once, a
 * refused one after a delay.
 *
 * What makes a resynchronisation partial is that our dataset is at a known position of a known history.
 * That holds after a link was lost, after following another master, and for a master that was demoted
 * (its own history); it does not for a node that never had a master, or whose stream was damaged.
 *
 * A full copy replaces what we have. Whether it may, and what is kept of it first, is decided elsewhere
 * (copy-decision.ts, empty-master-guard.ts, ledger/); here it is asked when the offer comes, and waited for
 * when the copy has arrived.
 */
import { unreachable } from '../../../base/assert.ts'
import { encodeCommand } from '../../../resp/encode.ts'
import type { LedgerKeeper } from '../../ledger/ledger-keeper.ts'
import type { ConnectionId, NodeLogLevel } from '../../port.ts'
import { ageSeconds } from '../../seconds.ts'
import type { History } from '../history/history.ts'
import type { ReplicationHost } from '../host.ts'
import { Acquaintance } from './acquaintance.ts'
import { type CopyDecision, CopyDecisions } from './copy-decision.ts'
import { EmptyMasterGuard } from './empty-master-guard.ts'
import { FullCopy, type FullCopyParts } from './full-copy.ts'
import { Handshake, type HandshakeStep, type HistoryPosition } from './handshake.ts'
import { introduction } from './handshake-terms.ts'
import { LineReader } from './line-reader.ts'
import type { LinkObserver } from './link-observer.ts'
import { type Address, connectionOf, isInStep, type LinkPhase } from './link-phase.ts'
import { RetryDelay } from './retry-delay.ts'
import { StreamReader } from './stream-reader.ts'

/** A link that was up for less has not proved that reconnecting at once helps. */
const PROVEN_MS = 1000

/** A connection attempt and each answer of the handshake may take this long. */
const STEP_TIMEOUT_MS = 5000

export class MasterLink {
  readonly guard: EmptyMasterGuard
  readonly #host: ReplicationHost
  readonly #history: History
  readonly #decisions: CopyDecisions
  readonly #copyParts: FullCopyParts
  readonly #observer: LinkObserver
  readonly #retryDelay = new RetryDelay()
  #address: Address | undefined
  #phase: LinkPhase = { kind: 'none' }
  /** Whether our dataset stands at `history.offset` of `history.id`. */
  #hasPosition = false
  readonly #acquaintance = new Acquaintance()
  /** Monotonic. Last sign of life of the current connection. */
  #lastInputAtMs = 0
  /** Why there is no link, as of the last attempt. */
  #lastReason = ''
  /** Monotonic. Since when the link is up. */
  #upSinceMs = 0
  /** Monotonic. When an established link was lost; undefined: never since we follow this master. */
  #downSinceMs: number | undefined

  constructor(
    host: ReplicationHost,
    history: History,
    keeper: LedgerKeeper,
    observer: LinkObserver,
  ) {
    const log = (level: NodeLogLevel, text: string) => this.#log(level, text)
    this.guard = new EmptyMasterGuard(host, log, () => {
      if (this.#phase.kind === 'waiting') this.#waitFor(0)
    })
    this.#host = host
    this.#history = history
    this.#decisions = new CopyDecisions(host, history, this.guard, keeper)
    this.#observer = observer
    const historyReplaced = () => observer.historyReplaced()
    this.#copyParts = { host, history, keeper, historyReplaced, log }
    keeper.onIdle = () => {
      if (this.#phase.kind === 'transfer') this.#endCopy(this.#phase)
    }
  }

  get address(): Address | undefined {
    return this.#address
  }

  get phase(): LinkPhase {
    return this.#phase
  }

  get isUp(): boolean {
    return this.#phase.kind === 'streaming'
  }

  get hasPosition(): boolean {
    return this.#hasPosition
  }

  get lastInputAtMs(): number {
    return this.#lastInputAtMs
  }

  get downSinceMs(): number | undefined {
    return this.#downSinceMs
  }

  owns(id: ConnectionId): boolean {
    return connectionOf(this.#phase) === id
  }

  /** Follows this master from now on. `hasPosition`: our own history may be its history too. */
  follow(address: Address, hasPosition: boolean): void {
    this.#disconnect()
    this.#address = address
    this.#hasPosition = hasPosition
    this.#acquaintance.named(hasPosition)
    this.guard.forget()
    this.#downSinceMs = undefined
    this.#retryDelay.reset()
    this.#waitFor(0)
  }

  /** The data we kept over a restart stand at `history.offset` of `history.id`. */
  resume(): void {
    this.#hasPosition = true
    this.#acquaintance.resumed()
  }

  /** There is no master any more. */
  stop(): void {
    this.#disconnect()
    this.#address = undefined
    this.#hasPosition = false
    this.guard.forget()
    this.#phase = { kind: 'none' }
  }

  connected(id: ConnectionId): void {
    if (this.#phase.kind !== 'connecting') return
    const handshake = new Handshake(this.#terms())
    this.#phase = { kind: 'handshake', id, handshake, lines: new LineReader() }
    this.#lastInputAtMs = this.#host.now.monoMs
    this.#host.port.write(id, handshake.opening())
  }

  received(bytes: string): void {
    this.#lastInputAtMs = this.#host.now.monoMs
    this.#read(bytes)
  }

  closed(reason: string): void {
    if (connectionOf(this.#phase) !== undefined) this.#lost(reason, 'closed')
  }

  wake(): void {
    const phase = this.#phase
    const { monoMs } = this.#host.now
    if (phase.kind === 'waiting' && monoMs >= phase.retryAtMs) this.#connect()
    else if (phase.kind === 'transfer') this.#endCopy(phase)
    else if (this.#isStepOverdue()) this.#stepOverdue()
  }

  nextWakeUpMs(): number | undefined {
    if (this.#phase.kind === 'waiting') return this.#phase.retryAtMs
    if (this.#phase.kind === 'transfer') return this.#phase.copy.untilMs
    return isInStep(this.#phase) ? this.#lastInputAtMs + STEP_TIMEOUT_MS : undefined
  }

  everySecond(): void {
    this.acknowledge()
    if (connectionOf(this.#phase) === undefined || isInStep(this.#phase)) return
    const silenceSeconds = ageSeconds(this.#host.now.monoMs, this.#lastInputAtMs)
    if (silenceSeconds > this.#host.settings.int('repl-timeout')) this.#lost('it is silent', 'open')
  }

  /** Tells the master how far we are, if we know. */
  acknowledge(): void {
    if (this.#phase.kind !== 'streaming' || !this.#hasPosition) return
    const ack = encodeCommand(this.#history.acknowledgement())
    this.#host.port.write(this.#phase.id, ack)
  }

  #connect(): void {
    const address = this.#address
    if (address === undefined) return
    const id = this.#host.nextOutgoingId()
    this.#phase = { kind: 'connecting', id }
    this.#lastInputAtMs = this.#host.now.monoMs
    this.#log('verbose', 'connecting')
    this.#host.port.connect(id, address.host, address.port)
  }

  #terms() {
    const { settings } = this.#host
    const takeOver = this.#observer.isHandingOver
    const { id, knownId, offset } = this.#history
    const position = { id: takeOver ? id : knownId, offset }
    return {
      ...introduction(settings),
      position: this.#hasPosition ? position : undefined,
      takeOver,
      // Who takes over from us has our history: that is what a failover has waited for.
      asksLineage: this.#acquaintance.asksLineage && !takeOver,
      acceptsUnplaced: this.guard.isIdle,
    }
  }

  #read(bytes: string): void {
    switch (this.#phase.kind) {
      case 'handshake':
        return this.#readLines(this.#phase, bytes)
      case 'transfer':
        return this.#readCopy(this.#phase, bytes)
      case 'streaming':
        return this.#readStream(this.#phase, bytes)
      case 'none':
      case 'waiting':
      case 'connecting':
        return
    }
  }

  #readLines(phase: LinkPhase & { kind: 'handshake' }, bytes: string): void {
    phase.lines.push(bytes)
    while (this.#phase === phase) {
      const line = phase.lines.next()
      if (line === undefined) break
      this.#takeStep(phase, phase.handshake.line(line))
    }
    if (this.#phase === phase && phase.lines.isTooLong) this.#lost('it sent no line', 'open')
    else if (this.#phase !== phase) this.#read(phase.lines.takeRest())
  }

  #takeStep(phase: LinkPhase & { kind: 'handshake' }, step: HandshakeStep): void {
    switch (step.kind) {
      case 'wait':
        return
      case 'send':
        if (phase.handshake.isWaitingForSync) return this.#askForSync(phase, step.bytes)
        return this.#host.port.write(phase.id, step.bytes)
      case 'full':
        this.#observer.syncGranted()
        return this.#offered(phase, step.position)
      case 'unplaced':
        this.#beginCopy(phase.id, undefined)
        return this.#read(`${step.header}\r\n`)
      case 'partial':
        this.#observer.syncGranted()
        return this.#continueStream(phase, step.id)
      case 'failed':
        if (phase.handshake.isWaitingForSync && this.#observer.syncRefused(step.reason)) return
        return this.#lost(step.reason, 'open')
      default:
        return unreachable(step)
    }
  }

  #askForSync(phase: LinkPhase & { kind: 'handshake' }, bytes: string): void {
    if (this.#decisions.isRefusedBeforehand(phase.handshake.lineage, this.#acquaintance)) {
      return this.#refuse()
    }
    this.#observer.syncRequested()
    this.#host.port.write(phase.id, bytes)
  }

  #offered(phase: LinkPhase & { kind: 'handshake' }, position: HistoryPosition): void {
    const decision = this.#decide(phase.handshake, position)
    switch (decision) {
      case 'ask':
        return this.#askLineage()
      case 'refuse':
        return this.#refuse()
      case 'copy':
        return this.#beginCopy(phase.id, position)
      default:
        return unreachable(decision)
    }
  }

  #decide(handshake: Handshake, position: HistoryPosition): CopyDecision {
    if (!this.#hasPosition || this.#address === undefined) return 'copy'
    const offer = this.#acquaintance.offer(position, handshake.lineage)
    return this.#decisions.decide(offer, this.#acquaintance, this.#address)
  }

  /** Only a new connection can ask: this one is a replica's now. */
  #askLineage(): void {
    this.#log('notice', 'it offers a copy from another history, and is asked where that comes from')
    this.#disconnect()
    this.#acquaintance.doubted()
    this.#waitFor(0)
  }

  #refuse(): void {
    this.#disconnect()
    this.#acquaintance.doubted()
    this.#waitFor(this.guard.retryDelayMs)
  }

  #waitFor(delayMs: number): void {
    this.#phase = { kind: 'waiting', retryAtMs: this.#host.now.monoMs + delayMs }
  }

  #beginCopy(id: ConnectionId, position: HistoryPosition | undefined): void {
    const place = position === undefined ? 'no place' : `${position.id}:${position.offset}`
    this.#log('notice', `full resynchronisation to ${place}`)
    this.#phase = { kind: 'transfer', id, copy: new FullCopy(this.#copyParts, position) }
  }

  #readCopy(phase: LinkPhase & { kind: 'transfer' }, bytes: string): void {
    const fault = phase.copy.push(bytes)
    if (fault === undefined) this.#endCopy(phase)
    else this.#lost(fault, 'open')
  }

  #endCopy({ id, copy }: LinkPhase & { kind: 'transfer' }): void {
    if (!copy.isReady) return
    const rest = copy.adopt()
    this.#hasPosition = copy.position !== undefined
    this.#beginStream(id)
    // A replica that got a marked payload is sent nothing before it says that it has it.
    this.acknowledge()
    for (const bytes of rest) this.#read(bytes)
  }

  #continueStream(phase: LinkPhase & { kind: 'handshake' }, historyId: string | undefined): void {
    const history = this.#history
    this.#log('notice', `partial resynchronisation from ${history.offset + 1}`)
    const before = history.id
    if (phase.handshake.offeredId !== before) history.returnToPrevious()
    if (historyId !== undefined && historyId !== history.id) history.continueAs(historyId)
    if (history.id !== before) this.#observer.historyReplaced()
    history.createBacklog()
    this.#beginStream(phase.id)
  }

  #beginStream(id: ConnectionId): void {
    const reader = new StreamReader(this.#host.streamTarget, {
      feed: (bytes, db) => this.#observer.feed(bytes, db),
      acknowledge: () => this.acknowledge(),
    })
    this.#phase = { kind: 'streaming', id, reader }
    this.guard.forget()
    this.#acquaintance.inStep()
    this.#downSinceMs = undefined
    this.#upSinceMs = this.#host.now.monoMs
    this.#lastReason = ''
  }

  #readStream(phase: LinkPhase & { kind: 'streaming' }, bytes: string): void {
    const fault = phase.reader.push(bytes)
    if (fault === undefined || this.#phase !== phase) return
    // Whatever came before may have been damaged as well.
    this.#lost(fault, 'open')
    this.#hasPosition = false
  }

  /** A master that never ends its answer to INFO is not asked again. */
  #stepOverdue(): void {
    const phase = this.#phase
    if (phase.kind === 'handshake' && phase.handshake.isAskingLineage) {
      this.#acquaintance.doesNotTell()
    }
    this.#lost('it does not answer', 'open')
  }

  #lost(reason: string, connection: 'open' | 'closed'): void {
    const { monoMs } = this.#host.now
    const wasUp = this.isUp
    this.#logLoss(wasUp, reason)
    if (connection === 'open') this.#disconnect()
    else if (wasUp) this.#host.streamTarget.reset()
    if (wasUp) this.#downSinceMs = monoMs
    const isProven = wasUp && monoMs - this.#upSinceMs >= PROVEN_MS
    if (isProven) this.#retryDelay.reset()
    this.#waitFor(isProven ? 0 : this.#retryDelay.nextMs())
  }

  /** A master that stays away is asked once a second, and told of once. */
  #logLoss(wasUp: boolean, reason: string): void {
    const isNews = wasUp || reason !== this.#lastReason
    this.#lastReason = reason
    const text = wasUp ? `the link is lost: ${reason}` : `no link: ${reason}`
    this.#log(isNews ? 'warning' : 'verbose', text)
  }

  #disconnect(): void {
    const id = connectionOf(this.#phase)
    if (id !== undefined) this.#host.port.close(id)
    if (this.isUp) this.#host.streamTarget.reset()
  }

  #isStepOverdue(): boolean {
    return isInStep(this.#phase) && this.#host.now.monoMs >= this.#lastInputAtMs + STEP_TIMEOUT_MS
  }

  #log(level: NodeLogLevel, text: string): void {
    const master = this.#address === undefined ? '' : ` ${this.#address.host}:${this.#address.port}`
    this.#host.port.log(level, `master${master}: ${text}`)
  }
}
