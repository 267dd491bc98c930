/** What an incident does to a cluster, and what is true of the world while it lasts. */
import type { StepWords } from '../fuzz/words.ts'

/** One thing that goes wrong. */
export interface Act {
  readonly text: string
  readonly steps: readonly StepWords[]
  readonly effects: readonly Effect[]
}

/** What is true of the world for a while, whatever anybody in it believes. */
export type Effect = {
  readonly fromMs: number
  readonly untilMs: number
  /** False: it comes and goes, so that nobody is wrong who counts on it, or who does not. */
  readonly isSteady: boolean
} /** `isRestart`: they come back as new processes, with what their disks kept. */ & (
  | { readonly kind: 'down'; readonly processes: readonly string[]; readonly isRestart?: true }
  /** These boxes hear nothing of all others. */
  | { readonly kind: 'split'; readonly boxes: readonly string[] }
)
