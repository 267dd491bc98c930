/** Reconnecting, and what has piled up being dealt with. */
const AFTERMATH_MS = 2_000

/** What is wrong with one process, or with the way between two hosts, and until when that is felt. */
export class Trouble {
  /** Since when each cause has stood. */
  readonly #standing = new Map<string, number>()
  #feltUntilMs = Number.NEGATIVE_INFINITY

  begin(cause: string, atMs: number): void {
    if (!this.#standing.has(cause)) this.#standing.set(cause, atMs)
  }

  /** This cause stands now. */
  has(cause: string): boolean {
    return this.#standing.has(cause)
  }

  /** Waits between attempts have grown to as long as it lasted, and have to pass first. */
  end(cause: string, atMs: number): void {
    const sinceMs = this.#standing.get(cause)
    if (sinceMs === undefined) return
    this.#standing.delete(cause)
    this.touch(atMs + (atMs - sinceMs) + AFTERMATH_MS)
  }

  /** What happens at a moment is felt until then. */
  touch(untilMs: number): void {
    this.#feltUntilMs = Math.max(this.#feltUntilMs, untilMs)
  }

  /** It was over at that time, and nothing has come since. */
  isOver(byMs: number): boolean {
    return this.#standing.size === 0 && this.#feltUntilMs < byMs
  }
}
