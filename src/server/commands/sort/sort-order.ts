/**
 * The order of SORT: by number, or by bytes as in the C locale. Equal numbers are ordered by the bytes
 * of the elements, so that every server answers and stores the same.
 */
import { cString } from '../../../base/c-string.ts'
import type { SortOptions } from './sort-options.ts'
import type { PatternLookup } from './sort-patterns.ts'

/** Undefined if a weight that must be a number is not. */
export function sorted(
  elements: readonly string[],
  options: SortOptions,
  weightOf: PatternLookup | undefined,
): string[] | undefined {
  if (!options.isAlpha) return numerically(elements, weightOf, options.isDescending)
  const part = options.store === undefined ? cString : whole
  return alphabetically(elements, weightOf, part, options.isDescending)
}

interface Worded {
  readonly element: string
  readonly weight: string | undefined
}

function alphabetically(
  elements: readonly string[],
  weightOf: PatternLookup = whole,
  part: (weight: string) => string,
  isDescending: boolean,
): string[] {
  const compared = elements.map((element) => {
    const weight = weightOf(element)
    return { element, weight: weight === undefined ? undefined : part(weight) }
  })
  compared.sort(isDescending ? (a, b) => compareWords(b, a) : compareWords)
  return compared.map(({ element }) => element)
}

/** A missing weight comes before any other; elements of equal weight keep their order. */
function compareWords({ weight: a }: Worded, { weight: b }: Worded): number {
  if (a === undefined) return b === undefined ? 0 : -1
  return b === undefined ? 1 : compareBytes(a, b)
}

/** The engine sorts plain numbers in a tenth of the time; each element's place follows from that. */
function numerically(
  elements: readonly string[],
  weightOf: PatternLookup = whole,
  isDescending: boolean,
): string[] | undefined {
  const weights = new Float64Array(elements.length)
  for (const [at, element] of elements.entries()) {
    const weight = numberOf(weightOf(element))
    if (weight === undefined) return undefined
    weights[at] = weight
  }
  const ordered = placedByIntegers(elements, weights) ?? placed(elements, weights)
  return isDescending ? ordered.reverse() : ordered
}

/**
 * The same as below for integers, in a third of the time: weight and position are sorted as one number. Undefined if a
 * weight is no integer, or too large for that.
 */
function placedByIntegers(
  elements: readonly string[],
  weights: Float64Array,
): string[] | undefined {
  const { length } = elements
  const most = Math.floor(Number.MAX_SAFE_INTEGER / Math.max(1, length)) - 1
  const keys = new Float64Array(length)
  for (let at = 0; at < length; at++) {
    const weight = weights[at] as number
    if (!Number.isInteger(weight) || Math.abs(weight) > most) return undefined
    keys[at] = weight * length + at
  }
  keys.sort()
  const ordered: string[] = new Array(length)
  const sortedWeights = new Float64Array(length)
  for (let place = 0; place < length; place++) {
    const key = keys[place] as number
    const weight = Math.floor(key / length)
    ordered[place] = elements[key - weight * length] as string
    sortedWeights[place] = weight
  }
  sortRuns(ordered, sortedWeights)
  return ordered
}

/** In ascending order of weight, then of the elements' bytes. */
function placed(elements: readonly string[], weights: Float64Array): string[] {
  const sortedWeights = weights.slice().sort()
  const nextPlaces = new Map<number, number>()
  for (let at = sortedWeights.length - 1; at >= 0; at--) {
    nextPlaces.set(sortedWeights[at] as number, at)
  }
  const ordered: string[] = new Array(elements.length)
  for (const [at, element] of elements.entries()) {
    const weight = weights[at] as number
    const place = nextPlaces.get(weight) as number
    ordered[place] = element
    nextPlaces.set(weight, place + 1)
  }
  sortRuns(ordered, sortedWeights)
  return ordered
}

function sortRuns(ordered: string[], sortedWeights: Float64Array): void {
  for (let from = 0; from < ordered.length; ) {
    let to = from + 1
    while (sortedWeights[to] === sortedWeights[from]) to++
    if (to - from > 1) {
      for (const [at, element] of ordered.slice(from, to).sort(compareBytes).entries()) {
        ordered[from + at] = element
      }
    }
    from = to
  }
}

function whole(text: string): string {
  return text
}

function compareBytes(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Most numbers look like this. */
const PLAIN = /^-?\d{1,15}$/
const DECIMAL = /^[ \t\n\v\f\r]*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)$/i
const HEXADECIMAL = /^[ \t\n\v\f\r]*([+-]?)0x([\da-f]*)\.?([\da-f]*)(?:p([+-]?\d+))?$/i
const INFINITE = /^[ \t\n\v\f\r]*([+-]?)inf(?:inity)?$/i
/** Numbers closer to zero lose digits, which C calls out of range. */
const SMALLEST = 2 ** -1022

/** As C's strtod reads the whole text; an empty text counts as 0, and so does a missing weight. */
function numberOf(text: string | undefined): number | undefined {
  if (text !== undefined && PLAIN.test(text)) return Number(text)
  const given = cString(text ?? '')
  if (given === '') return 0
  const infinite = INFINITE.exec(given)
  if (infinite !== null) return infinite[1] === '-' ? -Infinity : Infinity
  const decimal = DECIMAL.exec(given)?.[1]
  if (decimal === undefined) return hexadecimal(given)
  const value = Number(decimal)
  return isInRange(value, decimal) ? value : undefined
}

/** False if too large for a double, or so small that digits would be lost. */
function isInRange(value: number, decimal: string): boolean {
  if (value === 0) return !/[1-9]/.test(decimal.split(/e/i, 1)[0] ?? '')
  return Number.isFinite(value) && Math.abs(value) >= SMALLEST
}

function hexadecimal(text: string): number | undefined {
  const match = HEXADECIMAL.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  if (whole + fraction === '') return undefined
  const digits = Number(`0x${whole}${fraction}`)
  const value = digits * 2 ** (Number(exponent) - 4 * fraction.length)
  return sign === '-' ? -value : value
}
