/**
 * A master with `min-replicas-to-write` acknowledges nothing once too few replicas could have been
 * heard of for `min-replicas-max-lag`: lag is counted in whole seconds and looked at once a second,
 * hence two more. A replica could be heard of while it ran, followed this node, and what it sent
 * arrived; what it had sent into a partition arrives after that, whether it still runs or not.
 *
 * Nothing is said of a node that hung meanwhile or whose clocks ran wrong, nor once the way of what is
 * sent was made slow, because acknowledgements may then arrive at any later time.
 */

import { Troubles } from '../../sim/checkers/troubles.ts'
import type { Happening } from '../../sim/happening.ts'
import type { NodeSpec } from '../../sim/topology.ts'
import type { Write } from '../../sim/write-log.ts'
import type { Violation } from '../result.ts'
import type { FinishedRun } from './finished-run.ts'
import { isSetByCommand, settingOf } from './known-settings.ts'

const ROUNDING_MS = 2_500
/** The first wait for a retransmission, and the way. */
const RETRANSMISSION_MS = 1_000

interface Guard {
  readonly node: NodeSpec
  readonly needed: number
  readonly windowMs: number
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
  return [{ node, needed, windowMs: maxLag * 1_000 + ROUNDING_MS + 2 * latencyMs }]
}

function judge(write: Write, { node, needed, windowMs }: Guard, contacts: Contacts): Violation[] {
  const { outcome, attemptedAtMs } = write
  if (outcome.kind !== 'acknowledged') return []
  const fromMs = attemptedAtMs - windowMs
  if (contacts.areUnknown(fromMs, outcome.atMs)) return []
  const count = contacts.count(fromMs, outcome.atMs)
  if (count >= needed) return []
  const text = `${node.name} acknowledged a write although it could have heard of ${count} replicas, not ${needed}, in the last ${windowMs} ms`
  return [{ atMs: outcome.atMs, checker: 'min-replicas-to-write holds', text }]
}

interface Span {
  readonly fromMs: number
  untilMs: number
}

/** When each replica could be heard of by one master. */
class Contacts {
  readonly #spans = new Map<string, Span[]>()
  readonly #closedSinceMs = new Map<string, number>()
  /** Moments at which the master stopped to run: what it counted before may be old when it goes on. */
  readonly #halts: number[] = []
  /** From then on nothing can be said. */
  #blindFromMs = Number.POSITIVE_INFINITY

  constructor({ node }: Guard, { topology, history }: FinishedRun) {
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
        const isOpen = troubles.passes(name, node.name)
        this.#noteWay(name, isOpen, happening.atMs)
        this.#mark(name, running.has(name) && follows && isOpen, happening.atMs)
      }
    }
  }

  areUnknown(fromMs: number, untilMs: number): boolean {
    if (untilMs >= this.#blindFromMs) return true
    return this.#halts.some((atMs) => atMs >= fromMs && atMs <= untilMs)
  }

  /** How many replicas could be heard of at some time in between. */
  count(fromMs: number, untilMs: number): number {
    const meets = (span: Span): boolean => span.fromMs <= untilMs && span.untilMs >= fromMs
    return [...this.#spans.values()].filter((spans) => spans.some(meets)).length
  }

  #noteMaster(master: string, happening: Happening): void {
    const { atMs, process } = happening
    if (happening.kind === 'status' && process === master) this.#halts.push(atMs)
    if (happening.kind !== 'fault') return
    const { action } = happening
    const isDrift = action?.kind === 'clockDrift' && action.process === master
    if (isDrift || action?.kind === 'shape') this.#blindFromMs = Math.min(this.#blindFromMs, atMs)
  }

  /** What a closed way held back comes with the next retransmission: one more time as long, at most. */
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

  #mark(replica: string, isHeard: boolean, atMs: number): void {
    const spans = this.#spansOf(replica)
    const last = spans.at(-1)
    const isOpen = last !== undefined && last.untilMs === Number.POSITIVE_INFINITY
    if (isHeard && !isOpen) spans.push({ fromMs: atMs, untilMs: Number.POSITIVE_INFINITY })
    else if (!isHeard && isOpen) last.untilMs = atMs
  }
}
