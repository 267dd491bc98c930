/**
 * One line on a terminal that shows the progress, and is removed when there is something to read.
 */
import { movesCursor } from './terminal.ts'
import { truncate } from './up/paint.ts'

const CLEAR = '\r\u001b[K'

export class StatusLine {
  readonly #stream = process.stderr
  #isShown = false

  /** Whether the output is a terminal that can take the line away again. */
  get isSeen(): boolean {
    return movesCursor(this.#stream)
  }

  /** Shows nothing if it is not seen. */
  show(text: string): void {
    if (!this.isSeen) return
    this.#stream.write(`${CLEAR}${truncate(text, (this.#stream.columns || 80) - 1)}`)
    this.#isShown = true
  }

  clear(): void {
    if (this.#isShown) this.#stream.write(CLEAR)
    this.#isShown = false
  }
}
