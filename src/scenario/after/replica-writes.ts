import type { Write } from '../../sim/write-log.ts'
import { Lifelines, type RoleSpan } from '../facts/lifelines.ts'
import type { Violation } from '../result.ts'
import type { FinishedRun } from './finished-run.ts'
import { isSetByCommand, settingOf } from './known-settings.ts'

/**
 * A replica never acknowledges the write of a client: not one that was sent when the node had been a
 * replica already, and answered while it still was one.
 */
export function replicaWrites(run: FinishedRun): readonly Violation[] {
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

/** Times in which the node was a replica, whoever its master was and however its link stood. */
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
