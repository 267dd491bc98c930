/**
 * What a master says about its history beside the id: from which other history it came, and at
 * which offset. PSYNC does not tell, but INFO does, and a connection may send INFO before PSYNC.
 * The lineage tells a promoted replica from a master that has lost its data: both offer a full copy
 * under a new id.
 */
import { parseInt64 } from '../../../base/decimal.ts'

export interface Lineage {
  readonly id: string
  readonly offset: number
  /** The history the master was in before, or NO_REPLICATION_ID. */
  readonly previousId: string
  /** The first offset at which the previous history is no longer its own; -1 without one. */
  readonly secondOffset: number
  /** The master has its data from a master of its own. */
  readonly isReplica: boolean
  /** How many keys the master has in all its databases. */
  readonly keys: number
}

/** The master was not asked, was asked and did not say (INFO may be forbidden), or its answer. */
export type LineageAnswer = 'unasked' | 'untold' | Lineage

/** A bound; INFO of a master with a thousand replicas is a tenth of this. */
const MAX_REPLY_BYTES = 1024 * 1024

/** Reads the answer to INFO line by line, because the handshake reads lines. */
export class LineageReply {
  /**
   * Bytes left of the bulk and of the line end after it; undefined: the header has not been read.
   */
  #leftBytes: number | undefined
  readonly #fields = new Map<string, string>()

  /**
   * Takes the next line without its end. Undefined: more lines are to come. `broken`: the answer
   * cannot be read.
   */
  line(text: string): Exclude<LineageAnswer, 'unasked'> | 'broken' | undefined {
    if (this.#leftBytes === undefined) return this.#header(text)
    this.#leftBytes -= text.length + 2
    const colon = text.indexOf(':')
    if (colon > 0) this.#fields.set(text.slice(0, colon), text.slice(colon + 1))
    if (this.#leftBytes > 0) return undefined
    return this.#leftBytes === 0 ? (parse(this.#fields) ?? 'untold') : 'broken'
  }

  #header(text: string): 'untold' | 'broken' | undefined {
    if (!text.startsWith('$')) return 'untold'
    const bytes = parseInt64(text.slice(1))
    if (typeof bytes !== 'number' || bytes < 0 || bytes > MAX_REPLY_BYTES) return 'broken'
    this.#leftBytes = bytes + 2
    return undefined
  }
}

function parse(fields: ReadonlyMap<string, string>): Lineage | undefined {
  const id = fields.get('master_replid')
  const previousId = fields.get('master_replid2')
  const offset = parseInt64(fields.get('master_repl_offset') ?? '')
  const secondOffset = parseInt64(fields.get('second_repl_offset') ?? '')
  if (id === undefined || previousId === undefined) return undefined
  if (typeof offset !== 'number' || typeof secondOffset !== 'number') return undefined
  const isReplica = fields.get('role') === 'slave'
  return { id, offset, previousId, secondOffset, isReplica, keys: keysOf(fields) }
}

/** `db0:keys=1,expires=0,avg_ttl=0`, a line for each database that has keys. */
function keysOf(fields: ReadonlyMap<string, string>): number {
  let keys = 0
  for (const [name, value] of fields) {
    if (/^db\d+$/.test(name)) keys += Number(/^keys=(\d{1,15})/.exec(value)?.[1] ?? 0)
  }
  return keys
}
