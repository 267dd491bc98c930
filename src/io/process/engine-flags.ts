/**
 * Flags of the JavaScript engine that are set while it runs. What it has compiled can be kept for the next
 * start (launch/code-cache.cjs), and the engine then asks for the same flags as at its making, which at
 * that start are those of the command line. So all that was set here can be put back for a moment.
 */
import { setFlagsFromString } from 'node:v8'

/** By the flag that undoes it: the one that is in effect. */
const inEffect = new Map<string, string>()

/** `undo` is the flag that brings back the default. */
export function setEngineFlag(flag: string, undo: string): void {
  inEffect.set(undo, flag)
  setFlagsFromString(flag)
}

/** Runs it with the flags of the command line. It must not wait for anything. */
export function withoutOwnFlags<Result>(work: () => Result): Result {
  for (const undo of inEffect.keys()) setFlagsFromString(undo)
  try {
    return work()
  } finally {
    for (const flag of inEffect.values()) setFlagsFromString(flag)
  }
}
