/**
 * What is to be appended to the log of commands: the effects of commands as replicas are told them, but
 * for messages, which are gone once they are delivered. A log is read from its beginning, so it says
 * itself which database it is for and, if wanted, what time it was.
 *
 * The bytes are kept in pieces: a transaction may be longer than one string can be.
 */
import { encodeCommand } from '../../resp/encode.ts'
import { isMessage } from '../effects.ts'

const MULTI = encodeCommand(['MULTI'])
const EXEC = encodeCommand(['EXEC'])
/** Small commands are joined to pieces of this size. */
const PIECE_BYTES = 1024 * 1024

export class LogWriter {
  #pieces: string[] = []
  /** Gathers; becomes a piece when it is long enough. */
  #tail = ''
  #bytes = 0
  #totalBytes = 0
  /** The database selected where the log ends; undefined: the next command has to select one. */
  #db: number | undefined
  /** Unix time of the last note of time. */
  #notedSecond = 0

  /** What waits to be written. */
  get bytes(): number {
    return this.#bytes
  }

  /** Everything that was ever added. */
  get totalBytes(): number {
    return this.#totalBytes
  }

  /** What comes next may be read without what came before: it is the beginning of a file. */
  beginFile(): void {
    this.#db = undefined
    this.#notedSecond = 0
  }

  /**
   * Effects of one command or, if there are several, of one transaction. `unixSecond`: the time to be
   * noted; undefined: none is. False: nothing of it belongs in the log.
   */
  add(
    db: number,
    commands: readonly (readonly string[])[],
    unixSecond: number | undefined,
  ): boolean {
    const effects = commands.some(isMessage)
      ? commands.filter((argv) => !isMessage(argv))
      : commands
    if (effects.length === 0) return false
    if (unixSecond !== undefined) this.#noteTime(unixSecond)
    if (this.#db !== db) this.#put(encodeCommand(['SELECT', String(db)]))
    this.#db = db
    if (effects.length > 1) this.#put(MULTI)
    for (const argv of effects) this.#addOne(argv)
    if (effects.length > 1) this.#put(EXEC)
    return true
  }

  /** The next bytes to be written; undefined: there are none. They stay until `written`. */
  get next(): string | undefined {
    if (this.#pieces.length === 0 && this.#tail !== '') this.#cut()
    return this.#pieces[0]
  }

  /** What `next` gave is in the file. */
  written(): void {
    this.#bytes -= this.#pieces.shift()?.length ?? 0
  }

  /** Forgets what has not been written. */
  clear(): void {
    this.#pieces = []
    this.#tail = ''
    this.#bytes = 0
  }

  /** A transaction over several databases carries its own SELECTs. */
  #addOne(argv: readonly string[]): void {
    if (argv[0] === 'SELECT') this.#db = Number(argv[1])
    this.#put(encodeCommand(argv))
  }

  #noteTime(second: number): void {
    if (second <= this.#notedSecond) return
    this.#notedSecond = second
    this.#put(`#TS:${second}\r\n`)
  }

  #put(bytes: string): void {
    if (this.#tail.length + bytes.length > PIECE_BYTES) this.#cut()
    this.#tail += bytes
    this.#bytes += bytes.length
    this.#totalBytes += bytes.length
  }

  #cut(): void {
    if (this.#tail === '') return
    this.#pieces.push(this.#tail)
    this.#tail = ''
  }
}
