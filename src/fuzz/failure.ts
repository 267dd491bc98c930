/** Why a run failed. A smaller run shows the same problem if it fails for the same reason. */
import type { ScenarioResult } from '../scenario/result.ts'

export interface Failure {
  readonly kind: 'crash' | 'violation' | 'expectation'
  /** The checker that found the failure, the expectation in its own words, or `no crash`. */
  readonly checker: string
  readonly text: string
  /** Milliseconds since the start of the run; undefined for what is known only at its end. */
  readonly atMs: number | undefined
  /** Equal for two failures that are the same one. */
  readonly signature: string
}

/** The checker's name for an exception from the machines: one of their assertions did not hold. */
const NO_CRASH = 'no crash'

export function crashOf(error: unknown): Failure {
  const text = error instanceof Error ? error.message : String(error)
  const at = error instanceof Error ? placeOf(error) : ''
  const signature = `${NO_CRASH}: ${withoutParticulars(text)}`
  return { kind: 'crash', checker: NO_CRASH, text: `${text}${at}`, atMs: undefined, signature }
}

/**
 * The first failure of a run that was played to its end: what must never happen goes before what
 * the plan asked for. `claims` tells what each expectation is about, in the order of the file.
 */
export function failureIn(result: ScenarioResult, claims: readonly string[]): Failure | undefined {
  const violation = result.violations[0]
  if (violation !== undefined) {
    const { checker, text, atMs } = violation
    return { kind: 'violation', checker, text, atMs, signature: checker }
  }
  const index = result.expectations.findIndex(({ passed }) => !passed)
  const missed = result.expectations[index]
  if (missed === undefined) return undefined
  // A timeline that could not be done to its end has a line of its own before those of the file.
  const signature = claims[index + claims.length - result.expectations.length] ?? missed.text
  const common = { kind: 'expectation', checker: missed.text, atMs: undefined } as const
  return { ...common, text: missed.finding, signature }
}

/** Names, numbers and ids change when a run gets smaller; the claim that broke does not. */
function withoutParticulars(text: string): string {
  return text.replace(/[0-9a-f]{40}|\d+(\.\d+)*/g, '#')
}

/** The first line of our code in the stack: the place where a search should begin. */
function placeOf(error: Error): string {
  const lines = (error.stack ?? '').split('\n').slice(1)
  const own = lines.find((line) => !line.includes('base/assert') && !line.includes('node:'))
  const match = /([\w./-]+):(\d+):\d+\)?$/.exec(own ?? '')
  return match === null ? '' : ` (${match[1]?.split('/').slice(-2).join('/')}:${match[2]})`
}
