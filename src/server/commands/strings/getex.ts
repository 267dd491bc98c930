/** GETEX: reads a string and changes when it ends. */
import { bulk, NULL, type Reply } from '../../../resp/reply.ts'
import { isExpireOption, parseExpireAt, setExpiry } from '../../arguments/expire-time.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { SYNTAX_ERROR, WRONG_TYPE } from '../../errors.ts'

export function getEx(context: CommandContext, argv: readonly string[]): Reply {
  const change = parseChange(context, argv)
  if (typeof change === 'object') return change
  const key = arg(argv, 1)
  const entry = context.db.find(key)
  if (entry === undefined) return NULL
  if (entry.value.type !== 'string') return WRONG_TYPE
  const reply = bulk(entry.value.bytes)
  if (typeof change === 'number') setExpiry(context, key, entry, change)
  if (change === 'persist' && entry.expireAtMs !== undefined) {
    context.db.setExpiry(key, entry, undefined)
    context.propagate(['PERSIST', key])
  }
  return reply
}

/** The new expiry, that there is to be none, or undefined: as it was. */
function parseChange(
  { now }: CommandContext,
  argv: readonly string[],
): number | 'persist' | undefined | Reply {
  if (argv.length === 2) return undefined
  const word = arg(argv, 2).toUpperCase()
  if (word === 'PERSIST' && argv.length === 3) return 'persist'
  if (!isExpireOption(word) || argv.length !== 4) return SYNTAX_ERROR
  return parseExpireAt(word, argv[3], now.wallMs, 'getex')
}
