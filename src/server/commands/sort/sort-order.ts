/**
 * The order of SORT: by number, or by bytes as in the C locale. Equal numbers are ordered by the bytes
 * of the elements, so that every server answers and stores the same.
 */
import { cString } from '../../../base/c-string.ts'
import type { SortOptions } from './sort-options.ts'
import type { Lookup } from './sort-patterns.ts'

/** Undefined: a weight that has to be a number is none. */
export function sorted(
  elements: readonly string[],
  options: SortOptions,
  weightOf: Lookup | undefined,
): string[] | undefined {
  const compared = options.isAlpha
    ? alphabetically(elements, weightOf, options.store === undefined ? cString : whole)
    : numerically(elements, weightOf)
  if (compared === undefined) return undefined
  const sign = options.isDescending ? -1 : 1
  compared.sort((a, b) => sign * a.compare(b))
  return compared.map(({ element }) => element)
}

class Numbered {
  readonly element: string
  readonly #weight: number

  constructor(element: string, weight: number) {
    this.element = element
    this.#weight = weight
  }

  compare(other: Numbered): number {
    if (this.#weight !== other.#weight) return this.#weight < other.#weight ? -1 : 1
    return compareBytes(this.element, other.element)
  }
}

/** A missing weight comes before any other; what has the same weight stays in its order. */
class Worded {
  readonly element: string
  readonly #weight: string | undefined

  constructor(element: string, weight: string | undefined) {
    this.element = element
    this.#weight = weight
  }

  compare(other: Worded): number {
    if (this.#weight === undefined) return other.#weight === undefined ? 0 : -1
    return other.#weight === undefined ? 1 : compareBytes(this.#weight, other.#weight)
  }
}

type Compared = { readonly element: string; compare(other: unknown): number }

function alphabetically(
  elements: readonly string[],
  weightOf: Lookup = whole,
  part: (weight: string) => string,
): Compared[] {
  return elements.map((element) => {
    const weight = weightOf(element)
    return new Worded(element, weight === undefined ? undefined : part(weight)) as Compared
  })
}

function numerically(elements: readonly string[], weightOf: Lookup = whole) {
  const compared: Compared[] = []
  for (const element of elements) {
    const weight = numberOf(weightOf(element))
    if (weight === undefined) return undefined
    compared.push(new Numbered(element, weight) as Compared)
  }
  return compared
}

function whole(text: string): string {
  return text
}

function compareBytes(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

const DECIMAL = /^[ \t\n\v\f\r]*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)$/i
const HEXADECIMAL = /^[ \t\n\v\f\r]*([+-]?)0x([\da-f]*)\.?([\da-f]*)(?:p([+-]?\d+))?$/i
const INFINITE = /^[ \t\n\v\f\r]*([+-]?)inf(?:inity)?$/i
/** Numbers closer to zero are not kept exactly, which C calls out of range. */
const SMALLEST = 2 ** -1022

/** As C's strtod reads the whole text; nothing counts as 0, and so does a missing weight. */
function numberOf(text: string | undefined): number | undefined {
  const given = cString(text ?? '')
  if (given === '') return 0
  const infinite = INFINITE.exec(given)
  if (infinite !== null) return infinite[1] === '-' ? -Infinity : Infinity
  const decimal = DECIMAL.exec(given)?.[1]
  if (decimal === undefined) return hexadecimal(given)
  const value = Number(decimal)
  return isInRange(value, decimal) ? value : undefined
}

/** Too large for a double, or so small that digits would be lost. */
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
