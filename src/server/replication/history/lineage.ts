/**
 * What a master says of its history beside its id: from which other history it came, and where. PSYNC does
 * not tell, but INFO does, and a connection may ask it before PSYNC. It is what tells a promoted replica
 * from a master that has lost its data: both offer a full copy under an id nobody has heard of.
 */
import { parseInt64 } from '../../../base/decimal.ts'

export interface Lineage {
  readonly id: string
  readonly offset: number
  /** The history it was in before, or NO_REPLICATION_ID. */
  readonly previousId: string
  /** The first offset at which the previous history is no longer its own; -1 without one. */
  readonly secondOffset: number
  /** It has its data from a master of its own. */
  readonly isReplica: boolean
  /** How many keys it has in all its databases. */
  readonly keys: number
}

/** Nobody asked, it was asked and did not say (INFO may be forbidden), or what it said. */
export type LineageAnswer = 'unasked' | 'untold' | Lineage

/** INFO of a master with a thousand replicas is a tenth of this. */
const MAX_REPLY_BYTES = 1024 * 1024

/** Reads the answer to INFO line by line, since that is how a handshake is read. */
export class LineageReply {
  /** Of the bulk and the line end after it; undefined: its header has not been read. */
  #leftBytes: number | undefined
  readonly #fields = new Map<string, string>()

  /** The next line without its end. Undefined: more are to come. `broken`: what follows cannot be read. */
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

/** `db0:keys=1,expires=0,avg_ttl=0`, a line for each database that has any. */
function keysOf(fields: ReadonlyMap<string, string>): number {
  let keys = 0
  for (const [name, value] of fields) {
    if (/^db\d+$/.test(name)) keys += Number(/^keys=(\d{1,15})/.exec(value)?.[1] ?? 0)
  }
  return keys
}
