/**
 * [proto-max-bulk-len] [client-query-buffer-limit] Never more than the heap has room for: several copies of a
 * value exist while it is received, kept and passed on. With 4 GB and more the longest string is the only
 * limit.
 */
import { MAX_BULK_BYTES } from '../../resp/input.ts'
import { VALUE_SHARE } from '../../server/memory/heap-guard.ts'
import type { Settings } from '../../server/settings/settings.ts'

const MIB = 1024 * 1024

type Limited = 'proto-max-bulk-len' | 'client-query-buffer-limit'

/** Those limited by the heap more than by the longest string, which is a limit in any case. */
function roomFor(heapBytes: number): readonly (readonly [name: Limited, roomBytes: number])[] {
  const valueBytes = Math.max(MIB, Math.floor(heapBytes * VALUE_SHARE))
  const rooms = [
    ['proto-max-bulk-len', valueBytes],
    ['client-query-buffer-limit', 2 * valueBytes],
  ] as const
  return rooms.filter(([, roomBytes]) => roomBytes < MAX_BULK_BYTES)
}

/** Lowers them. Returns a line for the log if it had to. */
export function fitToHeap(settings: Settings, heapBytes: number): string | undefined {
  const lowered: string[] = []
  for (const [name, roomBytes] of roomFor(heapBytes)) {
    const wanted = settings.int(name)
    if (wanted <= roomBytes) continue
    settings.set(name, `${roomBytes}`)
    lowered.push(`${name} is ${roomBytes} instead of ${wanted}`)
  }
  if (lowered.length === 0) return undefined
  return (
    `${lowered.join(', ')}: the heap of this process has ${Math.round(heapBytes / MIB)} MB. ` +
    'Start with a larger one: NODE_OPTIONS=--max-old-space-size=<MB>'
  )
}

/** Prevents CONFIG SET from raising them again. */
export function guardHeap(settings: Settings, heapBytes: number): void {
  for (const [name, roomBytes] of roomFor(heapBytes)) {
    settings.guard([name], () =>
      settings.int(name) > roomBytes
        ? `argument must be between 1048576 and ${roomBytes}: the heap has no room for more`
        : undefined,
    )
  }
}
