/**
 * When the kernel tries again. TCP doubles the wait after every unanswered attempt, so the longer a
 * partition lasted, the later a connection notices that it has healed. Recovery times after a heal
 * are mostly this wait, which is why it is modelled.
 */
const RETRANSMIT_FIRST_MS = 200
const RETRANSMIT_WAIT_MAX_MS = 120_000
const CONNECT_RETRY_FIRST_MS = 1_000

/** The first retransmission, at or after `notBeforeMs`, of data first sent at `sentAtMs`. */
export function nextRetransmissionMs(sentAtMs: number, notBeforeMs: number): number {
  return nextAttemptMs(sentAtMs, notBeforeMs, RETRANSMIT_FIRST_MS)
}

/**
 * Until when new data may follow data that arrived at `sinceMs` and are not acknowledged: the first
 * retransmission ends that. A single segment is first probed for (tail loss probe), which takes as
 * long again.
 */
export function newDataUntilMs(sinceMs: number, segments: number): number {
  return sinceMs + (segments === 1 ? 2 * RETRANSMIT_FIRST_MS : RETRANSMIT_FIRST_MS)
}

/** The first connection attempt at or after `notBeforeMs`, if the one at `startedAtMs` was lost. */
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
