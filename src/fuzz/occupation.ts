/** Who is down, stopped or about to be started again, and until when: nobody dies twice at once. */
export class Occupation {
  readonly #untilMs = new Map<string, number>()

  isFree(name: string, atMs: number): boolean {
    return (this.#untilMs.get(name) ?? 0) <= atMs
  }

  occupy(names: readonly string[], untilMs: number): void {
    for (const name of names) this.#untilMs.set(name, untilMs)
  }
}
