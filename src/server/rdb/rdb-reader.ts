/**
 * Reads an RDB payload while it arrives: the dataset, and the few facts about it and about
 * replication. The payload itself says where it ends; what follows is handed back. Nothing of it is
 * visible before it is complete and its checksum is right, so a broken transfer costs nothing but
 * time.
 *
 * This module does not ask whether a key is expired: the caller knows whether this node decides that.
 */

import type { KeyTable } from '../key-table/key-table.ts'
import { type Entry, type EntryTable, UNCOUNTED } from '../keyspace/entry-table.ts'
import { UNKNOWN_USAGE, type Usage } from '../keyspace/usage.ts'
import type { Value } from '../values/value.ts'
import { int32, int64Number, shownBytes } from './bytes.ts'
import {
  FIRST_OPCODE,
  isKnownVersion,
  KEPT_AUX,
  MAGIC_BYTES,
  NEWEST_VERSION,
  OPCODE,
  typeOfByte,
  VALKEY_VERSION,
  versionOfMagic,
} from './rdb-format.ts'
import {
  damage,
  type Parse,
  type ParseDemand,
  RdbInput,
  type UnreadableCause,
} from './rdb-input.ts'
import { skipModuleData } from './rdb-module.ts'
import { takeValue } from './rdb-take.ts'
import { readValue } from './rdb-values.ts'

export interface RdbContents {
  /** One table per database of this node. */
  readonly dbs: readonly EntryTable[]
  /** For each table, the keys that have an expiry. */
  readonly expires: KeyTable<Entry>[]
  /** Only the fields about replication and about the file; the rest says how the writer was built. */
  readonly aux: ReadonlyMap<string, string>
  /** The sources of libraries of server-side functions. */
  readonly functions: readonly string[]
  /** What was left out although the dataset is complete, each a sentence for the log. */
  readonly notices: readonly string[]
}

export type RdbProgress =
  | { readonly kind: 'more' }
  | { readonly kind: 'done'; readonly contents: RdbContents; readonly rest: string }
  /** `offset`: where in the payload the unreadable record begins. */
  | {
      readonly kind: 'damaged'
      readonly offset: number
      readonly text: string
      readonly cause: UnreadableCause
    }

export class RdbReader {
  readonly #input: RdbInput
  readonly #dbs: readonly EntryTable[]
  readonly #expires: KeyTable<Entry>[]
  readonly #aux = new Map<string, string>()
  readonly #functions: string[] = []
  readonly #notices = new Set<string>()
  readonly #serial: number
  readonly #usage: Pick<Usage, 'restored'> | undefined
  readonly #isVerified: boolean
  readonly #parse: Parse<void>
  #db = 0
  #keysRead = 0
  /** What came before the next key and applies to it. */
  #expireAtMs: number | undefined
  #idleSeconds: number | undefined
  #frequency: number | undefined
  /** For keys whose usage the payload does not give. */
  #freshUsage = UNKNOWN_USAGE
  #recordOffset = 0
  /** The key whose value is being read. */
  #key: string | undefined
  #end: RdbProgress | undefined

  /**
   * `dbs`: empty tables, one per database. `serial`: the stamp of every entry, see Entry. `usage`:
   * converts the usage of keys that the payload gives; without it, usage is unknown. `isVerified`:
   * a wrong checksum is damage.
   */
  constructor(
    dbs: readonly EntryTable[],
    serial: number,
    usage?: Pick<Usage, 'restored'>,
    isVerified = true,
  ) {
    this.#isVerified = isVerified
    this.#dbs = dbs
    this.#input = new RdbInput(dbs[0]?.hash)
    this.#expires = dbs.map((db) => db.sibling())
    this.#serial = serial
    this.#usage = usage
    this.#parse = this.#payload()
  }

  get keysRead(): number {
    return this.#keysRead
  }

  /** After `done` or `damaged` the answer stays the same. */
  push(bytes: string): RdbProgress {
    if (this.#end !== undefined) return this.#end
    if (!this.#input.push(bytes)) return MORE
    this.#freshUsage = this.#usage?.restored({}) ?? UNKNOWN_USAGE
    const step = this.#parse.next()
    if (step.done === true) this.#end = this.#finished()
    else if (step.value.kind === 'damage') this.#end = this.#damaged(step.value)
    else this.#input.want(step.value.count)
    return this.#end ?? MORE
  }

  /** For a payload that has ended too early: where, and in the middle of what. */
  ended(): RdbProgress & { kind: 'damaged' } {
    const text = this.#key === undefined ? 'it ends early' : `it ends early, ${this.#inValue()}`
    return { kind: 'damaged', offset: this.#input.offset, text, cause: 'damaged' }
  }

  #finished(): RdbProgress {
    const contents: RdbContents = {
      dbs: this.#dbs,
      expires: this.#expires,
      aux: this.#aux,
      functions: this.#functions,
      notices: [...this.#notices],
    }
    return { kind: 'done', contents, rest: this.#input.rest() }
  }

  #damaged(demand: ParseDemand & { kind: 'damage' }): RdbProgress {
    const text = this.#key === undefined ? demand.text : `${this.#inValue()}: ${demand.text}`
    return { kind: 'damaged', offset: this.#recordOffset, text, cause: demand.cause ?? 'damaged' }
  }

  #inValue(): string {
    return `in the value of key ${shownBytes(this.#key ?? '')}`
  }

  *#payload(): Parse<void> {
    const version = yield* this.#magic()
    const input = this.#input
    for (;;) {
      this.#recordOffset = input.offset
      const opcode = input.takeByte() ?? (yield* input.byte())
      if (opcode < FIRST_OPCODE) {
        const type = typeOfByte(opcode, version)
        if (!this.#takeEntry(type)) yield* this.#entry(type)
      } else if (opcode === OPCODE.end) break
      else yield* this.#record(opcode)
    }
    if (version >= 5) yield* this.#checksum()
  }

  *#magic(): Parse<number> {
    const magic = versionOfMagic(yield* this.#input.bytes(MAGIC_BYTES))
    if (magic === undefined) return yield* damage('this is not an RDB payload', 'foreign')
    const { name, version } = magic
    const isRightName = version >= VALKEY_VERSION === (name === 'VALKEY')
    if (version > 0 && isKnownVersion(version) && isRightName) return version
    const cause = version > NEWEST_VERSION ? 'newer' : 'damaged'
    return yield* damage(`it has RDB version ${version}${READ_VERSIONS}`, cause)
  }

  /** Zero means that the writer did not compute it. */
  *#checksum(): Parse<void> {
    const computed = this.#input.checksum()
    const stored = yield* this.#input.bytes(8)
    if (!this.#isVerified) return
    if (stored !== computed && stored !== '\0'.repeat(8)) yield* damage('the checksum is wrong')
  }

  /** False, and nothing was taken, if it has not arrived completely or something is wrong with it. */
  #takeEntry(type: number): boolean {
    const input = this.#input
    const { mark } = input
    const key = input.takeString()
    const value = key === undefined ? undefined : takeValue(input, type)
    if (key === undefined || value === undefined || !this.#add(key, value)) {
      input.back(mark)
      return false
    }
    this.#forgetAttributes()
    return true
  }

  *#entry(type: number): Parse<void> {
    const input = this.#input
    const key = input.takeString() ?? (yield* input.string())
    this.#key = key
    const value = yield* readValue(input, type)
    this.#key = undefined
    if (value !== undefined && !this.#add(key, value)) yield* damage(this.#whyNotAdded(key))
    this.#forgetAttributes()
  }

  #forgetAttributes(): void {
    this.#expireAtMs = undefined
    this.#idleSeconds = undefined
    this.#frequency = undefined
  }

  /** False if it cannot be added. */
  #add(key: string, value: Value): boolean {
    const expireAtMs = this.#expireAtMs
    const [serial, usage] = [this.#serial, this.#usageOfKey()]
    const entry: Entry = { value, expireAtMs, serial, usage, bytes: UNCOUNTED }
    if (!this.#dbs[this.#db]?.add(key, entry)) return false
    if (expireAtMs !== undefined) this.#expires[this.#db]?.add(key, entry)
    this.#keysRead++
    return true
  }

  #usageOfKey(): number {
    const [idleSeconds, frequency] = [this.#idleSeconds, this.#frequency]
    if (idleSeconds === undefined && frequency === undefined) return this.#freshUsage
    return this.#usage?.restored({ idleSeconds, frequency }) ?? UNKNOWN_USAGE
  }

  #whyNotAdded(key: string): string {
    return `key ${shownBytes(key)} is in database ${this.#db} twice`
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
        this.#expireAtMs = int64Number(input.takeBytes(8) ?? (yield* input.bytes(8)), 0)
        return
      case OPCODE.expireSeconds:
        this.#expireAtMs = 1000 * int32(yield* input.bytes(4), 0)
        return
      case OPCODE.idle:
        this.#idleSeconds = yield* input.length()
        return
      case OPCODE.frequency:
        this.#frequency = yield* input.byte()
        return
      case OPCODE.function:
        this.#functions.push(yield* input.string())
        return
      case OPCODE.slotInfo:
        for (let field = 0; field < 3; field++) yield* input.length()
        return
      case OPCODE.moduleAux:
        this.#notices.add(`data of ${yield* skipModuleData(input)} were left out`)
        return
      case OPCODE.functionPreview:
        return yield* damage('functions of a release candidate are not supported', 'unsupported')
      default:
        return yield* this.#entry(opcode)
    }
  }

  *#auxField(): Parse<void> {
    const name = yield* this.#input.string()
    const value = yield* this.#input.string()
    if (KEPT_AUX.has(name)) this.#aux.set(name, value)
  }

  *#selectDb(): Parse<void> {
    const db = yield* this.#input.length()
    const { length } = this.#dbs
    if (db >= length)
      yield* damage(`it has a database ${db}, and databases is ${length}`, 'database')
    this.#db = db
  }
}

/** What is wrong with a payload, and where: half a sentence that follows its name. */
export function faultText({ cause, offset, text }: RdbProgress & { kind: 'damaged' }): string {
  if (cause === 'damaged') return `is damaged at byte ${offset}: ${text}`
  return `cannot be read from byte ${offset} on: ${text}`
}

const READ_VERSIONS = `, and this node reads 1 to ${NEWEST_VERSION}, and ${VALKEY_VERSION} of Valkey`
const MORE: RdbProgress = { kind: 'more' }
