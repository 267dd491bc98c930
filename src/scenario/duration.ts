/**
 * Quantities as people write and read them; inside the program durations are whole milliseconds.
 */

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/**
 * Reads `3s`, `1.5s`, `250ms`. Returns milliseconds, negative for `-60s`; undefined if the text is
 * no duration. A bare number has no unit, so it is none.
 */
export function parseDuration(text: string): number | undefined {
  const match = /^(-?)(\d+(?:\.\d+)?) ?(ms|s|m|h)$/.exec(text.trim())
  if (match === null) return undefined
  const ms = Number(match[2]) * (UNITS[match[3] ?? ''] ?? Number.NaN)
  if (!Number.isSafeInteger(Math.round(ms))) return undefined
  return match[1] === '-' ? -Math.round(ms) : Math.round(ms)
}

/** The shortest exact form: `250 ms`, `1.5 s`, `2 min`. */
export function formatDuration(ms: number): string {
  if (Math.abs(ms) < 1_000) return `${ms} ms`
  if (Math.abs(ms) < 120_000 || ms % 60_000 !== 0) return `${ms / 1_000} s`
  return `${ms / 60_000} min`
}

/** `1.500 s`: a moment or a length of time in a run, always with the same number of digits. */
export function secondsText(ms: number, digits = 3): string {
  return `${(ms / 1_000).toFixed(digits)} s`
}
