/** LATENCY GRAPH and LATENCY DOCTOR: what took long, for people. */
import { LATENCY_EVENTS, type LatencyEvent, type LatencySeries } from './latency-monitor.ts'

const ROWS = 4
const WIDTH = 80

/** Columns as high as the samples, the oldest on the left; below each, how long ago it was. */
export function latencyGraph(
  event: string,
  { samples, maxMs }: LatencySeries,
  nowSeconds: number,
): string {
  const shown = samples.slice(-WIDTH)
  const values = shown.map(({ ms }) => ms)
  const [high, low] = [Math.max(...values), Math.min(...values)]
  const heights = values.map((ms) => Math.ceil((ms / Math.max(1, high)) * ROWS))
  const lines = [
    `${event} - high ${high} ms, low ${low} ms (all time high ${maxMs} ms)`,
    '-'.repeat(WIDTH),
  ]
  for (let row = ROWS; row > 0; row--) {
    lines.push(
      heights
        .map((height) => (height >= row ? '#' : ' '))
        .join('')
        .trimEnd(),
    )
  }
  return `${[...lines, ...agesBelow(shown.map(({ atSeconds }) => nowSeconds - atSeconds))].join('\n')}\n`
}

/** Each age stands in its column, read downward. */
function agesBelow(ages: readonly number[]): string[] {
  const texts = ages.map(ageText)
  const height = Math.max(...texts.map(({ length }) => length))
  return Array.from({ length: height }, (_, row) =>
    texts
      .map((text) => text.charAt(row) || ' ')
      .join('')
      .trimEnd(),
  )
}

function ageText(seconds: number): string {
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`
}

/** `thresholdMs` 0: nothing is watched. */
export function latencyAdvice(
  series: ReadonlyMap<string, LatencySeries>,
  thresholdMs: number,
): string {
  if (series.size === 0 && thresholdMs === 0) {
    return 'Nothing is watched. CONFIG SET latency-monitor-threshold <milliseconds> begins to.\n'
  }
  if (series.size === 0) return `Nothing took ${thresholdMs} milliseconds or longer.\n`
  return [...series].map(([event, samples]) => adviceOn(event, samples)).join('')
}

function adviceOn(event: string, { samples, maxMs }: LatencySeries): string {
  const total = samples.reduce((sum, { ms }) => sum + ms, 0)
  const average = Math.round(total / samples.length)
  const cause = LATENCY_EVENTS[event as LatencyEvent]
  return (
    `${event}: ${samples.length} samples, ${average} ms on average, ${maxMs} ms at most.\n` +
    `  This is ${cause}.\n`
  )
}
