/**
 * Every error text of the data node, byte for byte as Redis 7.0 sends it; errors that the Sentinel
 * sends as well are in `src/session/errors.ts`. The functions at the end build the texts that quote
 * the request.
 */
import { cString } from '../base/c-string.ts'
import { error } from '../resp/reply.ts'
import * as errors from '../session/errors.ts'

export {
  NO_AUTH,
  NOT_AN_INTEGER,
  notAllowedWhenSubscribed,
  SYNTAX_ERROR,
  TIMEOUT_NEGATIVE,
  TIMEOUT_NOT_AN_INTEGER,
  TOO_MANY_CLIENTS,
  wrongArity,
} from '../session/errors.ts'

export const WRONG_TYPE = error('WRONGTYPE Operation against a key holding the wrong kind of value')
export const NOT_AN_INT32 = error(
  'ERR value is out of range, value must between -2147483648 and 2147483647',
)
export const NOT_A_FLOAT = error('ERR value is not a valid float')
export const HASH_NOT_AN_INTEGER = error('ERR hash value is not an integer')
export const HASH_NOT_A_FLOAT = error('ERR hash value is not a float')
export const OUT_OF_RANGE = error('ERR value is out of range')
/** The one integer of 64 bits without a counterpart. */
export const NOT_NEGATABLE = error(
  'ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807',
)
export const MUST_BE_POSITIVE = error('ERR value is out of range, must be positive')
export const WOULD_OVERFLOW = error('ERR increment or decrement would overflow')
export const NAN_OR_INFINITY = error('ERR increment would produce NaN or Infinity')
export const DECREMENT_OVERFLOW = error('ERR decrement would overflow')
export const TOO_LONG = error('ERR string exceeds maximum allowed size (proto-max-bulk-len)')
export const OFFSET_OUT_OF_RANGE = error('ERR offset is out of range')
export const BIT_OFFSET_OUT_OF_RANGE = error('ERR bit offset is not an integer or out of range')
export const NOT_A_BIT = error('ERR bit is not an integer or out of range')
export const NOT_BIT_0_OR_1 = error('ERR The bit argument must be 1 or 0.')
export const BITOP_NOT_SINGLE = error('ERR BITOP NOT must be called with a single source key.')
export const BAD_BITFIELD_TYPE = error(
  'ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.',
)
export const BAD_OVERFLOW = error('ERR Invalid OVERFLOW type specified')
export const BITFIELD_READ_ONLY = error('ERR BITFIELD_RO only supports the GET subcommand')

export const NOT_AN_HLL = error('WRONGTYPE Key is not a valid HyperLogLog string value.')
export const DAMAGED_HLL = error('INVALIDOBJ Corrupted HLL object detected')

export const NO_SUCH_KEY = error('ERR no such key')
export const INDEX_OUT_OF_RANGE = error('ERR index out of range')
export const SAME_OBJECT = error('ERR source and destination objects are the same')
export const DB_OUT_OF_RANGE = error('ERR DB index is out of range')
export const INVALID_CURSOR = error('ERR invalid cursor')
export const BAD_FIRST_DB = error('ERR invalid first DB index')
export const BAD_SECOND_DB = error('ERR invalid second DB index')
export const NX_AND_OTHERS = error(
  'ERR NX and XX, GT or LT options at the same time are not compatible',
)
export const GT_AND_LT = error('ERR GT and LT options at the same time are not compatible')

export const RANK_ZERO = error(
  "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use " +
    'negative to start from the end of the list',
)
export const NEGATIVE_COUNT = error("ERR COUNT can't be negative")
export const NEGATIVE_MAXLEN = error("ERR MAXLEN can't be negative")
export const COUNT_NOT_POSITIVE = error('ERR count should be greater than 0')
export const NUMKEYS_NOT_POSITIVE = error('ERR numkeys should be greater than 0')
export const INVALID_NUMKEYS = error('ERR invalid numkeys value or out of range')
export const TOO_MANY_KEYS = error("ERR Number of keys can't be greater than number of args")
export const NEGATIVE_LIMIT = error("ERR LIMIT can't be negative")
export const TIMEOUT_NOT_A_FLOAT = error('ERR timeout is not a float or out of range')
export const TIMEOUT_OUT_OF_RANGE = error('ERR timeout is out of range')

export const UNBLOCKED_BY_CLIENT = error('UNBLOCKED client unblocked via CLIENT UNBLOCK')
export const UNBLOCKED_BY_ROLE = error(
  'UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)',
)
export const PROTECTED_MODE = error(
  'DENIED this node is in protected mode: it has no password, so it accepts connections from the ' +
    'loopback interface only. Set requirepass, or set protected-mode to no if the network keeps ' +
    'strangers out.',
)

export const OUT_OF_MEMORY = error("OOM command not allowed when used memory > 'maxmemory'.")
/** By the first word every client library asks for the master again, also for a read. */
export const NO_READS = 'READONLY this node is a replica of a strict group and answers no reads'
export const READ_ONLY_REPLICA = error("READONLY You can't write against a read only replica.")
export const LOADING = error('LOADING Redis is loading the dataset in memory')

export const BUSY_SCRIPT = error(
  'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
)
export const BUSY_FUNCTION = error(
  'BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.',
)
export const NOT_BUSY = error('NOTBUSY No scripts in execution right now.')
export const NO_SCRIPT = error('NOSCRIPT No matching script. Please use EVAL.')
export const UNKILLABLE = error(
  'UNKILLABLE Sorry the script already executed write commands against the dataset. You can either ' +
    'wait the script termination or kill the server in a hard way using the SHUTDOWN NOSAVE command.',
)

export const MASTER_DOWN = error(
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
)
export const REPLICA_KEYSPACE = error("ERR Replica can't interact with the keyspace")

export const NESTED_MULTI = error('ERR MULTI calls can not be nested')
export const WATCH_INSIDE_MULTI = error('ERR WATCH inside MULTI is not allowed')
export const EXEC_WITHOUT_MULTI = error('ERR EXEC without MULTI')
export const DISCARD_WITHOUT_MULTI = error('ERR DISCARD without MULTI')
export const EXEC_ABORT = error('EXECABORT Transaction discarded because of previous errors.')
export const NOT_IN_TRANSACTION = error('ERR Command not allowed inside a transaction')

export const NO_CONFIG_FILE = error('ERR The server is running without a config file')
export const DEBUG_NOT_ALLOWED = error(
  'ERR DEBUG command not allowed. If the enable-debug-command option is set to "local", you can ' +
    'run it from a local connection, otherwise you need to set this option in the configuration ' +
    'file, and then restart the server.',
)
export const NO_SHUTDOWN = error('ERR No shutdown in progress.')
export const NO_KEY_ARGUMENTS = error('ERR The command has no key arguments')
export const INVALID_COMMAND = error('ERR Invalid command specified')
export const INVALID_ARGUMENTS = error('ERR Invalid number of arguments specified for command')
export const NO_KEYS_FOUND = error('ERR Invalid arguments specified for command')
export const LFU_SELECTED = error(
  'ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when switching ' +
    'between policies at runtime LRU and LFU data will take some time to adjust.',
)
export const BAD_SLOWLOG_COUNT = error('ERR count should be greater than or equal to -1')
export const BUSY_KEY = error('BUSYKEY Target key name already exists.')
export const BAD_PAYLOAD = error('ERR DUMP payload version or checksum are wrong')
export const BAD_DATA_FORMAT = error('ERR Bad data format')
export const NEGATIVE_TTL = error('ERR Invalid TTL value, must be >= 0')
export const BAD_IDLE_TIME = error('ERR Invalid IDLETIME value, must be >= 0')
export const BAD_FREQUENCY = error('ERR Invalid FREQ value, must be >= 0 and <= 255')
export const LFU_NOT_SELECTED = error(
  'ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that ' +
    'when switching between policies at runtime LRU and LFU data will take some time to adjust.',
)

export function unknownCommand(argv: readonly string[]) {
  return errors.unknownCommand(argv, cString)
}

/** `container` is the command's name in lower case. */
export function unknownSubcommand(container: string, subcommand: string | undefined) {
  return errors.unknownSubcommand(container, clipped(subcommand))
}

/** How many bytes are quoted of a subcommand with a wrong number of arguments. */
const MAX_QUOTED_BYTES = 128

/** The same text for a subcommand with a wrong number of arguments. */
export function unknownSubcommandOrArity(container: string, subcommand: string | undefined) {
  return errors.wrongSubcommandArity(container, clipped(subcommand, MAX_QUOTED_BYTES))
}

export function invalidExpireTime(command: string) {
  return error(`ERR invalid expire time in '${command}' command`)
}

export function unsupportedOption(option: string | undefined) {
  // Line breaks at the end are dropped, others become blanks.
  return error(`ERR Unsupported option ${clipped(option).replace(/[\r\n]+$/, '')}`)
}

/** `reason` is the error with which EXEC would have been refused. */
export function execAborted(reason: string) {
  return error(`EXECABORT Transaction discarded because of: ${reason.replace(/^ERR /, '')}`)
}

export function unknownConfigOption(name: string) {
  return error(`ERR Unknown option or number of arguments for CONFIG SET - '${clipped(name)}'`)
}

export function configSetFailed(name: string, reason: string) {
  return error(
    `ERR CONFIG SET failed (possibly related to argument '${clipped(name)}') - ${reason}`,
  )
}

/** The encoder replaces line breaks; a NUL would end the text in Redis. */
function clipped(text = '', limit = Number.POSITIVE_INFINITY): string {
  return cString(text).slice(0, limit)
}
