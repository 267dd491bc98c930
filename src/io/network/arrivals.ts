/**
 * What has been read from many sockets in one round of the event loop, before the machine gets any of it. Reading and
 * deciding are two large pieces of code: where they take turns socket by socket, each finds the other's instructions in
 * the caches of the processor, and fetches its own again: on a busy machine for a fifth of a small command's time.
 */

/** So many are not waited for: the first would wait too long for its answer. */
const MAX_TOGETHER = 64
/** Nor for so many bytes, which would be copied by a collection of garbage meanwhile. */
const MAX_TOGETHER_BYTES = 256 * 1024

export class Arrivals<Reader> {
  readonly #deliver: (reader: Reader, bytes: string) => void
  #readers: Reader[] = []
  #texts: string[] = []
  #bytes = 0

  /** `deliver` gets each text once, in the order in which they came. */
  constructor(deliver: (reader: Reader, bytes: string) => void) {
    this.#deliver = deliver
  }

  get isEmpty(): boolean {
    return this.#readers.length === 0
  }

  /** Whether there is enough to be delivered now. */
  get isFull(): boolean {
    return this.#readers.length >= MAX_TOGETHER || this.#bytes >= MAX_TOGETHER_BYTES
  }

  add(reader: Reader, bytes: string): void {
    this.#readers.push(reader)
    this.#texts.push(bytes)
    this.#bytes += bytes.length
  }

  deliverAll(): void {
    const [readers, texts] = [this.#readers, this.#texts]
    this.#readers = []
    this.#texts = []
    this.#bytes = 0
    for (let at = 0; at < readers.length; at++) {
      this.#deliver(readers[at] as Reader, texts[at] as string)
    }
  }
}
