/**
 * Which host can send to which. A partition splits all hosts into groups that cannot reach each
 * other; a cut silences one direction between two hosts; a hold keeps what one host sends to
 * another on the way until it is released; a refusal answers, in place of the other host, that no
 * process listens. All may be in force at the same time, and traffic within one host always passes.
 * Pure bookkeeping: every engine that can cut links uses it.
 */
export class Reachability {
  readonly #outsiders: ReadonlySet<string>
  #groupOf: ReadonlyMap<string, number> | undefined
  readonly #cuts = new Set<string>()
  readonly #holds = new Set<string>()
  readonly #refusals = new Set<string>()

  /** No fault applies to what is sent to or from an outsider: it stands for an observer. */
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

  /** From now on nothing that `from` sends reaches `to`; the other direction is not affected. */
  cut(from: string, to: string): void {
    this.#cuts.add(`${from}>${to}`)
  }

  /** What `from` sends to `to` waits on the way, in order; the other direction is not affected. */
  hold(from: string, to: string): void {
    this.#holds.add(`${from}>${to}`)
  }

  /**
   * Every connection that `from` opens to `to` is refused, as a firewall does on behalf of a living
   * host.
   */
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

  /** Whether no fault is in force: every host reaches every other. */
  get isWhole(): boolean {
    const isCrossed = this.#groupOf !== undefined || this.#cuts.size > 0
    return !isCrossed && this.#holds.size === 0 && this.#refusals.size === 0
  }

  /** Whether what `from` sends now arrives at `to`, perhaps after being held on the way. */
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

  /** Whether a connection from `from` to `to` is refused before it reaches `to`. */
  refuses(from: string, to: string): boolean {
    return this.#refusals.size > 0 && this.#refusals.has(`${from}>${to}`)
  }

  /**
   * Whether both directions pass and none is held or refused: a connection can be opened and used.
   */
  converses(a: string, b: string): boolean {
    return this.#isOpen(a, b) && this.#isOpen(b, a)
  }

  #isOpen(from: string, to: string): boolean {
    return this.passes(from, to) && !this.holds(from, to) && !this.refuses(from, to)
  }
}
