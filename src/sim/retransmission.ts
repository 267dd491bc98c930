/**
 * When the kernel tries again. TCP doubles the wait after every attempt that got no answer, so a
 * connection notices that a partition has healed later the longer the partition lasted. Recovery
 * times after a heal are mostly this wait, hence it is modelled and not rounded to nothing.
 */
const RETRANSMIT_FIRST_MS = 200
const RETRANSMIT_WAIT_MAX_MS = 120_000
const CONNECT_RETRY_FIRST_MS = 1_000

/** The first retransmission at or after `notBeforeMs` of data that was first sent at `sentAtMs`. */
export function nextRetransmissionMs(sentAtMs: number, notBeforeMs: number): number {
  return nextAttemptMs(sentAtMs, notBeforeMs, RETRANSMIT_FIRST_MS)
}

/** The first connection attempt at or after `notBeforeMs` when the one of `startedAtMs` was lost. */
export function nextConnectAttemptMs(startedAtMs: number, notBeforeMs: number): number {
  return nextAttemptMs(startedAtMs, notBeforeMs, CONNECT_RETRY_FIRST_MS)
}

function nextAttemptMs(firstMs: number, notBeforeMs: number, firstWaitMs: number): number {
  let waitMs = firstWaitMs
  let attemptMs = firstMs + waitMs
  while (attemptMs < notBeforeMs) {
    waitMs = Math.min(waitMs * 2, RETRANSMIT_WAIT_MAX_MS)
    attemptMs += waitMs
  }
  return attemptMs
}
