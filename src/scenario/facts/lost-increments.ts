/**
 * Which increments of counters are gone, when each counter is known to stand at some number in the
 * end. An acknowledged increment has told the value it made, and in one history of the data values
 * only rise: whoever made a value that the counter does not reach, or that a later increment made
 * again, is gone. Increments nobody was told of stand in the gaps and hide nothing.
 *
 * Two cases cannot be seen. Values that were lost and then made again by increments that were never
 * answered are not counted. And where a history comes back that had been replaced, because its node is
 * promoted again before it has copied the other one, its values count as gone although they are not.
 */
import type { Write } from '../../sim/write-log.ts'

/** `writes` in the order of their attempts; counters missing from `standings` stand at 0. */
export function lostIncrements(
  writes: readonly Write[],
  standings: ReadonlyMap<string, number>,
): ReadonlySet<Write> {
  const lost = new Set<Write>()
  const limits = new Map<string, number>()
  for (const write of writes.toReversed()) {
    const { operation, outcome } = write
    if (operation.kind !== 'increment' || outcome.kind !== 'acknowledged') continue
    const { counter } = operation
    const limit = limits.get(counter) ?? (standings.get(counter) ?? 0) + 1
    // An increment whose value was not kept is taken to be the one before the next.
    const value = outcome.value ?? limit - 1
    if (value < 1 || value >= limit) lost.add(write)
    limits.set(counter, Math.max(1, Math.min(limit, value)))
  }
  return lost
}
