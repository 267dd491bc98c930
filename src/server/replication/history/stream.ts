/**
 * The stream of changes that this node passes on: on a master the effects of its commands, on a
 * replica the very bytes its own master sent. Everything is written to the history and to all
 * replicas in the same order, because a resynchronisation relies on positions alone.
 *
 * The stream is stateful: a SELECT goes before commands for another database than the last one, and
 * several effects of one command or transaction stand between MULTI and EXEC, so that a replica
 * never shows half of them.
 */
import type { Address } from '../../../base/ip.ts'
import { encodeCommand } from '../../../resp/encode.ts'
import type { Replicas } from '../serving/replicas.ts'
import type { History } from './history.ts'

const MULTI = encodeCommand(['MULTI'])
const EXEC = encodeCommand(['EXEC'])

export const PING = encodeCommand(['ping'])
export const GETACK = encodeCommand(['REPLCONF', 'GETACK', '*'])

export const TAKEOVER_WORD = 'takeover'

/** GETACK for all; by the other words a replica of ours knows that it is to become the master. */
export function getAckBeforeTakeover({ host, port }: Address): string {
  return encodeCommand(['REPLCONF', 'GETACK', TAKEOVER_WORD, host, String(port)])
}

export class StreamEncoder {
  #db: number | undefined

  /** The database selected in the stream; undefined: the next command has to select one. */
  get db(): number | undefined {
    return this.#db
  }

  /**
   * Puts a SELECT before the next command. Needed whenever a replica joins that does not know what
   * was selected: after a full resynchronisation, after a promotion.
   */
  forgetDb(): void {
    this.#db = undefined
  }

  /** SELECT stands before MULTI, as Redis 7.0 has it. */
  encode(db: number, commands: readonly (readonly string[])[]): string {
    const select = this.#db === db ? '' : encodeCommand(['SELECT', String(db)])
    this.#db = db
    let bytes = ''
    for (const argv of commands) bytes += this.#encodeOne(argv)
    return commands.length > 1 ? select + MULTI + bytes + EXEC : select + bytes
  }

  /** A transaction over several databases carries its own SELECTs. */
  #encodeOne(argv: readonly string[]): string {
    if (argv[0]?.toLowerCase() === 'select') this.#db = Number(argv[1])
    return encodeCommand(argv)
  }
}

export class ReplicationStream {
  readonly #history: History
  readonly #replicas: Replicas
  readonly #encoder = new StreamEncoder()

  constructor(history: History, replicas: Replicas) {
    this.#history = history
    this.#replicas = replicas
  }

  /**
   * Effects of a command of ours. Without a backlog no replica can ask for them, and they do not
   * count.
   */
  propagate(db: number, commands: readonly (readonly string[])[]): void {
    if (this.#history.backlog === undefined || commands.length === 0) return
    const { db: selected } = this.#encoder
    this.feed(this.#encoder.encode(db, commands), selected)
  }

  /** Writes bytes of ours that belong to no database: a PING, a GETACK. */
  feedIfKept(bytes: string): void {
    if (this.#history.backlog !== undefined) this.feed(bytes, this.#encoder.db)
  }

  /** Takes bytes of the history, ours or our master's. `db`: the database selected before them. */
  feed(bytes: string, db: number | undefined): void {
    this.#history.append(bytes, db)
    this.#replicas.pass(bytes)
    this.#history.backlog?.trim(this.#replicas.neededFromOffset())
  }

  /** The database selected in our own stream; undefined: the next command selects one. */
  get db(): number | undefined {
    return this.#encoder.db
  }

  forgetDb(): void {
    this.#encoder.forgetDb()
  }
}
