/**
 * Which host can send to which. A partition splits all hosts into groups that hear nothing of each
 * other; a cut silences one direction between two hosts; a hold keeps what one sends to another on the
 * way until it is released; a refusal answers for the other host that nobody listens. All may stand at the same time, and traffic within one host always passes.
 * Pure bookkeeping: every engine that can cut links asks it.
 */
export class Reachability {
  readonly #outsiders: ReadonlySet<string>
  #groupOf: ReadonlyMap<string, number> | undefined
  readonly #cuts = new Set<string>()
  readonly #holds = new Set<string>()
  readonly #refusals = new Set<string>()

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

  /** What `from` sends to `to` waits on the way, in order; the other direction is not touched. */
  hold(from: string, to: string): void {
    this.#holds.add(`${from}>${to}`)
  }

  /** Whatever `from` wants to open to `to` is refused, as a firewall does on behalf of a living host. */
  refuse(from: string, to: string): void {
    this.#refusals.add(`${from}>${to}`)
  }

  /** Takes back every hold. */
  release(): void {
    this.#holds.clear()
  }

  /** Takes back the partition, every cut, hold and refusal. */
  heal(): void {
    this.#groupOf = undefined
    this.#cuts.clear()
    this.#refusals.clear()
    this.release()
  }

  /** No fault stands: everybody hears everybody. */
  get isWhole(): boolean {
    const isCrossed = this.#groupOf !== undefined || this.#cuts.size > 0
    return !isCrossed && this.#holds.size === 0 && this.#refusals.size === 0
  }

  /** What `from` sends now arrives at `to`, or waits on the way when it is held there. */
  passes(from: string, to: string): boolean {
    if (from === to) return true
    if (this.#cuts.size > 0 && this.#cuts.has(`${from}>${to}`)) return false
    if (this.#groupOf === undefined) return true
    if (this.isOutside(from, to)) return true
    return this.#groupOf.get(from) === this.#groupOf.get(to)
  }

  holds(from: string, to: string): boolean {
    return this.#holds.size > 0 && from !== to && this.#holds.has(`${from}>${to}`)
  }

  /** A connection that `from` wants to open to `to` is refused before `to` hears of it. */
  refuses(from: string, to: string): boolean {
    return this.#refusals.size > 0 && this.#refusals.has(`${from}>${to}`)
  }

  /** Both directions pass, none is held or refused: a connection can be opened and used. */
  converses(a: string, b: string): boolean {
    return this.#isOpen(a, b) && this.#isOpen(b, a)
  }

  #isOpen(from: string, to: string): boolean {
    return this.passes(from, to) && !this.holds(from, to) && !this.refuses(from, to)
  }
}
