/**
 * Commands as bytes, some at a time. Words are not joined to a command first: together they may be
 * longer than one string can be. The commands are made as they are needed, from a value that may change
 * if `freeze` is called before.
 */
import type { Pieces } from '../rdb/snapshot.ts'
import type { Hold } from '../values/reading.ts'

const SETTLED_BYTES = 4096

export class CommandPieces implements Pieces {
  readonly #commands: Iterator<readonly string[]>
  /** Of the value the commands are made from. */
  readonly #hold: Hold
  #argv: readonly string[] = []
  /** Index of the next word. */
  #at = 0
  /** Encoded and not handed out. */
  #start = ''

  constructor(commands: Iterator<readonly string[]>, hold: Hold) {
    this.#commands = commands
    this.#hold = hold
  }

  next(maxBytes: number): string | undefined {
    let piece = this.#start
    this.#start = ''
    while (piece.length < maxBytes) {
      const word = this.#argv[this.#at++]
      if (word !== undefined) piece += `$${word.length}\r\n${word}\r\n`
      else if (this.#beginCommand()) piece += `*${this.#argv.length}\r\n`
      else break
    }
    return piece === '' ? undefined : piece
  }

  freeze(): void {
    this.#hold.freeze()
  }

  settle(): string | Pieces {
    this.#start = this.next(SETTLED_BYTES) ?? ''
    if (this.#start.length < SETTLED_BYTES) return this.#start
    this.freeze()
    return this
  }

  release(): boolean {
    return this.#hold.release()
  }

  #beginCommand(): boolean {
    const step = this.#commands.next()
    this.#argv = step.done === true ? [] : step.value
    this.#at = 0
    return step.done !== true
  }
}
