/**
 * [SENTINEL SIMULATE-FAILURE] Dies on demand at the two moments of a failover at which the other
 * Sentinels have to carry on: elected with nothing done yet, and with a replica promoted without any
 * other Sentinel knowing.
 */
import type { Turn } from '../state.ts'
import { emit, log } from '../turn.ts'

const CRASH_STATUS = 99

/** True: this process ends now, and nothing more is to be done. */
export function crashesAfter(turn: Turn, moment: 'election' | 'promotion'): boolean {
  const { state } = turn
  if (!state.crashesAfter[moment]) return false
  log(turn, 'warning', `Failure simulation: this Sentinel ends now, after the ${moment}`)
  state.stopping = true
  emit(turn, { kind: 'exit', status: CRASH_STATUS })
  return true
}
