/**
 * What is so in a history, as nobody in it can know: whether a master could be used by a majority of
 * the Sentinels, and whether a majority was left that could have put another one in its place.
 */

import type { Effect } from './act.ts'
import { type Cluster, type ClusterGroup, type Member, majorityOf } from './cluster.ts'

export interface Span {
  readonly fromMs: number
  readonly untilMs: number
}

/** Those who could replace a master: on one side of every cut, and alive. */
export interface Able {
  readonly sentinels: number
  readonly nodes: readonly string[]
}

export class Truth {
  readonly #cluster: Cluster
  readonly #effects: readonly Effect[]
  readonly #endMs: number

  constructor(cluster: Cluster, effects: readonly Effect[], endMs: number) {
    this.#cluster = cluster
    this.#effects = effects
    this.#endMs = endMs
  }

  /** It runs, and a majority of all Sentinels is alive and in reach of it. */
  isUsable(node: Member, atMs: number): boolean {
    return this.#isUsable(node, this.#at(atMs))
  }

  /** At some moment of the span. */
  isEverUsable(node: Member, span: Span): boolean {
    const inside = this.#edges().filter((atMs) => atMs > span.fromMs && atMs <= span.untilMs)
    return [span.fromMs, ...inside].some((atMs) => this.isUsable(node, atMs))
  }

  /** From one moment to another without a break, and without anything that only comes and goes. */
  unusableSpans(node: Member): readonly Span[] {
    return this.#spans((effects) => !this.#isUsable(node, effects))
  }

  /** When the master was lost and others could have replaced it. */
  replaceableSpans(group: ClusterGroup, master: Member): readonly Span[] {
    return this.#spans(
      (effects) =>
        !this.#isUsable(master, effects) && this.#able(group, master, effects) !== undefined,
    )
  }

  /** When the master did not run or was cut off, and nobody could have replaced it. */
  hopelessSpans(group: ClusterGroup, master: Member): readonly Span[] {
    return this.#spans(
      (effects) => isLost(master, effects) && this.#able(group, master, effects) === undefined,
    )
  }

  able(group: ClusterGroup, master: Member, atMs: number): Able | undefined {
    return this.#able(group, master, this.#at(atMs))
  }

  /** Somewhere a majority of all Sentinels is alive and together. */
  hasMajority(atMs: number): boolean {
    const effects = this.#at(atMs)
    return this.#cluster.sentinels.some(({ host }) => this.#isMajorityNear(host, effects))
  }

  /** Boxes that were cut off from the rest at some time. */
  cutOffBoxes(): ReadonlySet<string> {
    return new Set(this.#effects.flatMap((effect) => (effect.kind === 'split' ? effect.boxes : [])))
  }

  #isUsable(node: Member, effects: readonly Effect[]): boolean {
    if (isDown(node.name, effects)) return false
    return this.#isMajorityNear(node.host, effects)
  }

  #isMajorityNear(box: string, effects: readonly Effect[]): boolean {
    const near = this.#cluster.sentinels.filter(
      (sentinel) => !isDown(sentinel.name, effects) && isTogether(sentinel.host, box, effects),
    )
    return near.length >= majorityOf(this.#cluster)
  }

  #able(group: ClusterGroup, master: Member, effects: readonly Effect[]): Able | undefined {
    const sides = this.#cluster.sentinels.map(({ host }) => {
      const isNear = (member: Member): boolean =>
        !isDown(member.name, effects) && isTogether(member.host, host, effects)
      const nodes = group.nodes.filter((node) => node.name !== master.name && isNear(node))
      const sentinels = this.#cluster.sentinels.filter(isNear).length
      return { sentinels, nodes: nodes.map(({ name }) => name) }
    })
    return sides.find(
      ({ sentinels, nodes }) => sentinels >= majorityOf(this.#cluster) && nodes.length > 0,
    )
  }

  #at(atMs: number): readonly Effect[] {
    return this.#effects.filter(({ fromMs, untilMs }) => fromMs <= atMs && atMs < untilMs)
  }

  #spans(isSo: (effects: readonly Effect[]) => boolean): readonly Span[] {
    const spans: { fromMs: number; untilMs: number }[] = []
    const edges = this.#edges()
    edges.forEach((fromMs, index) => {
      if (!isSo(this.#at(fromMs).filter(({ isSteady }) => isSteady))) return
      const untilMs = edges[index + 1] ?? this.#endMs
      const last = spans.at(-1)
      if (last?.untilMs === fromMs) last.untilMs = untilMs
      else spans.push({ fromMs, untilMs })
    })
    return spans
  }

  /** Moments at which something changes, the start included. */
  #edges(): readonly number[] {
    const moments = [0, ...this.#effects.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs])]
    return [...new Set(moments.filter((atMs) => atMs < this.#endMs))].sort((a, b) => a - b)
  }
}

function isDown(name: string, effects: readonly Effect[]): boolean {
  return effects.some((effect) => effect.kind === 'down' && effect.processes.includes(name))
}

/** Gone for everybody who is not cut off with it. */
function isLost({ name, host }: Member, effects: readonly Effect[]): boolean {
  if (isDown(name, effects)) return true
  return effects.some((effect) => effect.kind === 'split' && effect.boxes.includes(host))
}

/** No cut lies between the two boxes. */
function isTogether(a: string, b: string, effects: readonly Effect[]): boolean {
  return effects.every(
    (effect) => effect.kind !== 'split' || effect.boxes.includes(a) === effect.boxes.includes(b),
  )
}
