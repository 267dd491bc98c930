/** Values of command-line options, from text; commander prints what is thrown here and exits. */
import { InvalidArgumentError } from 'commander'

export function count(text: string): number {
  return wholeNumber(text, 0, 100)
}

export function port(text: string): number {
  return wholeNumber(text, 1, 65_535)
}

/** Milliseconds from `500`, `500ms`, `1s` or `1.5s`. */
export function duration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s)?$/.exec(text)
  const ms = Math.round(Number(match?.[1]) * (match?.[2] === 's' ? 1000 : 1))
  if (!(ms >= 1)) throw new InvalidArgumentError('a time is wanted: 500ms, 1s')
  return ms
}

function wholeNumber(text: string, min: number, max: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= min && value <= max) return value
  throw new InvalidArgumentError(`a whole number from ${min} to ${max} is wanted`)
}
