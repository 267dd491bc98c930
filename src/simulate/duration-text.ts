/** Durations as a table shows them: three digits and a unit. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  const seconds = ms / 1_000
  if (seconds >= 100) return `${Math.round(seconds)} s`
  return `${trimmed(seconds.toFixed(seconds < 10 ? 2 : 1))} s`
}

function trimmed(number: string): string {
  return number.replace(/\.?0+$/, '')
}
