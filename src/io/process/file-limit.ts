/**
 * How many files and connections the system lets this process have open. Node raises its soft limit to
 * the hard one when it starts, so the limit that the kernel reports afterwards is final.
 */
import { readFileSync } from 'node:fs'

/**
 * What the node itself may need at the same time: its log, its data files, links, and the engine's own
 * files.
 */
const RESERVED_FILES = 64

/** How many clients there is room for. Undefined if the system does not say. */
export function clientRoom(limits: string | undefined = readLimits()): number | undefined {
  const soft = /^Max open files +(\d+)/m.exec(limits ?? '')?.[1]
  return soft === undefined ? undefined : Math.max(1, Number(soft) - RESERVED_FILES)
}

/** What the log says of a limit that could not be kept. */
export function loweredClients(setting: string, clients: number, wanted: number): string {
  return (
    `${setting} is ${clients} instead of ${wanted}: this process may open no more files. ` +
    'Raise the limit (ulimit -n, LimitNOFILE of the unit)'
  )
}

function readLimits(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'latin1')
  } catch {
    // Only Linux has this file; elsewhere maxclients is not lowered.
    return undefined
  }
}
