import type { WriteReport } from './writer.ts'

/** How the user sees the cluster: a picture on a terminal, lines anywhere else. */
export interface View {
  /** The cluster has started, and every member is known. */
  ready(): void
  /** Something in the model has changed. */
  changed(): void
  /** Leaves the terminal as it was. */
  close(): void
}

export interface ViewOptions {
  /** What is shown, in a few words. */
  readonly title: string
  /** How to connect now, ready to be copied. */
  readonly hints: () => readonly string[]
  readonly onKey: (key: string) => void
  /** What the writing client has seen; undefined while there is none. */
  readonly writes: () => WriteReport | undefined
}
