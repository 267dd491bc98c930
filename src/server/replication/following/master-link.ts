/**
 * The link to our master, from the connection to the stream:
 *
 *     waiting ─► connecting ─► handshake ─┬─► transfer ─┬─► streaming
 *        ▲                                └─────────────┘       │
 *        └──────────────── lost, refused, given up ─────────────┘
 *
 * This file moves from phase to phase and hands each phase the bytes meant for it. sync-position.ts
 * decides what we offer a master and which of its copies we take, link-record.ts when to try again;
 * each phase has a file of its own (handshake.ts, full-copy.ts, stream-reader.ts).
 */
import { unreachable } from '../../../base/assert.ts'
import { type Address, hostAndPort } from '../../../base/ip.ts'
import { encodeCommand } from '../../../resp/encode.ts'
import type { LedgerKeeper } from '../../ledger/ledger-keeper.ts'
import type { ConnectionId, NodeLogLevel } from '../../port.ts'
import { ageSeconds } from '../../seconds.ts'
import type { ClientSession } from '../../sessions/session.ts'
import type { NodeFailover } from '../failover.ts'
import type { SavedPosition } from '../history/history.ts'
import { TAKEOVER_WORD } from '../history/stream.ts'
import { noteOfMaster, type ReplicationState } from '../state.ts'
import type { EmptyMasterGuard } from './empty-master-guard.ts'
import { FullCopy } from './full-copy.ts'
import { Handshake, type HandshakeStep, type HistoryPosition } from './handshake.ts'
import { LineReader } from './line-reader.ts'
import { connectionOf, isInStep, type LinkPhase } from './link-phase.ts'
import { LinkRecord } from './link-record.ts'
import { StreamReader } from './stream-reader.ts'
import { SyncPosition } from './sync-position.ts'

/** A connection attempt and each answer of the handshake may take this long. */
const STEP_TIMEOUT_MS = 5000
/** How long a fenced node leaves its master alone. */
const FREEZE_MS = 500

type Introducing = LinkPhase & { kind: 'handshake' }
type Copying = LinkPhase & { kind: 'transfer' }
type Streaming = LinkPhase & { kind: 'streaming' }

export class MasterLink {
  readonly #state: ReplicationState
  readonly #failover: NodeFailover
  readonly #keeper: LedgerKeeper
  readonly #position: SyncPosition
  readonly #record = new LinkRecord()
  #phase: LinkPhase = { kind: 'none' }

  constructor(state: ReplicationState, failover: NodeFailover, keeper: LedgerKeeper) {
    this.#state = state
    this.#failover = failover
    this.#keeper = keeper
    this.#position = new SyncPosition(state, keeper, this.#log, () => this.retry())
    keeper.onIdle = () => {
      if (this.#phase.kind === 'transfer') this.#endCopy(this.#phase)
    }
  }

  get phase(): LinkPhase {
    return this.#phase
  }

  get isUp(): boolean {
    return this.#phase.kind === 'streaming'
  }

  get hasPosition(): boolean {
    return this.#position.hasPosition
  }

  get guard(): EmptyMasterGuard {
    return this.#position.guard
  }

  get lastInputAtMs(): number {
    return this.#record.heardAtMs
  }

  get downSinceMs(): number | undefined {
    return this.#record.downSinceMs
  }

  /** The link as a client of ours, while the stream runs. */
  client(): ClientSession | undefined {
    const { node, master } = this.#state
    const { upSinceMs, heardAtMs } = this.#record
    if (this.#phase.kind !== 'streaming' || master === undefined) return undefined
    const times = { connectedAtMs: upSinceMs ?? heardAtMs, heardAtMs }
    return node.streamTarget.asClient(this.#phase.id, master, times)
  }

  /** CLIENT KILL: it is made anew. */
  kill(): void {
    if (this.isUp) this.#lost('CLIENT KILL', 'open')
  }

  owns(id: ConnectionId): boolean {
    return connectionOf(this.#phase) === id
  }

  /** Follows this master from now on. `hasPosition`: our own history may be its history too. */
  follow(address: Address, hasPosition: boolean): void {
    this.#disconnect()
    this.#state.master = address
    this.#position.named(hasPosition)
    this.#record.named(this.#nowMs)
    this.#waitFor(0)
  }

  /** `host:port` of the master, once we have been in step with it. */
  get acquaintance(): string | undefined {
    const { master } = this.#state
    return master && this.#position.wasInStep ? hostAndPort(master.host, master.port) : undefined
  }

  /** The data kept over a restart stand at `history.offset` of `history.id`. */
  resume({ master: known }: SavedPosition): void {
    const { master } = this.#state
    this.#position.resumed(master !== undefined && known === hostAndPort(master.host, master.port))
  }

  /** The node follows no master any more. */
  stop(): void {
    this.#disconnect()
    this.#state.master = undefined
    this.#position.ended()
    this.#record.ended()
    this.#phase = { kind: 'none' }
  }

  connected(id: ConnectionId, localHost: string): void {
    this.#state.linkHost = localHost
    if (this.#phase.kind === 'connecting') this.#introduce(id)
  }

  received(bytes: string): void {
    this.#record.heard(this.#nowMs)
    this.#read(bytes)
  }

  closed(reason: string): void {
    const when = this.#phase.kind === 'transfer' ? ', before its copy was complete' : ''
    if (connectionOf(this.#phase) !== undefined) this.#lost(reason + when, 'closed')
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
    const silence = ageSeconds(this.#nowMs, this.#record.heardAtMs)
    const { settings } = this.#state.node
    if (silence > settings.int('repl-timeout')) this.#lost('it is silent', 'open')
  }

  /** Tells the master how far we are, if we know. */
  acknowledge(): void {
    if (this.#phase.kind !== 'streaming' || !this.hasPosition) return
    const { history, node, strict } = this.#state
    if (!strict.mayAcknowledge) return
    // Only a master of ours has asked for that.
    const isHeir = node.handoffs.isExpecting(this.#nowMs)
    const ack = [...history.acknowledgement(), ...(isHeir ? [TAKEOVER_WORD, 'yes'] : [])]
    node.port.write(this.#phase.id, encodeCommand(ack))
  }

  /** The master is told to us again: it may have become one a moment ago. */
  retry(): void {
    this.#position.namedAgain()
    if (this.#phase.kind === 'waiting') this.#waitFor(0)
  }

  /** The history is to stand still. The master is tried again later: if it is of an older term, it learns of ours. */
  freeze(): void {
    if (this.#phase.kind === 'none') return
    this.#disconnect()
    this.#waitFor(FREEZE_MS)
  }

  // Connecting

  #waitFor(delayMs: number): void {
    this.#phase = { kind: 'waiting', retryAtMs: this.#nowMs + delayMs }
  }

  #connect(): void {
    const { node, master, strict } = this.#state
    if (master === undefined) return
    if (!strict.isReady) return this.#waitFor(1)
    if (node.heap.fullness() !== undefined) return this.#waitFor(STEP_TIMEOUT_MS)
    const id = node.newConnectionId()
    this.#phase = { kind: 'connecting', id }
    this.#record.heard(this.#nowMs)
    this.#log('verbose', 'connecting')
    node.port.connect(id, master.host, master.port)
  }

  // The handshake

  #introduce(id: ConnectionId): void {
    const handshake = new Handshake(this.#position.terms(this.#failover.isHandingOver))
    this.#phase = { kind: 'handshake', id, handshake, lines: new LineReader() }
    this.#record.heard(this.#nowMs)
    this.#state.node.port.write(id, handshake.opening())
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
        return this.#state.node.port.write(phase.id, step.bytes)
      case 'full':
        this.#failover.granted()
        return this.#offered(phase, step.position)
      case 'unplaced':
        this.#beginCopy(phase.id, undefined)
        return this.#read(`${step.header}\r\n`)
      case 'partial':
        this.#failover.granted()
        return this.#continueStream(phase, step.id)
      case 'failed':
        if (phase.handshake.isWaitingForSync && this.#failover.refused(step.reason)) return
        return this.#lost(step.reason, 'open')
      default:
        return unreachable(step)
    }
  }

  #askForSync({ id, handshake }: Introducing, bytes: string): void {
    if (this.#position.isRefusedBeforehand(handshake)) return this.#refuse()
    this.#failover.requested()
    this.#state.node.port.write(id, bytes)
  }

  #offered({ id, handshake }: Introducing, position: HistoryPosition): void {
    const { master } = this.#state
    if (master === undefined) return
    const decision = this.#position.decide(handshake, position, master)
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

  /** Asks for the lineage on a new connection: the master already treats this one as a replica's. */
  #askLineage(): void {
    this.#log('notice', 'it offers a copy from another history, and is asked where that comes from')
    this.#refuse(0)
  }

  #refuse(retryDelayMs = this.guard.retryDelayMs): void {
    this.#disconnect()
    this.#position.doubted()
    this.#waitFor(retryDelayMs)
  }

  // A full copy

  #beginCopy(id: ConnectionId, position: HistoryPosition | undefined): void {
    const copy = new FullCopy(this.#state, this.#keeper, this.#log, position)
    this.#phase = { kind: 'transfer', id, copy }
  }

  #readCopy(phase: Copying, bytes: string): void {
    const fault = phase.copy.push(bytes)
    if (fault === undefined) this.#endCopy(phase)
    else this.#lost(fault, 'open')
  }

  #endCopy({ id, copy }: Copying): void {
    if (!copy.isReady) return
    const rest = copy.adopt()
    this.#state.strict.copied()
    this.#beginStream(id, copy.position !== undefined, 'full')
    // A replica with a marked payload is sent nothing before it says that it has the payload.
    this.acknowledge()
    for (const bytes of rest) this.#read(bytes)
  }

  // The stream

  #continueStream({ id, handshake }: Introducing, historyId: string | undefined): void {
    const { history, replicas } = this.#state
    this.#log('notice', `partial resynchronisation from ${history.offset + 1}`)
    const offeredId = handshake.offeredId ?? history.id
    if (history.goOn(offeredId, historyId ?? offeredId)) replicas.historyReplaced()
    this.#beginStream(id, true, 'partial')
  }

  #beginStream(id: ConnectionId, isNamed: boolean, sync: 'full' | 'partial'): void {
    const reader = new StreamReader(this.#state, () => this.acknowledge())
    this.#phase = { kind: 'streaming', id, reader }
    this.#position.inStep(isNamed)
    this.#record.up(this.#nowMs)
    noteOfMaster(this.#state, (to, offset) => ({ kind: 'linkUp', to, sync, offset }))
    this.#state.strict.follows()
  }

  /**
   * A full heap cannot take these bytes, so the link is dropped: clients that read here then see
   * that it is down.
   */
  #readStream(phase: Streaming, bytes: string): void {
    const { node, strict } = this.#state
    const full = node.heap.fullness()
    if (full !== undefined) return this.#lost(`what it sends does not fit: ${full}`, 'open')
    const fault = phase.reader.push(bytes)
    if (this.#phase !== phase) return
    if (fault === undefined) return strict.applied()
    // Bytes before the fault may have been damaged as well.
    this.#lost(fault, 'open')
    this.#position.lost()
  }

  // The end of a connection

  #isStepOverdue(): boolean {
    return isInStep(this.#phase) && this.#nowMs >= this.#record.heardAtMs + STEP_TIMEOUT_MS
  }

  #stepOverdue(): void {
    const phase = this.#phase
    if (phase.kind === 'handshake' && phase.handshake.isAskingLineage) this.#position.doesNotTell()
    this.#lost('it does not answer', 'open')
  }

  #lost(reason: string, connection: 'open' | 'closed'): void {
    const wasUp = this.isUp
    const { retryDelayMs, isNews } = this.#record.lost(this.#nowMs, reason)
    const text = wasUp ? `the link is lost: ${reason}` : `no link: ${reason}`
    this.#log(isNews ? 'warning' : 'verbose', text)
    if (isNews)
      noteOfMaster(this.#state, (to) => ({ kind: wasUp ? 'linkLost' : 'noLink', to, reason }))
    if (connection === 'open') this.#disconnect()
    else if (wasUp) this.#state.node.streamTarget.reset()
    this.#waitFor(retryDelayMs)
  }

  #disconnect(): void {
    const id = connectionOf(this.#phase)
    if (id !== undefined) this.#state.node.port.close(id)
    if (this.isUp) this.#state.node.streamTarget.reset()
  }

  get #nowMs(): number {
    return this.#state.node.now.monoMs
  }

  readonly #log = (level: NodeLogLevel, text: string): void => {
    const { node, master } = this.#state
    const address = master === undefined ? '' : ` ${hostAndPort(master.host, master.port)}`
    node.port.log(level, `master${address}: ${text}`)
  }
}
