/**
 * How we stand to the master we follow: whether it has given us our data, or somebody has named it to us
 * since we had them; and so whether its history is ours for sure, or has to be asked about.
 */

import type { Offer, Relation } from '../history/kinship.ts'
import type { LineageAnswer } from '../history/lineage.ts'
import type { HistoryPosition } from './handshake.ts'

export class Acquaintance implements Relation {
  /** We have been in step with this very master, and nobody has named it to us again since. */
  isAcquainted = false
  /** `untold`: it was asked, and does not answer. */
  #lineage: 'certain' | 'open' | 'untold' = 'certain'

  get asksLineage(): boolean {
    return this.#lineage === 'open'
  }

  /** Somebody names a master to us. `hasPosition`: we have data, from elsewhere. */
  named(hasPosition: boolean): void {
    this.isAcquainted = false
    this.#lineage = hasPosition ? 'open' : 'certain'
  }

  /** We come back with the data we had from it; it may have been away as well. */
  resumed(): void {
    this.isAcquainted = true
    this.#lineage = 'open'
  }

  inStep(): void {
    this.isAcquainted = true
    this.#lineage = 'certain'
  }

  /** What it offers is not what we expected. */
  doubted(): void {
    if (this.#lineage === 'certain') this.#lineage = 'open'
  }

  /** It never ended its answer. */
  doesNotTell(): void {
    this.#lineage = 'untold'
  }

  offer(position: HistoryPosition, answer: LineageAnswer): Offer {
    const isVain = answer === 'unasked' && this.#lineage === 'untold'
    return { ...position, lineage: isVain ? 'untold' : answer }
  }
}
