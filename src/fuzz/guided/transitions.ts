/**
 * What happened to Sentinels in which state of a failover: each event of a run together with the state that
 * its Sentinel had told last. A run that shows a new pair has shown the machines a new situation.
 */
import type { Happening } from '../../history/happening.ts'

const STATE = /^\+failover-state-|^\+try-failover$|^\+elected-leader$|^\+promoted-slave$/
const END = /^\+failover-end|^-failover-abort|^\+switch-master$/
const NO_FAILOVER = 'none'

/** `+elected-leader × +tilt`: each pair once. */
export function transitionsOf(happenings: readonly Happening[]): string[] {
  const states = new Map<string, string>()
  const found = new Set<string>()
  for (const happening of happenings) {
    const process = happening.process ?? ''
    const what = happening.kind === 'event' ? happening.name : wordFor(happening)
    if (what === undefined) continue
    found.add(`${states.get(process) ?? NO_FAILOVER} × ${what}`)
    if (END.test(what)) states.delete(process)
    else if (STATE.test(what)) states.set(process, what)
  }
  return [...found]
}

/** What happens to a process from outside. */
function wordFor(happening: Happening): string | undefined {
  return happening.kind === 'status' ? happening.status : undefined
}
