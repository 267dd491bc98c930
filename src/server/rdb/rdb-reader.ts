/**
 * Reads an RDB payload while it arrives: the dataset, and the few facts about replication in it. The
 * payload says itself where it ends; what follows is handed back. Nothing of it is visible before it
 * is complete and its checksum is right, so a broken transfer costs nothing but the time.
 */
import type { Entry } from '../keyspace.ts'
import { int64 } from './bytes.ts'
import { NEWEST_VERSION, OPCODE } from './rdb-format.ts'
import { type Demand, damage, type Parse, RdbInput } from './rdb-input.ts'
import { readValue } from './rdb-values.ts'

export interface RdbContents {
  /** One map per database of this node. */
  readonly dbs: Map<string, Entry>[]
  /** Only the fields about replication; the rest says how the writer was built. */
  readonly aux: ReadonlyMap<string, string>
  /** Libraries of server-side functions in the payload, which were skipped. */
  readonly skippedFunctions: number
}

export type RdbProgress =
  | { readonly kind: 'more' }
  | { readonly kind: 'done'; readonly contents: RdbContents; readonly rest: string }
  /** `offset`: where in the payload the record begins that cannot be read. */
  | { readonly kind: 'damaged'; readonly offset: number; readonly text: string }

export class RdbReader {
  readonly #input = new RdbInput()
  readonly #dbs: Map<string, Entry>[]
  readonly #aux = new Map<string, string>()
  readonly #serial: number
  readonly #parse: Parse<void>
  #db = 0
  #expireAtMs: number | undefined
  #skippedFunctions = 0
  #recordOffset = 0
  #end: RdbProgress | undefined

  /** `serial`: what every entry is stamped with, see Entry. */
  constructor(databases: number, serial: number) {
    this.#dbs = Array.from({ length: databases }, () => new Map())
    this.#serial = serial
    this.#parse = this.#payload()
  }

  /** After `done` or `damaged` the answer stays the same. */
  push(bytes: string): RdbProgress {
    if (this.#end !== undefined) return this.#end
    if (!this.#input.push(bytes)) return MORE
    const step = this.#parse.next()
    if (step.done === true) this.#end = this.#finished()
    else if (step.value.kind === 'damage') this.#end = this.#damaged(step.value)
    else this.#input.want(step.value.count)
    return this.#end ?? MORE
  }

  #finished(): RdbProgress {
    const contents = { dbs: this.#dbs, aux: this.#aux, skippedFunctions: this.#skippedFunctions }
    return { kind: 'done', contents, rest: this.#input.rest() }
  }

  #damaged(demand: Demand & { kind: 'damage' }): RdbProgress {
    return { kind: 'damaged', offset: this.#recordOffset, text: demand.text }
  }

  *#payload(): Parse<void> {
    const version = yield* this.#magic()
    for (;;) {
      this.#recordOffset = this.#input.offset
      const opcode = yield* this.#input.byte()
      if (opcode === OPCODE.end) break
      yield* this.#record(opcode)
    }
    if (version >= 5) yield* this.#checksum()
  }

  *#magic(): Parse<number> {
    const magic = yield* this.#input.bytes(9)
    if (!/^REDIS\d{4}$/.test(magic)) return yield* damage('this is not an RDB payload')
    const version = Number(magic.slice(5))
    if (version >= 1 && version <= NEWEST_VERSION) return version
    return yield* damage(`RDB version ${version} is not supported`)
  }

  /** Zero means that the writer did not compute it. */
  *#checksum(): Parse<void> {
    const computed = this.#input.checksum()
    const stored = yield* this.#input.bytes(8)
    if (stored !== computed && stored !== '\0'.repeat(8)) yield* damage('the checksum is wrong')
  }

  *#record(opcode: number): Parse<void> {
    const input = this.#input
    switch (opcode) {
      case OPCODE.aux:
        return yield* this.#auxField()
      case OPCODE.selectDb:
        return yield* this.#selectDb()
      case OPCODE.resizeDb:
        yield* input.length()
        yield* input.length()
        return
      case OPCODE.expireMs:
        this.#expireAtMs = Number(int64(yield* input.bytes(8), 0))
        return
      case OPCODE.expireSeconds:
        this.#expireAtMs = Number(int64(`${yield* input.bytes(4)}\0\0\0\0`, 0)) * 1000
        return
      case OPCODE.idle:
        yield* input.length()
        return
      case OPCODE.frequency:
        yield* input.byte()
        return
      case OPCODE.function:
        yield* input.string()
        this.#skippedFunctions++
        return
      case OPCODE.slotInfo:
        for (let field = 0; field < 3; field++) yield* input.length()
        return
      case OPCODE.moduleAux:
        return yield* damage('data of a module are not supported')
      case OPCODE.functionPreview:
        return yield* damage('functions of a release candidate are not supported')
      default:
        return yield* this.#key(opcode)
    }
  }

  *#auxField(): Parse<void> {
    const name = yield* this.#input.string()
    const value = yield* this.#input.string()
    if (KEPT_AUX.has(name)) this.#aux.set(name, value)
  }

  *#selectDb(): Parse<void> {
    const db = yield* this.#input.length()
    if (db >= this.#dbs.length) yield* damage(`database ${db} does not exist here`)
    this.#db = db
  }

  *#key(type: number): Parse<void> {
    const expireAtMs = this.#expireAtMs
    this.#expireAtMs = undefined
    const key = yield* this.#input.string()
    const value = yield* readValue(this.#input, type)
    if (value === undefined) return
    const entries = this.#dbs[this.#db] as Map<string, Entry>
    if (entries.has(key)) yield* damage('a key twice in one database')
    entries.set(key, { value, expireAtMs, serial: this.#serial })
  }
}

const MORE: RdbProgress = { kind: 'more' }
const KEPT_AUX: ReadonlySet<string> = new Set(['repl-stream-db', 'repl-id', 'repl-offset'])
