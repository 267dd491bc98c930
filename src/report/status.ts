import type { Happening, ProcessStatus } from '../history/happening.ts'
import type { Single } from './lanes/lane-model.ts'
import type { LaneState } from './lanes/lane-state.ts'

type StatusHappening = Happening & { readonly kind: 'status' }

/** What is worth saying when a process starts or ends; that it runs at the start is not. */
export function statusMoment(
  { atMs, status, word: told }: StatusHappening,
  before: LaneState,
): Single[] {
  const word = told ?? wordStatus(status, before)
  const isStart = status === 'running' && before.kind === 'down' && atMs < START_MS
  if (word === undefined || isStart || (status === 'down' && atMs === 0)) return []
  return [{ atMs, topic: 'state', labels: [word], text: word, isKey: true }]
}

/** Processes start within the first second. */
const START_MS = 1_000

function wordStatus(status: ProcessStatus, before: LaneState): string | undefined {
  if (status === 'down') return 'down'
  if (status === 'paused') return 'paused'
  return before.kind === 'paused' ? 'goes on' : 'starts'
}
