/**
 * What is to be appended to the log of commands: the effects of commands as replicas are told them. A log
 * is read from its beginning, so it says itself which database it is for and, if wanted, what time it was.
 *
 * The bytes are kept in pieces: a transaction may be longer than one string can be.
 */
import { encodeCommand } from '../../resp/encode.ts'

const MULTI = encodeCommand(['MULTI'])
const EXEC = encodeCommand(['EXEC'])
/** Small commands are joined to pieces of this size. */
const PIECE_BYTES = 1024 * 1024

/** [aof-timestamp-enabled] What follows was done from this Unix second on; redis-check-aof can cut a file there. */
export function timeNote(unixSecond: number): string {
  return `#TS:${unixSecond}\r\n`
}

export class LogWriter {
  #pieces: string[] = []
  /** Collects bytes; becomes a piece when it is long enough. */
  #tail = ''
  #bytes = 0
  #totalBytes = 0
  /** The database selected at the end of the log; undefined if the next command has to select one. */
  #db: number | undefined
  /** Unix time of the last time note. */
  #notedSecond = 0

  /** How many bytes wait to be written. */
  get bytes(): number {
    return this.#bytes
  }

  /** How many bytes were ever added. */
  get totalBytes(): number {
    return this.#totalBytes
  }

  /** The next bytes begin a file, so they must be readable without what came before. */
  beginFile(): void {
    this.#db = undefined
    this.#notedSecond = 0
  }

  /**
   * Adds the effects of one command or, if there are several, of one transaction. `unixSecond`: the
   * time to note, or undefined for none. False if nothing of it belongs in the log.
   */
  add(
    db: number,
    effects: readonly (readonly string[])[],
    unixSecond: number | undefined,
  ): boolean {
    if (effects.length === 0) return false
    if (unixSecond !== undefined) this.#noteTime(unixSecond)
    if (this.#db !== db) this.#put(encodeCommand(['SELECT', String(db)]))
    this.#db = db
    if (effects.length > 1) this.#put(MULTI)
    for (const argv of effects) this.#addOne(argv)
    if (effects.length > 1) this.#put(EXEC)
    return true
  }

  /** The next bytes to write; undefined if there are none. They stay until `written`. */
  get next(): string | undefined {
    if (this.#pieces.length === 0 && this.#tail !== '') this.#cut()
    return this.#pieces[0]
  }

  /** The bytes that `next` returned are in the file. */
  written(): void {
    this.#bytes -= this.#pieces.shift()?.length ?? 0
  }

  /** Forgets what has not been written. */
  clear(): void {
    this.#pieces = []
    this.#tail = ''
    this.#bytes = 0
  }

  /** A transaction over several databases contains its own SELECTs. */
  #addOne(argv: readonly string[]): void {
    if (argv[0] === 'SELECT') this.#db = Number(argv[1])
    this.#put(encodeCommand(argv))
  }

  #noteTime(second: number): void {
    if (second <= this.#notedSecond) return
    this.#notedSecond = second
    this.#put(timeNote(second))
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
