/**
 * One line on a terminal that shows the progress, and is removed when there is something to read.
 */
import { truncate } from './up/paint.ts'

const CLEAR = '\r\u001b[K'

export class StatusLine {
  readonly #stream = process.stderr
  #isShown = false

  /** Whether the output is a terminal. */
  get isSeen(): boolean {
    return this.#stream.isTTY
  }

  /** Shows nothing if the output is not a terminal. */
  show(text: string): void {
    if (!this.#stream.isTTY) return
    this.#stream.write(`${CLEAR}${truncate(text, (this.#stream.columns || 80) - 1)}`)
    this.#isShown = true
  }

  clear(): void {
    if (this.#isShown) this.#stream.write(CLEAR)
    this.#isShown = false
  }
}
