/** PFDEBUG: the registers and the form of a HyperLogLog, and the dense form by force. */
import { array, bulk, error, integer, type Reply, simple } from '../../../resp/reply.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { DAMAGED_HLL, NOT_AN_HLL, WRONG_TYPE } from '../../errors.ts'
import type { Entry } from '../../keyspace/db.ts'
import { densified, hllForm, hllRegisters, sparseText } from '../../values/hyperloglog.ts'
import { writeString } from '../strings/string-writing.ts'

const NO_SUCH_KEY = error('ERR The specified key does not exist')
const NOT_SPARSE = error('ERR HLL encoding is not sparse')

export function pfDebug(context: CommandContext, argv: readonly string[]): Reply {
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

/** Looking at the registers makes the value dense, in Redis too. */
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
  writeString(context.db, key, entry, dense)
  context.propagate()
  return undefined
}
