import type { Read, Write } from '../../sim/write-log.ts'
import type { StaleReads } from '../result.ts'
import type { History } from '../world.ts'
import { mastersInTurn, reignAt } from './reigns.ts'

/** Reads that an earlier promise contradicts. */
export function countStaleReads(group: string, history: History): StaleReads {
  const promised = promisesOf(group, history.writes)
  const reigns = mastersInTurn(group, history)
  const counts = { fromDeposed: 0, afterLoss: 0 }
  for (const read of history.reads) {
    if (read.group !== group || !isStale(read, promised.get(read.key) ?? [])) continue
    const rightful = reigns[reignAt(reigns, read.atMs)]?.master ?? read.node
    if (rightful === read.node) counts.afterLoss++
    else counts.fromDeposed++
  }
  return counts
}

/** From this moment on nobody may read an older value of the register. */
interface Promised {
  readonly atMs: number
  readonly value: number
}

/** By register, in the order of time; values that are no news are left out. */
function promisesOf(
  group: string,
  writes: readonly Write[],
): ReadonlyMap<string, readonly Promised[]> {
  const promises = new Map<string, Promised[]>()
  for (const { group: own, operation, outcome } of writes) {
    if (own !== group || operation.kind !== 'assign' || outcome.kind !== 'acknowledged') continue
    const promise = { atMs: outcome.atMs, value: operation.value }
    const known = promises.get(operation.key)
    if (known === undefined) promises.set(operation.key, [promise])
    // One client writes a register, each value on one connection and greater than the one before.
    else if (promise.value > (known.at(-1)?.value ?? 0)) known.push(promise)
  }
  return promises
}

function isStale(read: Read, promises: readonly Promised[]): boolean {
  const newest = promises[placeBefore(promises, read.attemptedAtMs) - 1]
  return newest !== undefined && newest.value > (read.value ?? Number.NEGATIVE_INFINITY)
}

/** How many of them were made up to this moment. */
function placeBefore(promises: readonly Promised[], atMs: number): number {
  let [low, high] = [0, promises.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((promises[middle]?.atMs ?? 0) <= atMs) low = middle + 1
    else high = middle
  }
  return low
}
