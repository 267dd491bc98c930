/**
 * What becomes of `maxmemory`, or of its absence, in a process that is started where `vedette check` runs: its
 * heap ends where Node says, and a container may end it before.
 */
import type { Problem, ProblemCode } from '../../config/problem.ts'
import { type ProcessMemory, processMemory } from '../../io/process/heap-meter.ts'
import { humanBytes } from '../../server/arguments/numbers.ts'
import { roomForEviction } from '../../server/memory/eviction.ts'
import { REFUSE_SHARE } from '../../server/memory/heap-guard.ts'
import type { Settings } from '../../server/settings/settings.ts'

/** Where a directive stands. */
type Place = (directive: string) => Pick<Problem, 'file' | 'line' | 'column' | 'path'>

const LARGER_HEAP = 'start it with NODE_OPTIONS=--max-old-space-size=<MB>'

export function memoryProblems(
  settings: Settings,
  locate: Place,
  { heapBytes, containerBytes }: ProcessMemory = processMemory(),
): Problem[] {
  const limit = settings.int('maxmemory')
  const policy = settings.text('maxmemory-policy')
  const evicts = policy !== 'noeviction'
  const warning = (
    directive: string,
    code: ProblemCode,
    message: string,
    hint: string,
  ): Problem => {
    return { severity: 'warning', code, ...locate(directive), message, hint }
  }
  const refusedFrom = humanBytes(Math.floor(heapBytes * REFUSE_SHARE))
  if (limit === 0 && evicts) {
    const message = `${policy} without maxmemory: no key is ever evicted`
    const hint = `set maxmemory; a process started here has room for ${humanBytes(roomForEviction(heapBytes))}`
    return [warning('maxmemory-policy', 'W_NEVER_EVICTS', message, hint)]
  }
  if (limit === 0 && containerBytes !== undefined) {
    const message =
      `no maxmemory in a container of ${humanBytes(containerBytes)}: writes are refused (-OOM) when ` +
      `${refusedFrom} of the heap are in use`
    const hint = `set maxmemory below that, with a policy, or ${LARGER_HEAP}`
    return [warning('maxmemory', 'W_CONTAINER_LIMIT', message, hint)]
  }
  const room = evicts ? roomForEviction(heapBytes) : Math.floor(heapBytes * REFUSE_SHARE)
  if (limit <= room) return []
  const then = evicts
    ? `keys are evicted from ${humanBytes(room)} on`
    : `writes are refused (-OOM) from ${refusedFrom} on`
  const message = `${humanBytes(limit)} is more than the heap of a process started here can hold: ${then}`
  return [warning('maxmemory', 'W_MAXMEMORY_ABOVE_HEAP', message, LARGER_HEAP)]
}
