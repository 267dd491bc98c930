/** The keyboard of a view on a terminal: single keys, without Enter. */
import type { ReadStream } from 'node:tty'

const CTRL_C = '\x03'
const CTRL_D = '\x04'

export class Keyboard {
  readonly #input: ReadStream
  readonly #onData: (chunk: string) => void

  /** `onKey` gets a lower-case letter; Ctrl-C and Ctrl-D count as `q`. */
  constructor(input: ReadStream, onKey: (key: string) => void) {
    this.#input = input
    this.#onData = (chunk) => {
      for (const char of chunk) onKey(char === CTRL_C || char === CTRL_D ? 'q' : char.toLowerCase())
    }
    input.setEncoding('utf8')
    input.setRawMode(true)
    input.on('data', this.#onData)
    input.resume()
  }

  close(): void {
    this.#input.off('data', this.#onData)
    this.#input.setRawMode(false)
    this.#input.pause()
  }
}
