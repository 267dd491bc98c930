/**
 * A master with `min-replicas-to-write` acknowledges nothing once it could have heard from too few
 * replicas for `min-replicas-max-lag`. The node counts lag in whole seconds and checks it once a
 * second, hence two more. The master could hear from a replica while the replica ran, followed this
 * node, and its messages arrived; what a replica had sent into a partition arrives after that,
 * whether it still runs or not. What the node sends has to arrive as well: without TCP's
 * acknowledgements the replica soon sends nothing new.
 *
 * A node that was stopped, or hung, for longer than the lag allows has heard from no replica
 * meanwhile, whatever waited in its kernel: before it acknowledges anything, a replica must have
 * been there since it continued.
 *
 * The check says nothing about a node whose clocks ran wrong, nor after any path was made slow,
 * because acknowledgements may then arrive at any later time.
 */

import { Troubles } from '../../history/checkers/troubles.ts'
import type { Happening, ProcessStatus } from '../../history/happening.ts'
import type { NodeSpec } from '../../history/topology.ts'
import type { Write } from '../../history/writes.ts'
import type { Violation } from '../result.ts'
import type { FinishedRun } from './finished-run.ts'
import { isSetByCommand, settingOf } from './known-settings.ts'

const ROUNDING_MS = 2_500
/** The first wait for a retransmission, and the time on the way. */
const RETRANSMISSION_MS = 1_000
/**
 * A replica acknowledges once a second, and once more, because it does not learn that it was heard.
 */
const LAST_WORD_MS = 1_500
/**
 * A stop that exceeds the lag by less than this may look shorter to the node, which counts in
 * seconds.
 */
const STOP_ROUNDING_MS = 1_000

interface Guard {
  readonly node: NodeSpec
  readonly needed: number
  readonly windowMs: number
  /** A node that was stopped for longer than this knows of no replica that follows closely. */
  readonly longStopMs: number
}

export function unguardedWrites(run: FinishedRun): readonly Violation[] {
  const { topology, history } = run
  const guards = topology.nodes.flatMap((node) => guardOf(node, run))
  return guards.flatMap((guard) => {
    const contacts = new Contacts(guard, run)
    const writes = history.writes.filter(({ node }) => node === guard.node.name)
    return writes.flatMap((write) => judge(write, guard, contacts))
  })
}

function guardOf(node: NodeSpec, { topology, history }: FinishedRun): readonly Guard[] {
  const needed = Number(settingOf(node, 'min-replicas-to-write') ?? 0)
  const maxLag = Number(settingOf(node, 'min-replicas-max-lag') ?? 10)
  if (!(needed > 0) || !(maxLag > 0) || isSetByCommand(history, node.name)) return []
  const all = [topology.latency, ...topology.ways.map(({ latency }) => latency)]
  const latencyMs = Math.max(...all.map(({ baseMs, jitterMs }) => baseMs + jitterMs))
  const lagMs = maxLag * 1_000
  const windowMs = lagMs + ROUNDING_MS + 2 * latencyMs
  return [{ node, needed, windowMs, longStopMs: lagMs + STOP_ROUNDING_MS }]
}

function judge(write: Write, { node, needed }: Guard, contacts: Contacts): Violation[] {
  const { outcome, attemptedAtMs } = write
  if (outcome.kind !== 'acknowledged') return []
  const fromMs = contacts.countsFrom(attemptedAtMs, outcome.atMs)
  if (fromMs === undefined) return []
  const count = contacts.count(fromMs, outcome.atMs)
  if (count >= needed) return []
  const text = `${node.name} acknowledged a write although it could have heard of ${count} replicas, not ${needed}, in the last ${outcome.atMs - fromMs} ms`
  return [{ atMs: outcome.atMs, checker: 'min-replicas-to-write holds', text }]
}

/** A time in which the master did not run. */
interface Halt {
  readonly fromMs: number
  untilMs: number
  /** The master died, and started anew without a replica. */
  isDeath: boolean
}

interface Span {
  readonly fromMs: number
  untilMs: number
}

/** When the master could hear from each replica. */
class Contacts {
  readonly #spans = new Map<string, Span[]>()
  readonly #closedSinceMs = new Map<string, number>()
  readonly #guard: Guard
  readonly #halts: Halt[] = []
  /** From then on the check says nothing. */
  #blindFromMs = Number.POSITIVE_INFINITY

  constructor(guard: Guard, { topology, history }: FinishedRun) {
    const { node } = guard
    this.#guard = guard
    const others = topology.nodes.filter(
      ({ name, group }) => name !== node.name && group === node.group,
    )
    const troubles = new Troubles(topology)
    const running = new Set<string>()
    const followed = new Map<string, string>()
    for (const happening of history.happenings) {
      troubles.note(happening)
      this.#noteMaster(node.name, happening)
      const { process = '' } = happening
      if (happening.kind === 'status') {
        if (happening.status === 'running') running.add(process)
        else running.delete(process)
      } else if (happening.kind === 'role') {
        const { role } = happening
        followed.set(process, role.kind === 'replica' ? history.nameOf(role.master) : '')
      } else if (happening.kind !== 'fault') continue
      for (const { name } of others) {
        const follows = followed.get(name) === node.name
        const isHeard = troubles.passes(name, node.name)
        const isOpen = isHeard && troubles.passes(node.name, name)
        this.#noteWay(name, isOpen, happening.atMs)
        const isThere = running.has(name) && follows
        const lastMs = isThere && isHeard ? happening.atMs + LAST_WORD_MS : happening.atMs
        this.#mark(name, isThere && isOpen, happening.atMs, lastMs)
      }
    }
  }

  /** From when on a replica counts for a write; undefined: the check says nothing. */
  countsFrom(attemptedAtMs: number, answeredAtMs: number): number | undefined {
    if (answeredAtMs >= this.#blindFromMs) return undefined
    const { windowMs, longStopMs } = this.#guard
    let fromMs = attemptedAtMs - windowMs
    for (const { fromMs: haltMs, untilMs, isDeath } of this.#halts.toReversed()) {
      // Until the master continues, only what it answered before the halt can be heard.
      if (untilMs > answeredAtMs || untilMs < fromMs) continue
      const isLong = isDeath || untilMs - haltMs > longStopMs
      if (isLong && haltMs < attemptedAtMs) return Math.max(fromMs, untilMs)
      // What the master counted before the halt may be older by its length.
      fromMs -= untilMs - haltMs
    }
    return fromMs
  }

  /** How many replicas the master could hear from at some time in between. */
  count(fromMs: number, untilMs: number): number {
    const meets = (span: Span): boolean => span.fromMs <= untilMs && span.untilMs >= fromMs
    return [...this.#spans.values()].filter((spans) => spans.some(meets)).length
  }

  #noteMaster(master: string, happening: Happening): void {
    const { atMs, process } = happening
    if (happening.kind === 'status' && process === master) this.#noteStatus(happening.status, atMs)
    if (happening.kind !== 'fault') return
    const { action } = happening
    const isDrift = action?.kind === 'clockDrift' && action.process === master
    if (isDrift || action?.kind === 'shape') this.#blindFromMs = Math.min(this.#blindFromMs, atMs)
  }

  #noteStatus(status: ProcessStatus, atMs: number): void {
    const last = this.#halts.at(-1)
    const standing = last?.untilMs === Number.POSITIVE_INFINITY ? last : undefined
    if (status === 'running') {
      if (standing !== undefined) standing.untilMs = atMs
    } else if (standing === undefined) {
      const isDeath = status === 'down'
      this.#halts.push({ fromMs: atMs, untilMs: Number.POSITIVE_INFINITY, isDeath })
    } else if (status === 'down') standing.isDeath = true
  }

  /**
   * What a closed path held back comes with the next retransmission: after at most the same time
   * again.
   */
  #noteWay(replica: string, isOpen: boolean, atMs: number): void {
    const sinceMs = this.#closedSinceMs.get(replica)
    if (!isOpen && sinceMs === undefined) this.#closedSinceMs.set(replica, atMs)
    if (!isOpen || sinceMs === undefined) return
    this.#closedSinceMs.delete(replica)
    const untilMs = atMs + (atMs - sinceMs) + RETRANSMISSION_MS
    this.#spansOf(replica).unshift({ fromMs: atMs, untilMs })
  }

  #spansOf(replica: string): Span[] {
    const spans = this.#spans.get(replica) ?? []
    this.#spans.set(replica, spans)
    return spans
  }

  #mark(replica: string, isHeard: boolean, atMs: number, lastMs: number): void {
    const spans = this.#spansOf(replica)
    const last = spans.at(-1)
    const isOpen = last !== undefined && last.untilMs === Number.POSITIVE_INFINITY
    if (isHeard && !isOpen) spans.push({ fromMs: atMs, untilMs: Number.POSITIVE_INFINITY })
    else if (!isHeard && isOpen) last.untilMs = lastMs
  }
}
