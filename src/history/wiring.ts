/**
 * Which host can send to which, and how well, after everything done to the network so far. Every
 * engine that can cut links uses it, and so do checkers that need to know what was in the way.
 */
import type { Action } from './action.ts'
import type { LinkShape } from './link-shape.ts'
import { Reachability } from './reachability.ts'

export class Wiring {
  readonly reachability: Reachability
  readonly conditions = new LinkConditions()

  constructor(outsiders: readonly string[] = []) {
    this.reachability = new Reachability(outsiders)
  }

  /** Returns false if the action leaves every path as it was. */
  apply(action: Action): boolean {
    const { reachability, conditions } = this
    if (action.kind === 'partition') reachability.partition(action.groups)
    else if (action.kind === 'cut') reachability.cut(action.from, action.to)
    else if (action.kind === 'hold') reachability.hold(action.from, action.to)
    else if (action.kind === 'refuse') reachability.refuse(action.from, action.to)
    else if (action.kind === 'release') reachability.release()
    else if (action.kind === 'shape') conditions.shape(action.from, action.to, action.shape)
    else if (action.kind === 'heal') {
      reachability.heal()
      conditions.heal()
    } else return false
    return true
  }
}

interface Rule {
  /** Undefined: every host. */
  readonly from: string | undefined
  readonly to: string | undefined
  readonly shape: LinkShape
}

/**
 * How the paths between hosts are worse than usual. Only the last shape of a path counts, as a
 * whole: what it leaves out is as usual again. Pure bookkeeping, like reachability.
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
