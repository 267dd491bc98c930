/**
 * Which host can send to which. A partition splits all hosts into groups that hear nothing of each
 * other; a cut silences one direction between two hosts. Both may stand at the same time, and traffic
 * within one host always passes. Pure bookkeeping: every engine that can cut links asks it.
 */
export class Reachability {
  readonly #outsiders: ReadonlySet<string>
  #groupOf: ReadonlyMap<string, number> | undefined
  readonly #cuts = new Set<string>()

  /** No fault applies to what is sent to or from an outsider: it stands for whoever looks on. */
  constructor(outsiders: readonly string[] = []) {
    this.#outsiders = new Set(outsiders)
  }

  isOutside(from: string, to: string): boolean {
    return this.#outsiders.has(from) || this.#outsiders.has(to)
  }

  /** Hosts named in no group stay together as one more group. Replaces an earlier partition. */
  partition(groups: readonly (readonly string[])[]): void {
    const groupOf = new Map<string, number>()
    groups.forEach((hosts, index) => {
      for (const host of hosts) groupOf.set(host, index)
    })
    this.#groupOf = groupOf
  }

  /** Nothing that `from` sends reaches `to` any more; the other direction is not touched. */
  cut(from: string, to: string): void {
    this.#cuts.add(`${from}>${to}`)
  }

  /** Takes back the partition and every cut. */
  heal(): void {
    this.#groupOf = undefined
    this.#cuts.clear()
  }

  /** No fault stands: everybody hears everybody. */
  get isWhole(): boolean {
    return this.#groupOf === undefined && this.#cuts.size === 0
  }

  /** What `from` sends now arrives at `to`. */
  passes(from: string, to: string): boolean {
    if (from === to) return true
    if (this.#cuts.size > 0 && this.#cuts.has(`${from}>${to}`)) return false
    if (this.#groupOf === undefined) return true
    if (this.isOutside(from, to)) return true
    return this.#groupOf.get(from) === this.#groupOf.get(to)
  }

  /** Both directions pass: a connection can be opened and used. */
  converses(a: string, b: string): boolean {
    return this.passes(a, b) && this.passes(b, a)
  }
}
