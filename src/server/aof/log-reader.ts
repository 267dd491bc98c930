/**
 * Reads a log of commands while its bytes come in: arrays of bulk strings, and between them lines that
 * begin with `#`, which are notes for people. It knows where the last complete item ends, because that
 * is where a log whose end never reached the disk is cut off. A transaction counts as one item: half
 * of one must never be carried out.
 */
import { MAX_BULK_BYTES, RespInput } from '../../resp/input.ts'

export interface LogDamage {
  readonly kind: 'damaged'
  /** Where in the file the unreadable item begins. */
  readonly offset: number
  readonly reason: string
}

/** `more`: everything complete that has arrived has been read. */
export type LogStep = readonly string[] | 'more' | LogDamage

const ASTERISK = 42
const DOLLAR = 36
const HASH = 35
/** For the lines between commands, as in Redis. */
const MAX_NOTE_BYTES = 1024
const MAX_ARGUMENTS = 2 ** 31 - 1
const NO_BULK = -1

export class LogReader {
  readonly #input = new RespInput()
  /** Where in the file the input begins. */
  readonly #base: number
  #argv: string[] = []
  #argumentsLeft = 0
  #bulkBytes = NO_BULK
  /** Where the current item began. */
  #begunAt: number
  /** Where the MULTI began that has no EXEC yet. */
  #openAt: number | undefined

  /** `offset`: where in the file reading begins. */
  constructor(offset = 0) {
    this.#base = offset
    this.#begunAt = offset
  }

  /** Everything before this offset is complete. */
  get soundBytes(): number {
    return this.#openAt ?? this.#begunAt
  }

  get isInTransaction(): boolean {
    return this.#openAt !== undefined
  }

  push(bytes: string): void {
    this.#input.push(bytes)
  }

  next(): LogStep {
    for (;;) {
      const step = this.#argumentsLeft > 0 ? this.#readArguments() : this.#readStart()
      if (step !== undefined) return step
    }
  }

  /** Undefined: look again. */
  #readStart(): LogStep | undefined {
    const first = this.#input.peek()
    if (Number.isNaN(first)) return 'more'
    if (first === HASH) return this.#readNote()
    if (first !== ASTERISK) return this.#damage("a command should begin there, with '*'")
    const count = this.#readLength()
    if (count === 'more') return 'more'
    if (count === undefined || count < 1 || count > MAX_ARGUMENTS) {
      return this.#damage('a command should say there how many words it has')
    }
    this.#argumentsLeft = count
    return undefined
  }

  #readNote(): LogStep | undefined {
    const line = this.#input.readLine('\n', 0)
    if (line === 'waiting') return 'more'
    if (line === 'tooLong' || line.length > MAX_NOTE_BYTES) {
      return this.#damage('a line of notes (#) has no end')
    }
    this.#begunAt = this.#offset
    return undefined
  }

  #readArguments(): LogStep {
    while (this.#argumentsLeft > 0) {
      const problem = this.#bulkBytes === NO_BULK ? this.#readBulkHeader() : undefined
      if (problem !== undefined) return problem
      if (!this.#input.hasBulk(this.#bulkBytes)) return 'more'
      if (!this.#input.isBulkTerminated(this.#bulkBytes)) {
        return this.#damage('a word is longer than it says')
      }
      this.#argv.push(this.#input.takeBulk(this.#bulkBytes))
      this.#bulkBytes = NO_BULK
      this.#argumentsLeft--
    }
    return this.#complete()
  }

  #readBulkHeader(): LogStep | undefined {
    const first = this.#input.peek()
    if (Number.isNaN(first)) return 'more'
    if (first !== DOLLAR) return this.#damage("a word should begin there, with '$'")
    const length = this.#readLength()
    if (length === 'more') return 'more'
    if (length === undefined || length < 0 || length > MAX_BULK_BYTES) {
      return this.#damage('a word should say there how long it is')
    }
    this.#bulkBytes = length
    return undefined
  }

  #complete(): readonly string[] {
    const argv = this.#argv
    this.#argv = []
    const begunAt = this.#begunAt
    this.#begunAt = this.#offset
    this.#follow(argv[0] as string, begunAt)
    return argv
  }

  /** A command of five or four letters may be MULTI or EXEC. */
  #follow(name: string, begunAt: number): void {
    if (this.#openAt === undefined) {
      if (name.length === 5 && name.toLowerCase() === 'multi') this.#openAt = begunAt
    } else if (/^(exec|discard)$/i.test(name)) {
      this.#openAt = undefined
    }
  }

  /** The number after the type byte; undefined if there is none. */
  #readLength(): number | 'more' | undefined {
    const small = this.#input.readSmallLength()
    if (small !== undefined) return small
    const line = this.#input.readLine('\n', 0)
    if (line === 'waiting') return 'more'
    const digits = /^.(\d{1,15})\r$/s.exec(line)?.[1]
    return digits === undefined ? undefined : Number(digits)
  }

  #damage(reason: string): LogDamage {
    return { kind: 'damaged', offset: this.#begunAt, reason }
  }

  get #offset(): number {
    return this.#base + this.#input.readBytes
  }
}
