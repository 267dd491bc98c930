import type { WriteReport } from './writer.ts'

/** What shows the cluster to somebody: a picture on a terminal, lines anywhere else. */
export interface View {
  /** The cluster has started: all there is to see is seen. */
  ready(): void
  /** Something in the model is different now. */
  changed(): void
  /** Leaves the terminal as it was. */
  close(): void
}

export interface ViewOptions {
  /** What is shown, in a few words. */
  readonly title: string
  /** How to connect, ready to be copied. */
  readonly hints: readonly string[]
  readonly onKey: (key: string) => void
  /** What the writing client has seen; undefined while there is none. */
  readonly writes: () => WriteReport | undefined
}
