/**
 * Repetition is told once. What a process says again and again, alone or in turn with one other thing
 * (down, up, down, up), becomes one moment with a count. Nothing is drawn together across a fault,
 * for after it the same words mean something else.
 */
import type { Moment, Single } from './lane-model.ts'

export function collapse(moments: readonly Single[], faultTimes: readonly number[]): Moment[] {
  const told: Moment[] = []
  let nextFault = 0
  let firstAfterFault = 0
  for (const moment of moments) {
    while ((faultTimes[nextFault] ?? Number.POSITIVE_INFINITY) <= moment.atMs) {
      nextFault++
      firstAfterFault = told.length
    }
    const place = placeOfSame(told, firstAfterFault, moment)
    const same = place === undefined ? undefined : told[place]
    if (place === undefined || same === undefined) {
      told.push({ ...moment, count: 1, untilMs: moment.atMs })
    } else {
      told[place] = { ...same, count: same.count + 1, untilMs: moment.atMs }
    }
  }
  return told
}

/** Where in the list a moment has been told already; undefined: it is news. */
function placeOfSame(told: readonly Moment[], first: number, { text }: Single): number | undefined {
  const last = told.length - 1
  if (last >= first && told[last]?.text === text) return last
  const before = told[last - 1]
  if (last - 1 < first || before?.text !== text) return undefined
  // A pair is told twice before it counts as a habit.
  const isHabit = before.count > 1 || (last - 3 >= first && isPair(told, last - 3, last - 1))
  return isHabit ? last - 1 : undefined
}

function isPair(told: readonly Moment[], first: number, second: number): boolean {
  return (
    told[first]?.text === told[second]?.text && told[first + 1]?.text === told[second + 1]?.text
  )
}
