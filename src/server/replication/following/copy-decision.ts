/**
 * What to do when a master offers a full copy in place of what we have: take it, ask first what kind of
 * history it stands in, or refuse it. And what is to be kept of ours before it goes.
 */
import type { LedgerKeeper, Loss } from '../../ledger/ledger-keeper.ts'
import type { History } from '../history/history.ts'
import { kinship, type Offer, type Relation } from '../history/kinship.ts'
import type { LineageAnswer } from '../history/lineage.ts'
import type { ReplicationHost } from '../host.ts'
import type { EmptyMasterGuard } from './empty-master-guard.ts'
import type { Address } from './link-phase.ts'

/** Offsets count from 1. */
const FIRST_OFFSET = 1

export type CopyDecision = 'copy' | 'ask' | 'refuse'

/** For a node that stands at `history.offset` of `history.id`. */
export class CopyDecisions {
  readonly #host: ReplicationHost
  readonly #history: History
  readonly #guard: EmptyMasterGuard
  readonly #keeper: LedgerKeeper

  constructor(
    host: ReplicationHost,
    history: History,
    guard: EmptyMasterGuard,
    keeper: LedgerKeeper,
  ) {
    this.#host = host
    this.#history = history
    this.#guard = guard
    this.#keeper = keeper
  }

  /** `copy`: what it will replace is being written to a ledger. */
  decide(offer: Offer, relation: Relation, master: Address): CopyDecision {
    const kin = kinship(this.#history, offer)
    if (kin.kind === 'unclear' && kin.mayAsk && this.#hasSomethingToLose()) return 'ask'
    if (this.#guard.refuses(this.#history, offer, relation)) return 'refuse'
    this.#guard.forget()
    const loss = this.#loss(offer, master)
    if (loss !== undefined) this.#keeper.keep(loss)
    return 'copy'
  }

  /** A master that says itself that its data are gone need not make a snapshot of what is left. */
  isRefusedBeforehand(lineage: LineageAnswer, relation: Relation): boolean {
    if (typeof lineage === 'string') return false
    const offer = { id: lineage.id, offset: lineage.offset, lineage }
    return this.#guard.refuses(this.#history, offer, relation)
  }

  /** What the offer's history does not have of ours; undefined: it has everything, as far as we know. */
  #loss(offer: Offer, master: Address): Loss | undefined {
    const { backlog, offset, id } = this.#history
    const kin = kinship(this.#history, offer)
    if (backlog === undefined) return undefined
    // Of a history that has nothing in common with ours, as far as we know, nothing is excepted.
    const from = kin.kind === 'known' ? kin.fork : FIRST_OFFSET
    if (from > offset) return undefined
    const { settings } = this.#host
    const maxBytes = settings.int('ledger-max-bytes')
    const kept = Math.max(from, backlog.firstOffset, offset - maxBytes + 1)
    const { offset: start, db } = backlog.startBefore(kept)
    const port = settings.int('replica-announce-port') || settings.int('port')
    const facts = {
      node: `${settings.text('replica-announce-ip')}:${port}`,
      history: id,
      from,
      to: offset,
      kept,
      rule: kin.kind === 'known' ? ('exact' as const) : ('at most' as const),
      master: `${master.host}:${master.port}`,
      masterHistory: offer.id,
      masterOffset: offer.offset,
    }
    return { facts, part: { start, db, from: kept, pieces: backlog.readFrom(start) } }
  }

  #hasSomethingToLose(): boolean {
    const { backlog } = this.#history
    return !this.#guard.isIdle || (backlog !== undefined && backlog.lengthBytes > 0)
  }
}
