/**
 * What the events of one Sentinel say about votes and elections. Both kinds of Sentinels publish the
 * same ones. Where events do not suffice to be sure, nothing is said, and the checkers stay silent.
 */
import type { Address, Occurrence } from '../../sim/happening.ts'

export type Tell = (occurrence: Occurrence) => void

export class SentinelFacts {
  readonly #groups: readonly string[]
  readonly #tell: Tell
  readonly #views = new Map<string, string>()
  /** Groups it holds O_DOWN: a failover it tries without that is an operator's. */
  readonly #down = new Set<string>()
  /** The epoch of the failover it tries, by group. */
  readonly #attempts = new Map<string, number>()
  #newestEpoch = 0
  /** Its run id, once it has told. */
  id: string | undefined

  constructor(groups: readonly string[], tell: Tell) {
    this.#groups = groups
    this.#tell = tell
  }

  /** The process has come up again: it may not know what it knew. */
  forget(): void {
    this.#views.clear()
    this.#down.clear()
    this.#attempts.clear()
    this.#newestEpoch = 0
    this.id = undefined
  }

  /** It told a client who is master. */
  named(group: string, master: Address): void {
    const text = `${master.host}:${master.port}`
    if (this.#views.get(group) === text) return
    this.#views.set(group, text)
    this.#tell({ kind: 'view', group, master })
  }

  published(name: string, payload: string): void {
    this.#tell({ kind: 'event', name, payload })
    const words = payload.split(' ')
    if (name === '+new-epoch') this.#newestEpoch = Number(payload)
    else if (name === '+vote-for-leader') this.#voted(words)
    else if (words[0] === 'master') this.#ofMaster(name, words[1] ?? '')
  }

  #ofMaster(name: string, group: string): void {
    if (name === '+odown') this.#down.add(group)
    else if (name === '-odown') this.#down.delete(group)
    else if (name === '+try-failover') this.#tries(group)
    else if (name === '+elected-leader') this.#elected(group)
  }

  /** Right behind the epoch it has made for this attempt. */
  #tries(group: string): void {
    if (this.#down.has(group)) this.#attempts.set(group, this.#newestEpoch)
    else this.#attempts.delete(group)
  }

  #elected(group: string): void {
    const epoch = this.#attempts.get(group)
    if (epoch === undefined || this.id === undefined) return
    this.#tell({ kind: 'leader', sentinelId: this.id, group, epoch })
  }

  /** `<run id> <epoch>`: of which group is not said, so with several of them nobody can tell. */
  #voted([leader, epoch]: readonly string[]): void {
    const [group] = this.#groups
    if (group === undefined || this.#groups.length > 1 || this.id === undefined) return
    if (leader === undefined || epoch === undefined) return
    this.#tell({ kind: 'vote', sentinelId: this.id, group, epoch: Number(epoch), leader })
  }
}
