/**
 * [replica-empty-master-guard] A replica that holds data does not copy a master that has lost its own: that
 * would turn a restart without a disk into the loss of everything. It keeps data and position, asks again
 * now and then (the master may be replaced), and says so in INFO. Redis copies the emptiness.
 *
 * It ends when the master offers something else, when somebody names another master, and when an operator
 * turns the guard off. Sentinels that promote the replica which holds the data end it for all of them:
 * the history of a promoted replica begins with ours.
 */
import type { NodeLogLevel } from '../../port.ts'
import {
  hasLostItsData,
  kinship,
  type Offer,
  type OwnPlace,
  type Relation,
} from '../history/kinship.ts'
import type { ReplicationHost } from '../host.ts'

/** A master that was asked by INFO is spared the snapshot that PSYNC makes it take. */
const RETRY_MS = 1000
const RETRY_BY_PSYNC_MS = 10_000
/** A master that has so much of our number of keys has its data, but perhaps for the last second of them. */
const KEPT_SHARE = 0.9

interface Refusal {
  readonly offer: Offer
  readonly ownOffset: number
}

export class EmptyMasterGuard {
  readonly #host: ReplicationHost
  readonly #log: (level: NodeLogLevel, text: string) => void
  #refusal: Refusal | undefined

  /** `tryAgain`: the guard was turned off while it refused, so the copy is wanted now. */
  constructor(
    host: ReplicationHost,
    log: (level: NodeLogLevel, text: string) => void,
    tryAgain: () => void,
  ) {
    this.#host = host
    this.#log = log
    host.settings.onChange('replica-empty-master-guard', () => {
      if (this.#refusal === undefined || !this.isIdle) return
      this.forget()
      tryAgain()
    })
  }

  /** Whether what we have may be exchanged for anything. */
  get isIdle(): boolean {
    return !this.#host.settings.flag('replica-empty-master-guard') || !this.#holdsData()
  }

  /** True: the offer must not be taken; the next attempt is due after `retryDelayMs`. */
  refuses(own: OwnPlace, offer: Offer, relation: Relation): boolean {
    if (this.isIdle || !hasLostItsData(own, offer, relation)) return false
    if (this.#hasKeptItsKeys(own, offer)) return false
    if (this.#refusal?.offer.id !== offer.id) this.#warn(own, offer)
    this.#refusal = { offer, ownOffset: own.offset }
    return true
  }

  get retryDelayMs(): number {
    return typeof this.#refusal?.offer.lineage === 'object' ? RETRY_MS : RETRY_BY_PSYNC_MS
  }

  /** The question is no longer open. */
  forget(): void {
    this.#refusal = undefined
  }

  /** For INFO replication; nothing unless it refuses. */
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

  /** As whom we come to the master. */
  #user(): string {
    return this.#host.settings.text('masteruser') || 'default'
  }

  /** A restart from an append-only file begins a new history as well, at 0, and has the data. */
  #hasKeptItsKeys(own: OwnPlace, offer: Offer): boolean {
    const { lineage } = offer
    if (typeof lineage === 'string' || kinship(own, offer).kind !== 'new') return false
    return lineage.keys >= KEPT_SHARE * this.#ownKeys()
  }

  #holdsData(): boolean {
    return this.#ownKeys() > 0
  }

  #ownKeys(): number {
    return this.#host.keyspace.dbs.reduce((sum, db) => sum + db.entries.size, 0)
  }

  #warn(own: OwnPlace, offer: Offer): void {
    this.#log(
      'warning',
      `it is not copied: its history ${offer.id} is new to us and at ${offer.offset}, ours at ${own.offset}, ` +
        `${this.#suspicion(offer)}. CONFIG SET replica-empty-master-guard no lets it be copied`,
    )
  }

  /** What a restart from an append-only file looks like to who may not ask. */
  #suspicion(offer: Offer): string {
    if (!isUntold(offer)) return 'so it has lost data that we hold'
    return (
      'and it does not answer INFO, so it may have lost data that we hold, or have restarted with them from ' +
      `its append-only file. ACL SETUSER ${this.#user()} +info on the master (and in its file) lets us see`
    )
  }
}

/** It was asked about its data and did not say: INFO is forbidden to us there. */
function isUntold({ lineage }: Offer): boolean {
  return typeof lineage === 'string'
}
