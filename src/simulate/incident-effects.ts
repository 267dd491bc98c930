/** What an incident does to a cluster, and what is true of the world while it lasts. */
import type { StepWords } from '../fuzz/words.ts'

/** One action that makes something go wrong. */
export interface Act {
  readonly text: string
  readonly steps: readonly StepWords[]
  readonly effects: readonly IncidentEffect[]
}

/** What is true of the world for a while, whatever the processes in it believe. */
export type IncidentEffect = {
  readonly fromMs: number
  readonly untilMs: number
  /** False if it comes and goes, so that it is right to count on it, and right not to. */
  readonly isSteady: boolean
} /** `isRestart`: they come back as new processes, with what their disks kept. */ & (
  | { readonly kind: 'down'; readonly processes: readonly string[]; readonly isRestart?: true }
  /** These boxes cannot reach any other. */
  | { readonly kind: 'split'; readonly boxes: readonly string[] }
)
