/**
 * What the events of one Sentinel say about votes and elections. Both makes of Sentinels publish
 * the same events. Where events do not suffice to be sure, nothing is recorded, and the checkers
 * stay silent.
 */

import type { Address } from '../../base/ip.ts'
import { type HeardEvent, heardEvent } from '../../core/event-table.ts'
import { eventWords } from '../../core/event-words.ts'
import type { Occurrence } from '../../history/happening.ts'

type Tell = (occurrence: Occurrence) => void

export class SentinelEventFacts {
  readonly #groups: readonly string[]
  readonly #tell: Tell
  readonly #views = new Map<string, string>()
  /**
   * Groups whose master the Sentinel holds O_DOWN: a failover it tries for any other is an
   * operator's.
   */
  readonly #down = new Set<string>()
  /** The epoch of the failover that the Sentinel tries, by group. */
  readonly #attempts = new Map<string, number>()
  #newestEpoch = 0
  /** The Sentinel's run id, once it has told. */
  id: string | undefined

  constructor(groups: readonly string[], tell: Tell) {
    this.#groups = groups
    this.#tell = tell
  }

  /** The process has started again: the Sentinel may have forgotten what it knew. */
  forget(): void {
    this.#views.clear()
    this.#down.clear()
    this.#attempts.clear()
    this.#newestEpoch = 0
    this.id = undefined
  }

  /** The Sentinel told a client which node is the master. */
  named(group: string, master: Address): void {
    const text = `${master.host}:${master.port}`
    if (this.#views.get(group) === text) return
    this.#views.set(group, text)
    this.#tell({ kind: 'view', group, master })
  }

  published(channel: string, payload: string): void {
    const name = heardEvent(channel)
    this.#tell({ kind: 'event', name, payload })
    const [kind, group = ''] = payload.split(' ')
    if (name === '+new-epoch') this.#newestEpoch = Number(payload)
    else if (name === '+vote-for-leader') this.#voted(payload)
    else if (kind === 'master') this.#ofMaster(name, group)
  }

  #ofMaster(name: HeardEvent, group: string): void {
    if (name === '+odown') this.#down.add(group)
    else if (name === '-odown') this.#down.delete(group)
    else if (name === '+try-failover') this.#tries(group)
    else if (name === '+elected-leader') this.#elected(group)
  }

  /** The event comes right after that of the epoch which the Sentinel has made for this attempt. */
  #tries(group: string): void {
    if (this.#down.has(group)) this.#attempts.set(group, this.#newestEpoch)
    else this.#attempts.delete(group)
  }

  #elected(group: string): void {
    const epoch = this.#attempts.get(group)
    if (epoch === undefined || this.id === undefined) return
    this.#tell({ kind: 'leader', sentinelId: this.id, group, epoch })
  }

  /** The event does not name its group, so with several groups the vote cannot be attributed. */
  #voted(payload: string): void {
    const [group] = this.#groups
    if (group === undefined || this.#groups.length > 1 || this.id === undefined) return
    const vote = eventWords('+vote-for-leader', payload)
    if (vote === undefined) return
    const { leader, epoch } = vote
    this.#tell({ kind: 'vote', sentinelId: this.id, group, epoch: Number(epoch), leader })
  }
}
