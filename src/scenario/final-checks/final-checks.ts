/**
 * What must never happen, and can only be seen when the run is over, because it takes the writes.
 * Meant for worlds in which happenings are recorded at the very moment they are true, like the
 * simulated one.
 */
import type { Write } from '../../history/writes.ts'
import { formatDuration } from '../duration.ts'
import { Lifelines, type RoleSpan } from '../facts/lifelines.ts'
import type { Violation } from '../result.ts'
import { promptFailovers } from './availability.ts'
import type { FinishedRun } from './finished-run.ts'
import { unguardedWrites } from './guarded-writes.ts'
import { misheardMessages } from './heard-messages.ts'
import { isSetByCommand, settingOf } from './known-settings.ts'
import { lostHeldWrites } from './survival.ts'
import { overstatedWaits } from './waited-writes.ts'

/** More examples of the same kind say nothing new. */
const EXAMPLES_MAX = 3

export function violationsAfter(run: FinishedRun): readonly Violation[] {
  const kinds = [
    replicaWrites(run),
    doubledWrites(run),
    unguardedWrites(run),
    overstatedWaits(run),
    misheardMessages(run),
    lostHeldWrites(run),
    promptFailovers(run),
  ]
  return kinds.flatMap((found) => found.slice(0, EXAMPLES_MAX))
}

/**
 * A strict group loses no write that it acknowledged, whatever happened: this needs no clock. The judge of shared keys
 * says the same of theirs (shared-stories.ts).
 */
export function lostStrictWrites({ topology, history }: FinishedRun): readonly Violation[] {
  const strict = topology.groups.filter(({ replication }) => replication === 'strict')
  return strict.flatMap(({ name }) => {
    const missing = [...(history.missing.get(name) ?? [])].slice(0, EXAMPLES_MAX)
    return missing.map(({ client, node, attemptedAtMs: atMs }) => {
      const text = `${node} acknowledged a write that ${client} asked for at ${formatDuration(atMs)}, and the last master has it not`
      return { atMs, checker: 'a strict group loses no acknowledged write', text }
    })
  })
}

/** A world that was further behind the clock than this says nothing about what must have arrived. */
const PROMPT_MS = 1_000

/**
 * What is left of it on real sockets, where happenings are as late as the machine. That a replica took a
 * write needs no clock. That a write had arrived everywhere does, but a coarse one. The lag of a
 * min-replicas fence and the time to fail over are claims about milliseconds, and are not judged.
 * `latestMs`: how far the world was behind at the worst moment.
 */
export function violationsInRealTime(run: FinishedRun, latestMs: number): readonly Violation[] {
  const lost = latestMs < PROMPT_MS ? lostHeldWrites(run) : []
  return [replicaWrites(run), lost].flatMap((found) => found.slice(0, EXAMPLES_MAX))
}

/**
 * A replica never acknowledges a client's write: no write that was sent when the node was a replica
 * already, and answered while it still was one.
 */
function replicaWrites(run: FinishedRun): readonly Violation[] {
  const { topology, history } = run
  const lifelines = new Lifelines(history)
  const guarded = topology.nodes
    .filter((node) => settingOf(node, 'replica-read-only') !== 'no')
    .filter(({ name }) => !isSetByCommand(history, name))
  const spans = new Map(
    guarded.map(({ name }) => [name, replicaSpans(lifelines.of(name).roles)] as const),
  )
  return history.writes.flatMap((write) => {
    const { node, outcome } = write
    if (outcome.kind !== 'acknowledged') return []
    const isWrong = (spans.get(node) ?? []).some((span) => holds(span, write, outcome.atMs))
    if (!isWrong) return []
    const text = `${node} acknowledged a write of ${write.client} although it was a replica`
    return [{ atMs: outcome.atMs, checker: 'replicas refuse writes', text }]
  })
}

type Span = Pick<RoleSpan, 'fromMs' | 'untilMs'>

/**
 * Times in which the node was a replica, whatever its master was and whether its link was up or
 * not.
 */
function replicaSpans(roles: readonly RoleSpan[]): readonly Span[] {
  const spans: { fromMs: number; untilMs: number }[] = []
  for (const { role, fromMs, untilMs } of roles) {
    if (role.kind !== 'replica') continue
    const last = spans.at(-1)
    if (last?.untilMs === fromMs) last.untilMs = untilMs
    else spans.push({ fromMs, untilMs })
  }
  return spans
}

function holds({ fromMs, untilMs }: Span, { attemptedAtMs }: Write, answeredAtMs: number): boolean {
  return attemptedAtMs > fromMs && answeredAtMs < untilMs
}

/**
 * No write is carried out twice. A counter that one client alone increments cannot be higher than the number of times
 * it was asked to: the answer to its n-th increment is n at most, and less if some were lost.
 */
export function doubledWrites({ history }: FinishedRun): readonly Violation[] {
  const asked = new Map<string, number>()
  return history.writes.flatMap((write) => {
    const { operation } = write
    if (operation.kind !== 'increment') return []
    const count = (asked.get(operation.counter) ?? 0) + 1
    asked.set(operation.counter, count)
    return violationOf(write, operation.counter, count)
  })
}

function violationOf({ client, outcome }: Write, counter: string, count: number): Violation[] {
  if (outcome.kind !== 'acknowledged' || (outcome.value ?? 0) <= count) return []
  const text = `${client} was told ${outcome.value} by its increment number ${count} of ${counter}`
  return [{ checker: 'no write is carried out twice', atMs: outcome.atMs, text }]
}
