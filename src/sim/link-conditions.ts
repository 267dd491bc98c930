import type { LinkShape } from './link-shape.ts'

interface Rule {
  /** Undefined: every host. */
  readonly from: string | undefined
  readonly to: string | undefined
  readonly shape: LinkShape
}

/**
 * How the ways between hosts are worse than usual. The last word on a way counts, as a whole: what it
 * leaves out is as usual again. Pure bookkeeping, like reachability, for every engine.
 */
export class LinkConditions {
  #rules: Rule[] = []

  /** Undefined: from, or to, every host. */
  shape(from: string | undefined, to: string | undefined, shape: LinkShape): void {
    const isCovered = (rule: Rule): boolean =>
      (from === undefined || from === rule.from) && (to === undefined || to === rule.to)
    this.#rules = this.#rules.filter((rule) => !isCovered(rule))
    this.#rules.push({ from, to, shape })
  }

  /** Undefined: as usual. Within a host everything always is. */
  of(from: string, to: string): LinkShape | undefined {
    if (from === to) return undefined
    return this.#rules.findLast((rule) => (rule.from ?? from) === from && (rule.to ?? to) === to)
      ?.shape
  }

  heal(): void {
    this.#rules = []
  }
}
