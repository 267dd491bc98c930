/** PFADD, PFCOUNT, PFMERGE: for the value see values/hyperloglog.ts. PFDEBUG shows its inside. */
import { array, bulk, error, integer, OK, type Reply, simple } from '../../../resp/reply.ts'
import { arg, command, type Family } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { DAMAGED_HLL, NOT_AN_HLL, WRONG_TYPE } from '../../errors.ts'
import type { Entry } from '../../keyspace/db.ts'
import {
  cachedCardinality,
  densified,
  EMPTY_HLL,
  hllForm,
  hllRegisters,
  REGISTERS,
  raiseRegisters,
  sparseText,
  withCachedCardinality,
  withElement,
  withoutCachedCardinality,
  withRegisters,
} from '../../values/hyperloglog.ts'
import { cardinality } from '../../values/hyperloglog-estimate.ts'
import { writeString } from '../strings/string-writing.ts'

const ZERO = integer(0)
const ONE = integer(1)

function pfAdd(context: CommandContext, argv: readonly string[]): Reply {
  const key = arg(argv, 1)
  const entry = context.db.find(key)
  const old = bytesOf(entry)
  if (typeof old !== 'string') return old
  const maxSparseBytes = context.node.settings.int('hll-sparse-max-bytes')
  let bytes = old
  let changes = entry === undefined ? 1 : 0
  for (let at = 2; at < argv.length; at++) {
    const changed = withElement(bytes, arg(argv, at), maxSparseBytes)
    if (changed === undefined) return DAMAGED_HLL
    if (changed !== bytes) changes++
    bytes = changed
  }
  if (changes === 0) return ZERO
  writeString(context.db, key, entry, withoutCachedCardinality(bytes), 'raw')
  context.notify('pfadd', key)
  context.propagate(undefined, changes)
  return ONE
}

function pfCount(context: CommandContext, argv: readonly string[]): Reply {
  if (argv.length > 2) return countUnion(context, argv.slice(1))
  const key = arg(argv, 1)
  const entry = context.db.find(key)
  if (entry === undefined) return ZERO
  const bytes = bytesOf(entry)
  if (typeof bytes !== 'string') return bytes
  const cached = cachedCardinality(bytes)
  if (cached !== undefined) return integer(cached)
  const registers = hllRegisters(bytes)
  if (registers === undefined) return DAMAGED_HLL
  const count = cardinality(registers)
  keepCount(context, key, entry, withCachedCardinality(bytes, count))
  return countReply(count)
}

/** Beyond 2^53 a number does not print all of its digits. */
function countReply(count: number): Reply {
  return integer(Number.isSafeInteger(count) ? count : BigInt(count))
}

/**
 * The cardinality is kept in the value, and replicas get a command that does the same. A replica
 * changes nothing when its own clients ask: its value would differ from its master's.
 */
function keepCount(context: CommandContext, key: string, entry: Entry, bytes: string): void {
  const { node, session } = context
  if (node.replication.isReplica() && session.kind !== 'master') return
  writeString(context.db, key, entry, bytes, 'raw')
  context.propagate()
}

function countUnion(context: CommandContext, keys: readonly string[]): Reply {
  const union = unionOf(context, keys)
  return 'kind' in union ? union : countReply(cardinality(union.registers))
}

function pfMerge(context: CommandContext, argv: readonly string[]): Reply {
  const key = arg(argv, 1)
  const union = unionOf(context, argv.slice(1))
  if ('kind' in union) return union
  const entry = context.db.find(key)
  const old = bytesOf(entry)
  if (typeof old !== 'string') return old
  const start = union.hasDense ? densified(old) : old
  const maxSparseBytes = context.node.settings.int('hll-sparse-max-bytes')
  const merged = start && withRegisters(start, union.registers, maxSparseBytes)
  if (merged === undefined) return DAMAGED_HLL
  writeString(context.db, key, entry, withoutCachedCardinality(merged), 'raw')
  context.notify('pfadd', key)
  context.propagate()
  return OK
}

interface Union {
  readonly registers: Uint8Array
  readonly hasDense: boolean
}

function unionOf({ db }: CommandContext, keys: readonly string[]): Union | Reply {
  const registers = new Uint8Array(REGISTERS)
  let hasDense = false
  for (const key of keys) {
    const entry = db.findSource(key)
    if (entry === undefined) continue
    const bytes = bytesOf(entry)
    if (typeof bytes !== 'string') return bytes
    const others = hllRegisters(bytes)
    if (others === undefined) return DAMAGED_HLL
    if (hllForm(bytes) === 'dense') hasDense = true
    raiseRegisters(registers, others)
  }
  return { registers, hasDense }
}

/** The string of an entry, or an empty HyperLogLog if there is none. */
function bytesOf(entry: Entry | undefined): string | Reply {
  if (entry === undefined) return EMPTY_HLL
  if (entry.value.type !== 'string') return WRONG_TYPE
  return hllForm(entry.value.bytes) === undefined ? NOT_AN_HLL : entry.value.bytes
}

export const hyperloglogFamily: Family = {
  group: 'hyperloglog',
  category: '@hyperloglog',
  commands: [
    command('pfadd', -2, 'write denyoom fast', ['1 RW insert'], pfAdd),
    command('pfcount', -2, 'readonly may_replicate', ['1..-1 RW access'], pfCount),
    command('pfmerge', -2, 'write denyoom', ['1 RW access insert', '2..-1 RO access'], pfMerge),
    command('pfdebug', 3, 'write denyoom admin', ['2 RW access'], pfDebug),
    command('pfselftest', 1, 'admin', [], () => OK),
  ],
}

/** PFDEBUG: shows the registers and the form of a HyperLogLog, and converts it to the dense form. */
const NO_SUCH_KEY = error('ERR The specified key does not exist')
const NOT_SPARSE = error('ERR HLL encoding is not sparse')

function pfDebug(context: CommandContext, argv: readonly string[]): Reply {
  const [subcommand, key] = [arg(argv, 1), arg(argv, 2)]
  const entry = context.db.find(key)
  if (entry === undefined) return NO_SUCH_KEY
  if (entry.value.type !== 'string') return WRONG_TYPE
  const { bytes } = entry.value
  const form = hllForm(bytes)
  if (form === undefined) return NOT_AN_HLL
  switch (subcommand.toLowerCase()) {
    case 'getreg':
      return registersOf(context, key, entry, bytes)
    case 'decode':
      return form === 'sparse' ? bulk(sparseText(bytes)) : NOT_SPARSE
    case 'encoding':
      return simple(form)
    case 'todense':
      return densify(context, key, entry, bytes) ?? integer(form === 'sparse' ? 1 : 0)
    default:
      return error(`ERR Unknown PFDEBUG subcommand '${subcommand}'`)
  }
}

/** Reading the registers makes the value dense, in Redis too. */
function registersOf(context: CommandContext, key: string, entry: Entry, bytes: string): Reply {
  const registers = hllRegisters(bytes)
  if (registers === undefined) return DAMAGED_HLL
  return densify(context, key, entry, bytes) ?? array(Array.from(registers, integer))
}

function densify(
  context: CommandContext,
  key: string,
  entry: Entry,
  bytes: string,
): Reply | undefined {
  const dense = densified(bytes)
  if (dense === undefined) return DAMAGED_HLL
  if (dense === bytes) return undefined
  writeString(context.db, key, entry, dense, 'raw')
  context.propagate()
  return undefined
}
