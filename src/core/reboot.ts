/**
 * [master-reboot-down-after-period] A master that was restarted answers LOADING while it reads its data
 * set, and LOADING counts as alive: with much data nobody writes for minutes, and nobody fails over. So a
 * restart can be given a limit of its own. Only PONG, the end of the loading, lifts it.
 *
 * A master that comes back empty says PONG at once and is not caught by this, in C Sentinel neither.
 */
import { sendPing } from './ping.ts'
import type { Master, Turn } from './state.ts'

/** INFO showed another run id than before: the process is a new one. */
export function noteReboot(turn: Turn, master: Master): void {
  if (master.group.config.rebootDownAfterMs === 0) return
  master.rebootedAtMs = turn.now.monoMs
  // Its PONG may have come before this INFO: without another one a short limit would be up in between.
  sendPing(turn, master.link)
}
