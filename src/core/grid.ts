/**
 * Periodic work of healthy instances comes on a common grid, so that the process wakes ten times a
 * second however many instances it watches, and not once for each of them. The name of an instance
 * alone decides its slot in the period, so the slots are spread evenly and are the same after a
 * restart.
 *
 * Only periodic work belongs here. Deadlines, and everything that waits for a change, stay exact.
 */
export const GRID_MS = 100

/**
 * The next round of work that comes every `intervalMs`: never later than that, and less than one
 * slot early if the interval is no multiple of the grid. Intervals shorter than the grid's width
 * are exact.
 */
export function nextRoundMs(nowMs: number, intervalMs: number, slot: number): number {
  if (intervalMs < GRID_MS) return nowMs + intervalMs
  const periodMs = intervalMs - (intervalMs % GRID_MS)
  const offsetMs = (slot * GRID_MS) % periodMs
  return nowMs + periodMs - modulo(nowMs - offsetMs, periodMs)
}

/** A slot for a name, from which the caller can make any number of slots [FNV-1a, 32 bits]. */
export function slotOf(name: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < name.length; at++) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  }
  return hash >>> 0
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor
}
