/**
 * Where our data stand to the master we follow, and what follows from it: what we offer when we ask for its
 * stream, and what becomes of a copy it offers in place of what we have.
 *
 * What makes a resynchronisation partial is that our dataset is at a known position of a known history.
 * That holds after a link was lost, after following another master, and for a master that was demoted
 * (its own history); it does not for a node that never had a master, or whose stream was damaged.
 */
import type { LedgerKeeper } from '../../ledger/ledger-keeper.ts'
import type { NodeLogLevel } from '../../port.ts'
import type { History } from '../history/history.ts'
import { idToOffer } from '../history/kinship.ts'
import type { LineageAnswer } from '../history/lineage.ts'
import type { ReplicationHost } from '../host.ts'
import { Acquaintance } from './acquaintance.ts'
import { type CopyDecision, CopyDecisions } from './copy-decision.ts'
import { EmptyMasterGuard } from './empty-master-guard.ts'
import type { Handshake, HandshakeTerms, HistoryPosition } from './handshake.ts'
import { introduction } from './handshake-terms.ts'
import type { Address } from './link-phase.ts'

export interface StandingParts {
  readonly host: ReplicationHost
  readonly history: History
  readonly keeper: LedgerKeeper
  log(level: NodeLogLevel, text: string): void
  /** A copy that was refused is wanted after all. */
  tryAgain(): void
}

export class Standing {
  readonly guard: EmptyMasterGuard
  readonly #host: ReplicationHost
  readonly #history: History
  readonly #decisions: CopyDecisions
  readonly #acquaintance = new Acquaintance()
  /** Whether our dataset stands at `history.offset` of `history.id`. */
  #hasPosition = false

  constructor({ host, history, keeper, log, tryAgain }: StandingParts) {
    this.#host = host
    this.#history = history
    this.guard = new EmptyMasterGuard(host, log, tryAgain)
    this.#decisions = new CopyDecisions(host, history, this.guard, keeper)
  }

  get hasPosition(): boolean {
    return this.#hasPosition
  }

  /** Somebody names a master to us. `hasPosition`: our own history may be its history too. */
  named(hasPosition: boolean): void {
    this.#hasPosition = hasPosition
    this.#acquaintance.named(hasPosition)
    this.guard.forget()
  }

  /** The data we kept over a restart stand at `history.offset` of `history.id`. */
  resumed(): void {
    this.#hasPosition = true
    this.#acquaintance.resumed()
  }

  /** We are at its place of its history. `isNamed`: that history has a name. */
  inStep(isNamed: boolean): void {
    this.#hasPosition = isNamed
    this.#acquaintance.inStep()
    this.guard.forget()
  }

  /** What it offers is not what we expected. */
  doubted(): void {
    this.#acquaintance.doubted()
  }

  /** It never ends its answer to INFO, and is not asked again. */
  doesNotTell(): void {
    this.#acquaintance.doesNotTell()
  }

  /** What we have may be damaged, and stands nowhere any more. */
  lost(): void {
    this.#hasPosition = false
  }

  /** There is no master any more. */
  ended(): void {
    this.#hasPosition = false
    this.guard.forget()
  }

  /** `takeOver`: it is to become the master and we its replica, our own FAILOVER. */
  terms(takeOver: boolean): HandshakeTerms {
    return {
      ...introduction(this.#host.settings),
      position: (lineage) => (this.#hasPosition ? this.#place(takeOver, lineage) : undefined),
      takeOver,
      // Who takes over from us has our history: that is what a failover has waited for.
      asksLineage: this.#acquaintance.asksLineage && !takeOver,
      acceptsUnplaced: this.guard.isIdle,
    }
  }

  /** Who takes over from us has to be in our very history. */
  #place(takeOver: boolean, lineage: LineageAnswer): HistoryPosition {
    const history = this.#history
    const id = idToOffer(history, lineage, takeOver ? history.id : history.knownId)
    return { id, offset: history.offset }
  }

  /** It need not make a snapshot: what it says of itself is enough to refuse it. */
  isRefusedBeforehand({ lineage }: Handshake): boolean {
    return this.#decisions.isRefusedBeforehand(lineage, this.#acquaintance)
  }

  decide({ lineage }: Handshake, position: HistoryPosition, master: Address): CopyDecision {
    if (!this.#hasPosition) return 'copy'
    const offer = this.#acquaintance.offer(position, lineage)
    return this.#decisions.decide(offer, this.#acquaintance, master)
  }
}
