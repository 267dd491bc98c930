/**
 * How many files and connections the system lets this process have open. Node raises its soft limit to
 * the hard one when it starts, so what the kernel says then is what there is.
 */
import { readFileSync } from 'node:fs'

/** What the node itself needs at the same time: its log, its data files, links, and the engine's own. */
const RESERVED_FILES = 64

/** How many clients there is room for. Undefined: the system does not say. */
export function clientRoom(limits: string | undefined = readLimits()): number | undefined {
  const soft = /^Max open files +(\d+)/m.exec(limits ?? '')?.[1]
  return soft === undefined ? undefined : Math.max(1, Number(soft) - RESERVED_FILES)
}

function readLimits(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'latin1')
  } catch {
    // Only Linux has this file; elsewhere nothing is lowered.
    return undefined
  }
}
