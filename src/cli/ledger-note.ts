/**
 * That a ledger was sent is noted beside it, `<ledger>.replayed`: INCR and RPUSH sent twice count twice. It
 * is written before the first command leaves, for one that was cut off half-way has been sent as well.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { reasonOf } from '../io/start-error.ts'

/** When and where it was sent last; undefined: nobody noted that it was. */
export function lastReplay(ledger: string): string | undefined {
  try {
    return readFileSync(noteOf(ledger), 'utf8').trim().split('\n').at(-1)
  } catch {
    // Mostly there is none. One that cannot be read cannot be added to either, which is told then.
    return undefined
  }
}

/** Undefined: noted. Otherwise why not. */
export function noteReplay(ledger: string, target: string, at: Date): string | undefined {
  try {
    appendFileSync(noteOf(ledger), `${at.toISOString()} to ${target}\n`)
    return undefined
  } catch (error) {
    return reasonOf(error)
  }
}

function noteOf(ledger: string): string {
  return `${ledger}.replayed`
}
