/**
 * What the process knows of its memory. Asking takes a file of the system, and when no more can be opened
 * the engine throws: then the last answer stands, for INFO must never end a node that is full of clients.
 */
export class MemoryFacts {
  readonly #ask: () => NodeJS.MemoryUsage
  #last = { usedBytes: 0, residentBytes: 0 }

  constructor(ask: () => NodeJS.MemoryUsage = process.memoryUsage) {
    this.#ask = ask
  }

  /** Of the runtime's heap and buffers, and what is resident. */
  read(): { readonly usedBytes: number; readonly residentBytes: number } {
    try {
      const { heapUsed, external, rss } = this.#ask()
      this.#last = { usedBytes: heapUsed + external, residentBytes: rss }
    } catch {
      // EMFILE: see above.
    }
    return this.#last
  }
}
