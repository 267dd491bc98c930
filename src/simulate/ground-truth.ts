/**
 * The truth about a history, which no process in it can know: whether a majority of the Sentinels
 * could reach a working master, and whether a majority was left that could have replaced it.
 */

import {
  type ClusterGroup,
  type ClusterMember,
  heirsNeeded,
  isStrictGroup,
  majorityOf,
  type SimulatedCluster,
  votersOf,
} from './cluster.ts'
import type { IncidentEffect } from './incident-effects.ts'

export interface TruthSpan {
  readonly fromMs: number
  readonly untilMs: number
}

/** The processes that could replace a master: alive, and on the same side of every cut. */
export interface Able {
  readonly sentinels: number
  readonly nodes: number
}

export class GroundTruth {
  readonly #cluster: SimulatedCluster
  readonly #effects: readonly IncidentEffect[]
  readonly #endMs: number

  constructor(cluster: SimulatedCluster, effects: readonly IncidentEffect[], endMs: number) {
    this.#cluster = cluster
    const strict = cluster.groups.filter(isStrictGroup).flatMap(({ nodes }) => nodes)
    const names = new Set(strict.map(({ name }) => name))
    this.#effects = effects.flatMap((effect) => withLostVotes(effect, names))
    this.#endMs = endMs
  }

  /** Whether it runs, and can reach a living majority of all Sentinels. */
  isUsable(node: ClusterMember, atMs: number): boolean {
    return this.#isUsable(node, this.#at(atMs))
  }

  /** The same, at some moment of the span. */
  isEverUsable(node: ClusterMember, span: TruthSpan): boolean {
    const inside = this.#edges().filter((atMs) => atMs > span.fromMs && atMs <= span.untilMs)
    return [span.fromMs, ...inside].some((atMs) => this.isUsable(node, atMs))
  }

  /** The spans during which it was unusable without a break, ignoring what only comes and goes. */
  unusableSpans(node: ClusterMember): readonly TruthSpan[] {
    return this.#spans((effects) => !this.#isUsable(node, effects))
  }

  /** When the master was lost and others could have replaced it. */
  replaceableSpans(group: ClusterGroup, master: ClusterMember): readonly TruthSpan[] {
    return this.#spans(
      (effects) =>
        !this.#isUsable(master, effects) && this.#able(group, master, effects) !== undefined,
    )
  }

  /**
   * When the master did not run or was cut off, and no majority with a replica could have replaced
   * it.
   */
  hopelessSpans(group: ClusterGroup, master: ClusterMember): readonly TruthSpan[] {
    return this.#spans(
      (effects) => isLost(master, effects) && this.#able(group, master, effects) === undefined,
    )
  }

  able(group: ClusterGroup, master: ClusterMember, atMs: number): Able | undefined {
    return this.#able(group, master, this.#at(atMs))
  }

  /** Whether a majority of all Sentinels is alive and together somewhere. */
  hasMajority(atMs: number): boolean {
    const effects = this.#at(atMs)
    return this.#cluster.sentinels.some(({ host }) => this.#isMajorityNear(host, effects))
  }

  /** Boxes that were cut off from the rest at some time. */
  cutOffBoxes(): ReadonlySet<string> {
    return new Set(this.#effects.flatMap((effect) => (effect.kind === 'split' ? effect.boxes : [])))
  }

  #isUsable(node: ClusterMember, effects: readonly IncidentEffect[]): boolean {
    if (isDown(node.name, effects)) return false
    return this.#isMajorityNear(node.host, effects)
  }

  #isMajorityNear(box: string, effects: readonly IncidentEffect[]): boolean {
    const near = this.#cluster.sentinels.filter(
      (sentinel) => !isDown(sentinel.name, effects) && isTogether(sentinel.host, box, effects),
    )
    return near.length >= majorityOf(this.#cluster)
  }

  #able(
    group: ClusterGroup,
    master: ClusterMember,
    effects: readonly IncidentEffect[],
  ): Able | undefined {
    const candidates = isStrictGroup(group) ? votersOf(group) : group.nodes
    const sides = this.#cluster.sentinels.map(({ host }) => {
      const isNear = (member: ClusterMember): boolean =>
        !isDown(member.name, effects) && isTogether(member.host, host, effects)
      const heirs = candidates.filter((node) => node.name !== master.name && isNear(node))
      const sentinels = this.#cluster.sentinels.filter(isNear).length
      return { sentinels, nodes: heirs.length }
    })
    return sides.find(
      ({ sentinels, nodes }) =>
        sentinels >= majorityOf(this.#cluster) && nodes >= heirsNeeded(group),
    )
  }

  #at(atMs: number): readonly IncidentEffect[] {
    return this.#effects.filter(({ fromMs, untilMs }) => fromMs <= atMs && atMs < untilMs)
  }

  #spans(isSo: (effects: readonly IncidentEffect[]) => boolean): readonly TruthSpan[] {
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

  /** Moments at which something changes, including the start. */
  #edges(): readonly number[] {
    const moments = [0, ...this.#effects.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs])]
    return [...new Set(moments.filter((atMs) => atMs < this.#endMs))].sort((a, b) => a - b)
  }
}

/** A node of a strict group that ends is no master afterwards, and has no vote before it finds one. */
function withLostVotes(effect: IncidentEffect, strict: ReadonlySet<string>): IncidentEffect[] {
  if (effect.kind !== 'down' || effect.isRestart !== true) return [effect]
  const processes = effect.processes.filter((name) => strict.has(name))
  if (processes.length === 0) return [effect]
  return [effect, { ...effect, processes, untilMs: Number.POSITIVE_INFINITY }]
}

function isDown(name: string, effects: readonly IncidentEffect[]): boolean {
  return effects.some((effect) => effect.kind === 'down' && effect.processes.includes(name))
}

/** Whether it is lost to every process that is not cut off together with it. */
function isLost({ name, host }: ClusterMember, effects: readonly IncidentEffect[]): boolean {
  if (isDown(name, effects)) return true
  return effects.some((effect) => effect.kind === 'split' && effect.boxes.includes(host))
}

/** Whether no cut lies between the two boxes. */
function isTogether(a: string, b: string, effects: readonly IncidentEffect[]): boolean {
  return effects.every(
    (effect) => effect.kind !== 'split' || effect.boxes.includes(a) === effect.boxes.includes(b),
  )
}
