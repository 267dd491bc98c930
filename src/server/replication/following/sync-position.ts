/**
 * Where our data stand relative to the master we follow, and what follows from it: which position
 * we offer when we ask for the master's stream; whether we take a copy that it offers instead, ask
 * about it or refuse it; and which of our commands are kept before they are replaced.
 *
 * A resynchronisation can be partial because our dataset is at a known position of a known history.
 * That holds after a lost link, after following another master, and for a demoted master (its own
 * history); it does not hold for a node that never had a master, or whose stream was damaged.
 */
import { type Address, hostAndPort } from '../../../base/ip.ts'
import type { LedgerKeeper, LedgerLoss } from '../../ledger/ledger-keeper.ts'
import type { NodeBase } from '../../node-base.ts'
import type { NodeLogLevel } from '../../port.ts'
import type { Settings } from '../../settings/settings.ts'
import { divergenceFrom, idToOffer, type Offer, type Relation } from '../history/divergence.ts'
import type { History } from '../history/history.ts'
import type { LineageAnswer } from '../history/lineage.ts'
import type { ReplicationState } from '../state.ts'
import type { Strict } from '../strict/strict.ts'
import { EmptyMasterGuard } from './empty-master-guard.ts'
import type { Handshake, HandshakeTerms, HistoryPosition } from './handshake.ts'

/** Offsets count from 1. */
const FIRST_OFFSET = 1
const SECOND_MS = 1000

/** Take the copy, ask first about the history that the master is in, or refuse the copy. */
type CopyDecision = 'copy' | 'ask' | 'refuse'

export class SyncPosition implements Relation {
  readonly guard: EmptyMasterGuard
  wasInStep = false
  /** Until then nothing that the master offers is a surprise. */
  #toldAgainUntilMs = -Infinity
  readonly #node: NodeBase
  readonly #settings: Settings
  readonly #history: History
  readonly #keeper: LedgerKeeper
  readonly #strict: Strict
  /**
   * Whether the master's history is certainly ours, or has to be asked about. `untold`: the master
   * was asked and does not answer.
   */
  #lineage: 'certain' | 'open' | 'untold' = 'certain'
  /** Whether our dataset stands at `history.offset` of `history.id`. */
  #hasPosition = false

  /** `tryAgain`: a copy that was refused is wanted after all. */
  constructor(
    { node, history, strict }: ReplicationState,
    keeper: LedgerKeeper,
    log: (level: NodeLogLevel, text: string) => void,
    tryAgain: () => void,
  ) {
    this.#node = node
    this.#settings = node.settings
    this.#history = history
    this.#keeper = keeper
    this.#strict = strict
    this.guard = new EmptyMasterGuard(node, log, tryAgain)
  }

  get hasPosition(): boolean {
    return this.#hasPosition
  }

  /** The node is told to follow a master. `hasPosition`: our own history may be its history too. */
  named(hasPosition: boolean): void {
    this.#hasPosition = hasPosition
    this.wasInStep = false
    this.#lineage = hasPosition ? 'open' : 'certain'
    this.guard.forget()
  }

  /**
   * The node is told once more to follow its master. The Sentinel or operator has seen what has become of it: it may have
   * followed another one meanwhile, and have been promoted again with less history than it had. A connection to
   * what it was before may seem to be well until [repl-timeout] is over.
   */
  namedAgain(): void {
    this.#toldAgainUntilMs = this.#node.now.monoMs + this.#settings.int('repl-timeout') * SECOND_MS
  }

  get isToldAgain(): boolean {
    return this.#node.now.monoMs <= this.#toldAgainUntilMs
  }

  /**
   * The data kept over a restart stand at `history.offset` of `history.id`. `wasInStep`: they come from
   * the master that we follow, which may have been away as well. A node that was a master itself, and whose
   * file now names its successor, must not take the successor for an emptied master.
   */
  resumed(wasInStep: boolean): void {
    this.#hasPosition = true
    this.wasInStep = wasInStep
    this.#lineage = 'open'
  }

  /** We are in step with the master. `isNamed`: its history has an id. */
  inStep(isNamed: boolean): void {
    this.#hasPosition = isNamed
    this.wasInStep = true
    this.#lineage = 'certain'
    this.guard.forget()
  }

  /** The master does not offer what we expected. */
  doubted(): void {
    if (this.#lineage === 'certain') this.#lineage = 'open'
  }

  /** The master never ends its answer to INFO, and is not asked again. */
  doesNotTell(): void {
    this.#lineage = 'untold'
  }

  /** Our data may be damaged, and have no position in any history any more. */
  lost(): void {
    this.#strict.lost()
    this.#hasPosition = false
  }

  /** The node follows no master any more. */
  ended(): void {
    this.#hasPosition = false
    this.guard.forget()
  }

  /**
   * `takeOver`: the master we ask is to become the master and we its replica, in our own FAILOVER.
   */
  terms(takeOver: boolean): HandshakeTerms {
    return {
      ...introduction(this.#settings),
      position: (lineage) => (this.#hasPosition ? this.#place(takeOver, lineage) : undefined),
      takeOver,
      // A target that takes over from us has our history: that is what the failover has waited for.
      asksLineage: this.#lineage === 'open' && !takeOver,
      acceptsUnplaced: this.guard.isIdle && !this.#strict.isOn,
      saidTerm: this.#strict.saidTerm,
      meetMaster: (text) => this.#strict.meetMaster(text),
    }
  }

  /** A target that takes over from us has to be in our very history. */
  #place(takeOver: boolean, lineage: LineageAnswer): HistoryPosition {
    const history = this.#history
    const id = idToOffer(history, lineage, takeOver ? history.id : history.knownId)
    return { id, offset: history.offset }
  }

  /** A master that says itself that its data are gone need not make a snapshot of the rest. */
  isRefusedBeforehand({ lineage }: Handshake): boolean {
    if (typeof lineage === 'string') return false
    const offer = { id: lineage.id, offset: lineage.offset, lineage }
    return this.guard.refuses(this.#history, offer, this)
  }

  /**
   * A master offers a full copy in place of our data. `copy`: the commands that the copy discards
   * are being written to a ledger.
   */
  decide({ lineage }: Handshake, position: HistoryPosition, master: Address): CopyDecision {
    if (!this.#hasPosition) return 'copy'
    const isVain = lineage === 'unasked' && this.#lineage === 'untold'
    const offer: Offer = { ...position, lineage: isVain ? 'untold' : lineage }
    const divergence = divergenceFrom(this.#history, offer)
    const isOpen = divergence.kind === 'unclear' && divergence.mayAsk
    if (isOpen && this.#hasSomethingToLose()) return 'ask'
    if (this.guard.refuses(this.#history, offer, this)) return 'refuse'
    this.guard.forget()
    const loss = this.#loss(offer, master)
    if (loss !== undefined) this.#keeper.keep(loss)
    return 'copy'
  }

  /** The commands of ours that the offered history lacks; undefined: none, as far as we know. */
  #loss(offer: Offer, master: Address): LedgerLoss | undefined {
    const { backlog, offset, id } = this.#history
    const divergence = divergenceFrom(this.#history, offer)
    if (backlog === undefined) return undefined
    // Where no common beginning is known, everything of ours counts as lost.
    const from = divergence.kind === 'known' ? divergence.fork : FIRST_OFFSET
    if (from > offset) return undefined
    const settings = this.#settings
    const maxBytes = settings.int('ledger-max-bytes')
    const kept = Math.max(from, backlog.firstOffset, offset - maxBytes + 1)
    const { offset: start, db } = backlog.startBefore(kept)
    const port = settings.int('replica-announce-port') || settings.int('port')
    const facts = {
      node: hostAndPort(settings.text('replica-announce-ip'), port),
      history: id,
      from,
      to: offset,
      kept,
      rule: divergence.kind === 'known' ? ('exact' as const) : ('at most' as const),
      master: hostAndPort(master.host, master.port),
      masterHistory: offer.id,
      masterOffset: offer.offset,
    }
    return { facts, part: { start, db, from: kept, pieces: backlog.readFrom(start) } }
  }

  #hasSomethingToLose(): boolean {
    const { backlog } = this.#history
    return !this.guard.isIdle || (backlog !== undefined && backlog.lengthBytes > 0)
  }
}

/** How a replica introduces itself, by its settings. */
export function introduction(
  settings: Settings,
): Pick<HandshakeTerms, 'user' | 'password' | 'listeningPort' | 'announcedHost'> {
  return {
    user: settings.text('masteruser'),
    password: settings.text('masterauth'),
    listeningPort: settings.int('replica-announce-port') || ownPort(settings),
    announcedHost: settings.text('replica-announce-ip'),
  }
}

/**
 * The port on which we accept connections of the kind we open to the master, with TLS or without.
 */
function ownPort(settings: Settings): number {
  const securePort = settings.flag('tls-replication') ? settings.int('tls-port') : 0
  return securePort || settings.int('port')
}
