/**
 * The effects of commands as bytes of the replication stream. The stream is stateful: a SELECT goes
 * before commands for another database than the last one, and the effects of one command or
 * transaction stand between MULTI and EXEC if there are several, so that a replica never shows half.
 */
import { encodeCommand } from '../../../resp/encode.ts'

const MULTI = encodeCommand(['MULTI'])
const EXEC = encodeCommand(['EXEC'])

export const PING = encodeCommand(['ping'])
export const GETACK = encodeCommand(['REPLCONF', 'GETACK', '*'])

export class StreamEncoder {
  #db: number | undefined

  /** The database selected in the stream; undefined: the next command has to select one. */
  get db(): number | undefined {
    return this.#db
  }

  /**
   * After this the next command is preceded by SELECT. Needed whenever somebody joins who does not
   * know what was selected: after a full resync, after a promotion.
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
