/**
 * Splits what a master sends before a payload into lines. Lines there are short, so few bytes wait.
 */
const MAX_LINE_BYTES = 1024

export class LineReader {
  #buffer = ''

  push(bytes: string): void {
    this.#buffer += bytes
  }

  /** The next line without its end; undefined when none is complete. */
  next(): string | undefined {
    const end = this.#buffer.indexOf('\n')
    if (end < 0) return undefined
    const line = this.#buffer.slice(0, this.#buffer[end - 1] === '\r' ? end - 1 : end)
    this.#buffer = this.#buffer.slice(end + 1)
    return line
  }

  /** The unfinished rest is too long for a line. Ask after `next` has returned undefined. */
  get isTooLong(): boolean {
    return this.#buffer.length > MAX_LINE_BYTES
  }

  takeRest(): string {
    const rest = this.#buffer
    this.#buffer = ''
    return rest
  }
}
