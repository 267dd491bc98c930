import type { RunHistory } from '../../scenario/world.ts'

/** Why a Sentinel could not take part at a moment, as words after its name; undefined if it could. */
export function hindranceOf(
  sentinel: string,
  atMs: number,
  { happenings }: RunHistory,
): string | undefined {
  let hindrance: string | undefined = 'was not there yet'
  for (const one of happenings) {
    if (one.atMs > atMs) break
    if (one.process !== sentinel) continue
    if (one.kind === 'status') {
      hindrance = one.status === 'running' ? undefined : `was ${one.status}`
    }
    if (one.kind === 'unrecorded') hindrance = 'has no record'
    if (one.kind === 'event' && one.name === '+tilt') hindrance = 'was in TILT'
    if (one.kind === 'event' && one.name === '-tilt') hindrance = undefined
  }
  return hindrance
}

/** When a process went down in that time; undefined if it did not. */
export function downBetween(
  process: string,
  fromMs: number,
  untilMs: number,
  { happenings }: RunHistory,
): number | undefined {
  return happenings.find(
    (one) =>
      one.kind === 'status' &&
      one.status === 'down' &&
      one.process === process &&
      one.atMs >= fromMs &&
      one.atMs <= untilMs,
  )?.atMs
}
