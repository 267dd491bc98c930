/** The progress of a fuzzing run in one line: for a bar on a terminal, or for a log. */

export interface Progress {
  readonly seeds: number
  readonly failures: number
  readonly elapsedMs: number
  /** Undefined: only the time limit ends the run. */
  readonly ofSeeds: number | undefined
  /** Undefined: only the number of seeds ends the run. */
  readonly limitMs: number | undefined
}

const BAR_CELLS = 24

export function progressBar(progress: Progress): string {
  const filled = Math.round(shareDone(progress) * BAR_CELLS)
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled)
  return `${bar}  ${progressText(progress)}`
}

/** `120 of 500 seeds, 4.2 per second, no failure, about 1 min 30 s left` */
export function progressText(progress: Progress): string {
  const { seeds, ofSeeds, failures } = progress
  const leftMs = remainingMs(progress)
  const parts = [
    ofSeeds === undefined ? `${seeds} seeds` : `${seeds} of ${ofSeeds} seeds`,
    paceText(progress.seeds, progress.elapsedMs),
    failures === 0 ? 'no failure' : `${failures} ${failures === 1 ? 'failure' : 'failures'}`,
    ...(leftMs === undefined ? [] : [`about ${clockText(leftMs)} left`]),
  ]
  return parts.join(', ')
}

/** `45 s`, `3 min 20 s`, `2 h 5 min`. */
export function clockText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`
}

function shareDone({ seeds, ofSeeds, elapsedMs, limitMs }: Progress): number {
  const bySeeds = ofSeeds === undefined ? 0 : seeds / ofSeeds
  const byTime = limitMs === undefined ? 0 : elapsedMs / limitMs
  return Math.min(1, Math.max(bySeeds, byTime))
}

/** The time until the first limit is reached; undefined while nothing is known about it. */
function remainingMs({ seeds, ofSeeds, elapsedMs, limitMs }: Progress): number | undefined {
  const byTime = limitMs === undefined ? undefined : Math.max(0, limitMs - elapsedMs)
  if (seeds === 0 || ofSeeds === undefined) return byTime
  const bySeeds = (elapsedMs / seeds) * (ofSeeds - seeds)
  return byTime === undefined ? bySeeds : Math.min(bySeeds, byTime)
}

/** `4.2 per second`, or `2.5 per minute` of slow runs. */
export function paceText(runs: number, elapsedMs: number): string {
  const perSecond = elapsedMs === 0 ? 0 : (runs * 1_000) / elapsedMs
  if (runs === 0 || perSecond >= 1)
    return `${perSecond.toFixed(perSecond === 0 ? 0 : 1)} per second`
  return `${(perSecond * 60).toFixed(1)} per minute`
}
