/**
 * Which processes are down, stopped or about to be started again, and until when: none dies twice
 * at once.
 */
export class BusyUntil {
  readonly #untilMs = new Map<string, number>()

  isFree(name: string, atMs: number): boolean {
    return (this.#untilMs.get(name) ?? 0) <= atMs
  }

  occupy(names: readonly string[], untilMs: number): void {
    for (const name of names) this.#untilMs.set(name, untilMs)
  }
}
