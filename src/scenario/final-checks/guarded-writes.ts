/**
 * A master with `min-replicas-to-write` acknowledges nothing once it could have heard from too few
 * replicas (contacts.ts) for `min-replicas-max-lag`. The node counts lag in whole seconds and checks it
 * once a second, hence two more.
 *
 * A node that was stopped, or hung, for longer than the lag allows has heard from no replica
 * meanwhile, whatever waited in its kernel: before it acknowledges anything, a replica must have
 * been there since it continued.
 *
 * The check says nothing about a node whose clocks ran wrong, nor after any path was made slow,
 * because acknowledgements may then arrive at any later time.
 */

import type { Happening, ProcessStatus } from '../../history/happening.ts'
import type { NodeSpec } from '../../history/topology.ts'
import type { Write } from '../../history/writes.ts'
import type { Violation } from '../result.ts'
import { Contacts } from './contacts.ts'
import type { FinishedRun } from './finished-run.ts'
import { isSetByCommand, settingOf } from './known-settings.ts'

const ROUNDING_MS = 2_500
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
    const contacts = new Contacts(guard.node.name, run)
    const halts = new Halts(guard, run)
    const writes = history.writes.filter(({ node }) => node === guard.node.name)
    return writes.flatMap((write) => judge(write, guard, { contacts, halts }))
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

interface Evidence {
  readonly contacts: Contacts
  readonly halts: Halts
}

function judge(write: Write, { node, needed }: Guard, { contacts, halts }: Evidence): Violation[] {
  const { outcome, attemptedAtMs } = write
  if (outcome.kind !== 'acknowledged') return []
  const fromMs = halts.countsFrom(attemptedAtMs, outcome.atMs)
  if (fromMs === undefined) return []
  const count = contacts.between(fromMs, outcome.atMs).length
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

/** When the master did not run, and when nothing can be said about it. */
class Halts {
  readonly #guard: Guard
  readonly #halts: Halt[] = []
  /** From then on the check says nothing. */
  #blindFromMs = Number.POSITIVE_INFINITY

  constructor(guard: Guard, { history }: FinishedRun) {
    this.#guard = guard
    for (const happening of history.happenings) this.#noteMaster(guard.node.name, happening)
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
}
