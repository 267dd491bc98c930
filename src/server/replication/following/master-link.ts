/**
 * The link to our master, from the connection to the stream:
 *
 *     waiting ─► connecting ─► handshake ─┬─► transfer ─┬─► streaming
 *        ▲                                └─────────────┘       │
 *        └──────────────── lost, refused, given up ─────────────┘
 *
 * Here the phases follow each other, and bytes go to the one they are for. What we offer a master and which
 * of its copies we take is decided in standing.ts, when to try again in link-record.ts; each phase reads in
 * a file of its own (handshake.ts, full-copy.ts, stream-reader.ts).
 */
import { unreachable } from '../../../base/assert.ts'
import { encodeCommand } from '../../../resp/encode.ts'
import type { LedgerKeeper } from '../../ledger/ledger-keeper.ts'
import type { ConnectionId, NodeLogLevel } from '../../port.ts'
import { ageSeconds } from '../../seconds.ts'
import type { History } from '../history/history.ts'
import type { ReplicationHost } from '../host.ts'
import type { EmptyMasterGuard } from './empty-master-guard.ts'
import { FullCopy, type FullCopyParts } from './full-copy.ts'
import { Handshake, type HandshakeStep, type HistoryPosition } from './handshake.ts'
import { LineReader } from './line-reader.ts'
import type { LinkObserver } from './link-observer.ts'
import { type Address, connectionOf, isInStep, type LinkPhase } from './link-phase.ts'
import { LinkRecord } from './link-record.ts'
import { Standing } from './standing.ts'
import { StreamReader } from './stream-reader.ts'

/** A connection attempt and each answer of the handshake may take this long. */
const STEP_TIMEOUT_MS = 5000

type Introducing = LinkPhase & { kind: 'handshake' }
type Copying = LinkPhase & { kind: 'transfer' }
type Streaming = LinkPhase & { kind: 'streaming' }

export class MasterLink {
  readonly #host: ReplicationHost
  readonly #history: History
  readonly #standing: Standing
  readonly #copyParts: FullCopyParts
  readonly #observer: LinkObserver
  readonly #record = new LinkRecord()
  #address: Address | undefined
  #phase: LinkPhase = { kind: 'none' }

  constructor(
    host: ReplicationHost,
    history: History,
    keeper: LedgerKeeper,
    observer: LinkObserver,
  ) {
    const log = (level: NodeLogLevel, text: string) => this.#log(level, text)
    const tryAgain = () => {
      if (this.#phase.kind === 'waiting') this.#waitFor(0)
    }
    this.#host = host
    this.#history = history
    this.#standing = new Standing({ host, history, keeper, log, tryAgain })
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
    return this.#standing.hasPosition
  }

  get guard(): EmptyMasterGuard {
    return this.#standing.guard
  }

  get lastInputAtMs(): number {
    return this.#record.heardAtMs
  }

  get downSinceMs(): number | undefined {
    return this.#record.downSinceMs
  }

  owns(id: ConnectionId): boolean {
    return connectionOf(this.#phase) === id
  }

  /** Follows this master from now on. `hasPosition`: our own history may be its history too. */
  follow(address: Address, hasPosition: boolean): void {
    this.#disconnect()
    this.#address = address
    this.#standing.named(hasPosition)
    this.#record.named(this.#nowMs)
    this.#waitFor(0)
  }

  /** The data we kept over a restart stand at `history.offset` of `history.id`. */
  resume(): void {
    this.#standing.resumed()
  }

  /** There is no master any more. */
  stop(): void {
    this.#disconnect()
    this.#address = undefined
    this.#standing.ended()
    this.#record.ended()
    this.#phase = { kind: 'none' }
  }

  connected(id: ConnectionId): void {
    if (this.#phase.kind === 'connecting') this.#introduce(id)
  }

  received(bytes: string): void {
    this.#record.heard(this.#nowMs)
    this.#read(bytes)
  }

  closed(reason: string): void {
    if (connectionOf(this.#phase) !== undefined) this.#lost(reason, 'closed')
  }

  wake(): void {
    const phase = this.#phase
    if (phase.kind === 'waiting' && this.#nowMs >= phase.retryAtMs) this.#connect()
    else if (phase.kind === 'transfer') this.#endCopy(phase)
    else if (this.#isStepOverdue()) this.#stepOverdue()
  }

  nextWakeUpMs(): number | undefined {
    if (this.#phase.kind === 'waiting') return this.#phase.retryAtMs
    if (this.#phase.kind === 'transfer') return this.#phase.copy.untilMs
    return isInStep(this.#phase) ? this.#record.heardAtMs + STEP_TIMEOUT_MS : undefined
  }

  everySecond(): void {
    this.acknowledge()
    if (connectionOf(this.#phase) === undefined || isInStep(this.#phase)) return
    const silenceSeconds = ageSeconds(this.#nowMs, this.#record.heardAtMs)
    if (silenceSeconds > this.#host.settings.int('repl-timeout')) this.#lost('it is silent', 'open')
  }

  /** Tells the master how far we are, if we know. */
  acknowledge(): void {
    if (this.#phase.kind !== 'streaming' || !this.hasPosition) return
    const ack = encodeCommand(this.#history.acknowledgement())
    this.#host.port.write(this.#phase.id, ack)
  }

  // Connecting

  #waitFor(delayMs: number): void {
    this.#phase = { kind: 'waiting', retryAtMs: this.#nowMs + delayMs }
  }

  #connect(): void {
    const address = this.#address
    if (address === undefined) return
    const id = this.#host.nextOutgoingId()
    this.#phase = { kind: 'connecting', id }
    this.#record.heard(this.#nowMs)
    this.#log('verbose', 'connecting')
    this.#host.port.connect(id, address.host, address.port)
  }

  // The handshake

  #introduce(id: ConnectionId): void {
    const handshake = new Handshake(this.#standing.terms(this.#observer.isHandingOver))
    this.#phase = { kind: 'handshake', id, handshake, lines: new LineReader() }
    this.#record.heard(this.#nowMs)
    this.#host.port.write(id, handshake.opening())
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

  #readLines(phase: Introducing, bytes: string): void {
    phase.lines.push(bytes)
    while (this.#phase === phase) {
      const line = phase.lines.next()
      if (line === undefined) break
      this.#takeStep(phase, phase.handshake.line(line))
    }
    if (this.#phase === phase && phase.lines.isTooLong) this.#lost('it sent no line', 'open')
    else if (this.#phase !== phase) this.#read(phase.lines.takeRest())
  }

  #takeStep(phase: Introducing, step: HandshakeStep): void {
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

  #askForSync({ id, handshake }: Introducing, bytes: string): void {
    if (this.#standing.isRefusedBeforehand(handshake)) return this.#refuse()
    this.#observer.syncRequested()
    this.#host.port.write(id, bytes)
  }

  #offered({ id, handshake }: Introducing, position: HistoryPosition): void {
    if (this.#address === undefined) return
    const decision = this.#standing.decide(handshake, position, this.#address)
    switch (decision) {
      case 'ask':
        return this.#askLineage()
      case 'refuse':
        return this.#refuse()
      case 'copy':
        return this.#beginCopy(id, position)
      default:
        return unreachable(decision)
    }
  }

  /** Only a new connection can ask: this one is a replica's now. */
  #askLineage(): void {
    this.#log('notice', 'it offers a copy from another history, and is asked where that comes from')
    this.#disconnect()
    this.#standing.doubted()
    this.#waitFor(0)
  }

  #refuse(): void {
    this.#disconnect()
    this.#standing.doubted()
    this.#waitFor(this.guard.retryDelayMs)
  }

  // A full copy

  #beginCopy(id: ConnectionId, position: HistoryPosition | undefined): void {
    const place = position === undefined ? 'no place' : `${position.id}:${position.offset}`
    this.#log('notice', `full resynchronisation to ${place}`)
    this.#phase = { kind: 'transfer', id, copy: new FullCopy(this.#copyParts, position) }
  }

  #readCopy(phase: Copying, bytes: string): void {
    const fault = phase.copy.push(bytes)
    if (fault === undefined) this.#endCopy(phase)
    else this.#lost(fault, 'open')
  }

  #endCopy({ id, copy }: Copying): void {
    if (!copy.isReady) return
    const rest = copy.adopt()
    this.#beginStream(id, copy.position !== undefined)
    // A replica that got a marked payload is sent nothing before it says that it has it.
    this.acknowledge()
    for (const bytes of rest) this.#read(bytes)
  }

  // The stream

  #continueStream({ id, handshake }: Introducing, historyId: string | undefined): void {
    const history = this.#history
    this.#log('notice', `partial resynchronisation from ${history.offset + 1}`)
    const offeredId = handshake.offeredId ?? history.id
    if (history.goOn(offeredId, historyId ?? offeredId)) this.#observer.historyReplaced()
    this.#beginStream(id, true)
  }

  #beginStream(id: ConnectionId, isNamed: boolean): void {
    const reader = new StreamReader(this.#host.streamTarget, {
      feed: (bytes, db) => this.#observer.feed(bytes, db),
      acknowledge: () => this.acknowledge(),
    })
    this.#phase = { kind: 'streaming', id, reader }
    this.#standing.inStep(isNamed)
    this.#record.up(this.#nowMs)
  }

  #readStream(phase: Streaming, bytes: string): void {
    const fault = phase.reader.push(bytes)
    if (fault === undefined || this.#phase !== phase) return
    // Whatever came before may have been damaged as well.
    this.#lost(fault, 'open')
    this.#standing.lost()
  }

  // The end of a connection

  #isStepOverdue(): boolean {
    return isInStep(this.#phase) && this.#nowMs >= this.#record.heardAtMs + STEP_TIMEOUT_MS
  }

  #stepOverdue(): void {
    const phase = this.#phase
    if (phase.kind === 'handshake' && phase.handshake.isAskingLineage) this.#standing.doesNotTell()
    this.#lost('it does not answer', 'open')
  }

  #lost(reason: string, connection: 'open' | 'closed'): void {
    const wasUp = this.isUp
    const { retryDelayMs, isNews } = this.#record.lost(this.#nowMs, reason)
    const text = wasUp ? `the link is lost: ${reason}` : `no link: ${reason}`
    this.#log(isNews ? 'warning' : 'verbose', text)
    if (connection === 'open') this.#disconnect()
    else if (wasUp) this.#host.streamTarget.reset()
    this.#waitFor(retryDelayMs)
  }

  #disconnect(): void {
    const id = connectionOf(this.#phase)
    if (id !== undefined) this.#host.port.close(id)
    if (this.isUp) this.#host.streamTarget.reset()
  }

  get #nowMs(): number {
    return this.#host.now.monoMs
  }

  #log(level: NodeLogLevel, text: string): void {
    const master = this.#address === undefined ? '' : ` ${this.#address.host}:${this.#address.port}`
    this.#host.port.log(level, `master${master}: ${text}`)
  }
}
