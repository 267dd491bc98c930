/** The words of scenario files, as plain values: the input of a YAML writer. */
import type { StepInput } from '../scenario/language/schema.ts'

/** One step of the timeline: its time, and its action by name. */
export interface StepWords {
  readonly atMs: number
  readonly words: StepInput
}

/** The shortest exact way to write a duration in a scenario file: `250ms`, `1.5s`, `2m`. */
export function durationWord(ms: number): string {
  if (Math.abs(ms) < 1_000) return `${ms}ms`
  if (ms % 60_000 === 0 && Math.abs(ms) >= 120_000) return `${ms / 60_000}m`
  return `${ms / 1_000}s`
}
