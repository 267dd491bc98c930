import type { Happening } from '../happening.ts'

/** Watches a run for something that must never happen, whatever faults are injected. */
export interface Checker {
  readonly name: string
  /** What is wrong since this happened, in words; undefined if nothing is. */
  observe(happening: Happening): string | undefined
  /** What is wrong because something has not happened until now, in words; undefined if nothing is. */
  elapsed?(nowMs: number): string | undefined
}
