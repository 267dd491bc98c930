/** Error texts of the stream commands, byte for byte as Redis 7.0 sends them. */

import { cString } from '../../base/c-string.ts'
import { error, type Reply } from '../../resp/reply.ts'

export const INVALID_ID = error('ERR Invalid stream ID specified as stream command argument')
export const INVALID_START = error('ERR invalid start ID for the interval')
export const INVALID_END = error('ERR invalid end ID for the interval')

export const ID_TOO_SMALL = error(
  'ERR The ID specified in XADD is equal or smaller than the target stream top item',
)
export const ID_ZERO = error('ERR The ID specified in XADD must be greater than 0-0')
export const IDS_EXHAUSTED = error(
  'ERR The stream has exhausted the last possible ID, unable to add more items',
)
export const TOO_LARGE = error('ERR Elements are too large to be stored')
export const TWO_STRATEGIES = error(
  'ERR syntax error, MAXLEN and MINID options at the same time are not compatible',
)
export const NEGATIVE_MAXLEN = error('ERR The MAXLEN argument must be >= 0.')
export const NEGATIVE_LIMIT = error('ERR The LIMIT argument must be >= 0.')
export const LIMIT_WITHOUT_STRATEGY = error(
  'ERR syntax error, LIMIT cannot be used without specifying a trimming strategy',
)
export const LIMIT_WITHOUT_ABOUT = error(
  'ERR syntax error, LIMIT cannot be used without the special ~ option',
)
export const NO_STRATEGY = error('ERR syntax error, XTRIM must be called with a trimming strategy')

export const BELOW_TOP_ENTRY = error(
  'ERR The ID specified in XSETID is smaller than the target stream top item',
)
export const BELOW_GIVEN_MAX_DELETED = error(
  'ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id',
)
export const NEGATIVE_ENTRIES_ADDED = error('ERR entries_added must be positive')
export const ENTRIES_ADDED_TOO_SMALL = error(
  'ERR The entries_added specified in XSETID is smaller than the target stream length',
)

export const UNBALANCED_STREAMS = error(
  "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.",
)
export const GROUP_IN_XREAD = error(
  'ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead.',
)
export const NOACK_IN_XREAD = error(
  'ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead.',
)
export const NEW_ID_IN_XREAD = error(
  'ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> ' +
    'option.',
)
/** For `$`, and since Redis 7.4 for `+`. */
export function meaninglessInXreadgroup(id: string): Reply {
  return error(
    `ERR The ${id} ID is meaningless in the context of XREADGROUP: you want to read the history of this ` +
      `consumer by specifying a proper ID, or use the > ID to get new messages. The ${id} ID would just ` +
      'return an empty result set.',
  )
}
export const MISSING_GROUP = error('ERR Missing GROUP option for XREADGROUP')
export const STREAM_GONE = error('UNBLOCKED the stream key no longer exists')
export const GROUP_GONE = error(
  'NOGROUP the consumer group this client was blocked on no longer exists',
)

export const KEY_REQUIRED = error(
  'ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use ' +
    'the MKSTREAM option to create an empty stream automatically.',
)
export const GROUP_EXISTS = error('BUSYGROUP Consumer Group name already exists')
export const BAD_ENTRIES_READ = error('ERR value for ENTRIESREAD must be positive or -1')

export const COUNT_NOT_POSITIVE = error('ERR COUNT must be > 0')
export const COUNT_TOO_HIGH = error(
  'ERR Insufficient memory, failed allocating transient memory, COUNT too high.',
)

/** `what` is the argument that is not an integer; `command` is the command it belongs to. */
export function invalidArgument(what: string, command: string) {
  return error(`ERR Invalid ${what} argument for ${command}`)
}

export function unknownClaimOption(option: string) {
  return error(`ERR Unrecognized XCLAIM option '${cString(option)}'`)
}

/** The text is the same whether the key or the group is missing. */
export function noSuchKeyOrGroup(key: string, group: string, where = '') {
  return error(
    `NOGROUP No such key '${cString(key)}' or consumer group '${cString(group)}'${where}`,
  )
}

export function noSuchGroup(group: string, key: string) {
  return error(`NOGROUP No such consumer group '${cString(group)}' for key name '${cString(key)}'`)
}
