/**
 * No write is carried out twice. A counter that one client alone increments cannot be higher than the number of times
 * it was asked to: the answer to its n-th increment is n at most, and less if some were lost.
 */
import type { Write } from '../../history/writes.ts'
import type { Violation } from '../result.ts'
import type { FinishedRun } from './finished-run.ts'

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
