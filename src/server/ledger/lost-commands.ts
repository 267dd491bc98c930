/**
 * The writes in a part of the replication stream, which is what a ledger keeps. Commands of the protocol
 * are left out, a SELECT comes before the first write to another database, and transactions stay whole.
 *
 * It is read piece by piece, because reading a large backlog at once would stop the node for a while.
 */
import { encodeCommand } from '../../resp/encode.ts'
import { RequestDecoder } from '../../resp/request-decoder.ts'

/** Bytes of the stream, and their position in it. */
export interface StreamPart {
  /** Offset of the first byte of `pieces`; a command begins there. */
  readonly start: number
  /** The database selected at `start`; undefined if a SELECT comes before any write. */
  readonly db: number | undefined
  /** Offset of the first byte that counts. */
  readonly from: number
  readonly pieces: readonly string[]
}

/**
 * Whether we are in a transaction: `none`; `empty`, whose MULTI has not been needed yet; `open`,
 * with writes.
 */
type Transaction = 'none' | 'empty' | 'open'

const MULTI = encodeCommand(['MULTI'])
const EXEC = encodeCommand(['EXEC'])

/** The keys a command writes or reads, as far as its arguments tell; undefined: it is a message, no write. */
export type KeysOf = (argv: readonly string[]) => readonly string[] | undefined

export class LostCommands {
  readonly #part: StreamPart
  readonly #keysOf: KeysOf
  readonly #decoder = new RequestDecoder({ acceptsInline: false })
  readonly #keys = new Set<string>()
  #nextPiece = 0
  #db: number | undefined
  /** The database selected in the output so far. */
  #writtenDb: number | undefined
  #transaction: Transaction = 'none'
  #count = 0
  #isOver = false

  constructor(part: StreamPart, keysOf: KeysOf) {
    this.#part = part
    this.#keysOf = keysOf
    this.#db = part.db
  }

  /** How many writes were found so far. */
  get count(): number {
    return this.#count
  }

  /** How many different keys they name. */
  get keys(): number {
    return this.#keys.size
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** The writes in the next piece; there may be none. */
  next(): string {
    const piece = this.#part.pieces[this.#nextPiece++]
    if (piece === undefined) return this.#end()
    this.#decoder.push(piece)
    let bytes = ''
    for (let next = this.#decoder.next(); next !== undefined; next = this.#decoder.next()) {
      // Our own backlog contains nothing but commands.
      if (next.kind !== 'command') return bytes + this.#end()
      bytes += this.#take(next.argv, this.#part.start + this.#decoder.consumed)
    }
    return bytes
  }

  #end(): string {
    this.#isOver = true
    return this.#transaction === 'open' ? EXEC : ''
  }

  /** `end`: offset of the byte after the command. */
  #take(argv: readonly string[], end: number): string {
    const name = (argv[0] ?? '').toLowerCase()
    if (name === 'select') this.#db = Number(argv[1])
    if (end <= this.#part.from) return ''
    switch (name) {
      case 'select':
        return ''
      case 'multi':
        this.#transaction = 'empty'
        return ''
      case 'exec':
        return this.#exec()
      case 'ping':
      case 'replconf':
        return ''
      default:
        return this.#write(argv)
    }
  }

  #exec(): string {
    const wasOpen = this.#transaction === 'open'
    this.#transaction = 'none'
    return wasOpen ? EXEC : ''
  }

  #write(argv: readonly string[]): string {
    const keys = this.#keysOf(argv)
    if (keys === undefined) return ''
    this.#count++
    for (const key of keys) this.#keys.add(`${this.#db}:${key}`)
    return this.#select() + this.#multi() + encodeCommand(argv)
  }

  #select(): string {
    if (this.#db === undefined || this.#db === this.#writtenDb) return ''
    this.#writtenDb = this.#db
    return encodeCommand(['SELECT', String(this.#db)])
  }

  #multi(): string {
    if (this.#transaction !== 'empty') return ''
    this.#transaction = 'open'
    return MULTI
  }
}
