/**
 * [replica-empty-master-guard] A replica that holds data does not copy a master that has lost its
 * own: the copy would turn a restart without a disk into the loss of everything. The replica keeps
 * its data and position, asks again now and then (the master may be replaced), and reports the
 * refusal in INFO. Redis copies the emptiness.
 *
 * The refusal ends when the master offers something else, when the node is told to follow another
 * master, and when an operator turns the guard off. Sentinels that promote the replica which holds
 * the data end it for all of them: the history of a promoted replica begins with ours.
 */
import type { NodeBase } from '../../node-base.ts'
import type { NodeLogLevel } from '../../port.ts'
import {
  divergenceFrom,
  hasLostItsData,
  type Offer,
  type OwnPosition,
  type Relation,
} from '../history/divergence.ts'

/**
 * A master that answers INFO is asked often; each PSYNC would make it take a snapshot.
 */
const RETRY_MS = 1000
const RETRY_BY_PSYNC_MS = 10_000
/**
 * A master with this share of our keys still has its data, except perhaps the writes of the last
 * second.
 */
const KEPT_SHARE = 0.9

interface Refusal {
  readonly offer: Offer
  readonly ownOffset: number
}

export class EmptyMasterGuard {
  readonly #node: NodeBase
  readonly #log: (level: NodeLogLevel, text: string) => void
  #refusal: Refusal | undefined

  /** `tryAgain`: the guard was turned off while it refused, so the copy is wanted now. */
  constructor(
    node: NodeBase,
    log: (level: NodeLogLevel, text: string) => void,
    tryAgain: () => void,
  ) {
    this.#node = node
    this.#log = log
    node.settings.onChange('replica-empty-master-guard', () => {
      if (this.#refusal === undefined || !this.isIdle) return
      this.forget()
      tryAgain()
    })
  }

  /** Any copy may replace our data: the guard is off, or we hold no keys. */
  get isIdle(): boolean {
    return !this.#node.settings.flag('replica-empty-master-guard') || !this.#holdsData()
  }

  /** True: the offer must be refused; the next attempt is due after `retryDelayMs`. */
  refuses(own: OwnPosition, offer: Offer, relation: Relation): boolean {
    if (this.isIdle || !hasLostItsData(own, offer, relation)) return false
    if (this.#hasKeptItsKeys(own, offer)) return false
    if (this.#refusal?.offer.id !== offer.id) this.#warn(own, offer)
    this.#refusal = { offer, ownOffset: own.offset }
    return true
  }

  get retryDelayMs(): number {
    return typeof this.#refusal?.offer.lineage === 'object' ? RETRY_MS : RETRY_BY_PSYNC_MS
  }

  /** Ends the refusal. */
  forget(): void {
    this.#refusal = undefined
  }

  /** For INFO replication; no lines unless the guard refuses an offer. */
  infoLines(): string[] {
    if (this.#refusal === undefined) return []
    const { offer, ownOffset } = this.#refusal
    const right = `+info for user ${this.#user()} on the master`
    const needs = isUntold(offer) ? [`replica_guard_needs:${right}`] : []
    return [
      'replica_empty_master_guard:1',
      `replica_guard_master_offset:${offer.offset}`,
      `replica_guard_own_offset:${ownOffset}`,
      ...needs,
    ]
  }

  /** The user this node logs in as on the master. */
  #user(): string {
    return this.#node.settings.text('masteruser') || 'default'
  }

  /**
   * A master restarted from an append-only file also begins a new history, at 0, but has its data.
   */
  #hasKeptItsKeys(own: OwnPosition, offer: Offer): boolean {
    const { lineage } = offer
    if (typeof lineage === 'string' || divergenceFrom(own, offer).kind !== 'new') return false
    return !this.#holdsMoreThan(lineage.keys / KEPT_SHARE)
  }

  #holdsData(): boolean {
    return this.#node.keyspace.dbs.some((db) => db.entries.size > 0)
  }

  /**
   * Keys that have expired do not count: we keep them until our master deletes them, and a master that starts
   * leaves them out.
   */
  #holdsMoreThan(limit: number): boolean {
    const { dbs, nowMs } = this.#node.keyspace
    let keys = dbs.reduce((sum, { entries, expires }) => sum + entries.size - expires.size, 0)
    for (const { expires } of dbs) {
      for (const { expireAtMs = Number.POSITIVE_INFINITY } of expires.values()) {
        if (keys > limit) return true
        if (expireAtMs >= nowMs) keys++
      }
    }
    return keys > limit
  }

  #warn(own: OwnPosition, offer: Offer): void {
    this.#log(
      'warning',
      `it is not copied: its history ${offer.id} is new to us and at ${offer.offset}, ours at ${own.offset}, ` +
        `${this.#suspicion(offer)}. CONFIG SET replica-empty-master-guard no lets it be copied`,
    )
  }

  /**
   * A master that may not be asked with INFO looks the same after a restart from its append-only
   * file.
   */
  #suspicion(offer: Offer): string {
    if (!isUntold(offer)) return 'so it has lost data that we hold'
    return (
      'and it does not answer INFO, so it may have lost data that we hold, or have restarted with them from ' +
      `its append-only file. ACL SETUSER ${this.#user()} +info on the master (and in its file) lets us see`
    )
  }
}

/**
 * The master did not tell its lineage, because its ACL forbids us INFO, or because nothing was
 * asked.
 */
function isUntold({ lineage }: Offer): boolean {
  return typeof lineage === 'string'
}
