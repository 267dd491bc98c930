/**
 * The link to our master: connects, introduces itself, gets a full copy or what was missed, and then
 * applies the stream for as long as the connection lasts. A lost link is opened again at once, a
 * refused one after a delay.
 *
 * What makes a resynchronisation partial is that our dataset is at a known position of a known history.
 * That holds after a link was lost, after following another master, and for a master that was demoted
 * (its own history); it does not for a node that never had a master, or whose stream was damaged.
 */
import { parseInt64 } from '../../base/decimal.ts'
import { encodeCommand } from '../../resp/encode.ts'
import type { ConnectionId, NodeLogLevel } from '../port.ts'
import type { RdbContents } from '../rdb/rdb-reader.ts'
import { ageSeconds } from '../seconds.ts'
import { Handshake, type HandshakeStep, type HistoryPosition } from './handshake.ts'
import type { History } from './history.ts'
import type { ReplicationHost } from './host.ts'
import { LineReader } from './line-reader.ts'
import { connectionOf, type LinkPhase } from './link-phase.ts'
import { PayloadTransfer } from './payload-transfer.ts'
import { RetryDelay } from './retry-delay.ts'
import { StreamReader } from './stream-reader.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

/** What the link tells the rest of replication. */
export interface LinkObserver {
  /** Bytes of the stream that have been applied. */
  feed(bytes: string): void
  /** The history changes under the replicas attached to us: they have to ask again. */
  historyReplaced(): void
  /** The master is to be asked to become one, see failover.ts. */
  readonly isHandingOver: boolean
  /** It has been asked for its stream. */
  syncRequested(): void
  /** It lets us have its stream. */
  syncGranted(): void
  /** It does not. True: there is nobody to follow any more. */
  syncRefused(reason: string): boolean
}

const AT_ONCE = 0

/** A link that was up for less has not proved that reconnecting at once helps. */
const PROVEN_MS = 1000

/** A connection attempt and each answer of the handshake may take this long. */
const STEP_TIMEOUT_MS = 5000

export class MasterLink {
  readonly #host: ReplicationHost
  readonly #history: History
  readonly #observer: LinkObserver
  readonly #retryDelay = new RetryDelay()
  #address: Address | undefined
  #phase: LinkPhase = { kind: 'none' }
  /** Whether our dataset stands at `history.offset` of `history.id`. */
  #hasPosition = false
  /** Monotonic. Last sign of life of the current connection. */
  #lastInputAtMs = 0
  /** Why there is no link, as of the last attempt. */
  #lastReason = ''
  /** Monotonic. Since when the link is up. */
  #upSinceMs = 0
  /** Monotonic. When an established link was lost; undefined: never since we follow this master. */
  #downSinceMs: number | undefined

  constructor(host: ReplicationHost, history: History, observer: LinkObserver) {
    this.#host = host
    this.#history = history
    this.#observer = observer
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
    this.#downSinceMs = undefined
    this.#retryDelay.reset()
    this.#phase = { kind: 'waiting', retryAtMs: AT_ONCE }
  }

  /** There is no master any more. */
  stop(): void {
    this.#disconnect()
    this.#address = undefined
    this.#hasPosition = false
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
    if (phase.kind === 'waiting' && this.#host.now.monoMs >= phase.retryAtMs) this.#connect()
    else if (this.#isStepOverdue()) this.#lost('it does not answer', 'open')
  }

  nextWakeUpMs(): number | undefined {
    if (this.#phase.kind === 'waiting') return this.#phase.retryAtMs
    return this.#isInStep() ? this.#lastInputAtMs + STEP_TIMEOUT_MS : undefined
  }

  everySecond(): void {
    this.acknowledge()
    if (connectionOf(this.#phase) === undefined || this.#isInStep()) return
    const silenceSeconds = ageSeconds(this.#host.now.monoMs, this.#lastInputAtMs)
    if (silenceSeconds > this.#host.settings.int('repl-timeout')) this.#lost('it is silent', 'open')
  }

  /** Tells the master how far we are. */
  acknowledge(): void {
    if (this.#phase.kind !== 'streaming') return
    const ack = encodeCommand(['REPLCONF', 'ACK', String(this.#history.offset)])
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
    const position = { id: this.#history.id, offset: this.#history.offset }
    return {
      user: settings.text('masteruser'),
      password: settings.text('masterauth'),
      listeningPort: settings.int('replica-announce-port') || this.#ownPort(),
      announcedHost: settings.text('replica-announce-ip'),
      position: this.#hasPosition ? position : undefined,
      takeOver: this.#observer.isHandingOver,
    }
  }

  /** Where those who connect as we do, with TLS or without, reach us. */
  #ownPort(): number {
    const { settings } = this.#host
    const securePort = settings.flag('tls-replication') ? settings.int('tls-port') : 0
    return securePort || settings.int('port')
  }

  #read(bytes: string): void {
    switch (this.#phase.kind) {
      case 'handshake':
        return this.#readLines(this.#phase, bytes)
      case 'transfer':
        return this.#readPayload(this.#phase, bytes)
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
        if (phase.handshake.isWaitingForSync) this.#observer.syncRequested()
        return this.#host.port.write(phase.id, step.bytes)
      case 'full':
        this.#observer.syncGranted()
        return this.#beginTransfer(phase.id, step.position)
      case 'partial':
        this.#observer.syncGranted()
        return this.#continueStream(phase.id, step.id)
      case 'failed':
        if (phase.handshake.isWaitingForSync && this.#observer.syncRefused(step.reason)) return
        return this.#lost(step.reason, 'open')
    }
  }

  #beginTransfer(id: ConnectionId, position: HistoryPosition): void {
    this.#log('notice', `full resynchronisation to ${position.id}:${position.offset}`)
    const { keyspace } = this.#host
    const transfer = new PayloadTransfer(keyspace.dbs.length, keyspace.serial)
    this.#phase = { kind: 'transfer', id, transfer, position }
  }

  #readPayload(phase: LinkPhase & { kind: 'transfer' }, bytes: string): void {
    const progress = phase.transfer.push(bytes)
    switch (progress.kind) {
      case 'more':
        return
      case 'failed':
        return this.#lost(progress.reason, 'open')
      case 'done':
        this.#adopt(phase.position, progress.contents)
        this.#beginStream(phase.id)
        // A replica that got a marked payload is sent nothing before it says that it has it.
        this.acknowledge()
        return this.#read(progress.rest)
    }
  }

  /** The old dataset was served until now; from here on we are where the master was. */
  #adopt(position: HistoryPosition, contents: RdbContents): void {
    this.#observer.historyReplaced()
    if (contents.skippedFunctions > 0) {
      this.#log('warning', `${contents.skippedFunctions} function libraries were left out`)
    }
    this.#host.keyspace.replaceAll(contents.dbs)
    this.#host.streamTarget.reset()
    this.#host.streamTarget.db = this.#streamDb(contents)
    this.#history.adopt(position.id, position.offset)
    this.#hasPosition = true
  }

  #streamDb(contents: RdbContents): number {
    const db = parseInt64(contents.aux.get('repl-stream-db') ?? '0')
    return typeof db === 'number' && contents.dbs[db] !== undefined ? db : 0
  }

  #continueStream(id: ConnectionId, historyId: string | undefined): void {
    this.#log('notice', `partial resynchronisation from ${this.#history.offset + 1}`)
    if (historyId !== undefined && historyId !== this.#history.id) {
      this.#history.continueAs(historyId)
      this.#observer.historyReplaced()
    }
    this.#history.createBacklog()
    this.#beginStream(id)
  }

  #beginStream(id: ConnectionId): void {
    const reader = new StreamReader(this.#host.streamTarget, {
      feed: (bytes) => this.#observer.feed(bytes),
      acknowledge: () => this.acknowledge(),
    })
    this.#phase = { kind: 'streaming', id, reader }
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

  #lost(reason: string, connection: 'open' | 'closed'): void {
    const { monoMs } = this.#host.now
    const wasUp = this.isUp
    this.#logLoss(wasUp, reason)
    if (connection === 'open') this.#disconnect()
    else if (wasUp) this.#host.streamTarget.reset()
    if (wasUp) this.#downSinceMs = monoMs
    const isProven = wasUp && monoMs - this.#upSinceMs >= PROVEN_MS
    if (isProven) this.#retryDelay.reset()
    const delayMs = isProven ? 0 : this.#retryDelay.nextMs()
    this.#phase = { kind: 'waiting', retryAtMs: monoMs + delayMs }
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

  #isInStep(): boolean {
    const phase = this.#phase
    if (phase.kind === 'connecting') return true
    return phase.kind === 'handshake' && !phase.handshake.isWaitingForSync
  }

  #isStepOverdue(): boolean {
    return this.#isInStep() && this.#host.now.monoMs >= this.#lastInputAtMs + STEP_TIMEOUT_MS
  }

  #log(level: NodeLogLevel, text: string): void {
    const master = this.#address === undefined ? '' : ` ${this.#address.host}:${this.#address.port}`
    this.#host.port.log(level, `master${master}: ${text}`)
  }
}
