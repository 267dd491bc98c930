/**
 * Periodic work of healthy instances comes on a common grid, so that the process wakes ten times a
 * second, however many instances it watches, and not once for each of them. Who comes in which slot of
 * its period depends on its name alone: spread evenly, and the same after a restart.
 *
 * Only what is periodic belongs here. Deadlines, and whatever waits for a change, stay exact.
 */
export const GRID_MS = 100

/**
 * The next round of work that comes every `intervalMs`: never later than that, and less than one slot
 * early where the interval is no multiple of the grid. Below the grid's own width it is exact.
 */
export function nextRoundMs(nowMs: number, intervalMs: number, slot: number): number {
  if (intervalMs < GRID_MS) return nowMs + intervalMs
  const periodMs = intervalMs - (intervalMs % GRID_MS)
  const offsetMs = (slot * GRID_MS) % periodMs
  return nowMs + periodMs - modulo(nowMs - offsetMs, periodMs)
}

/** A slot for a name; any number of slots can be made of it [FNV-1a, 32 bits]. */
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
