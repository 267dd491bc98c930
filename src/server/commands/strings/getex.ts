/** GETEX: reads a string and changes when it ends. */
import { bulk, NULL, type Reply } from '../../../resp/reply.ts'
import {
  type ExpireOption,
  isExpireOption,
  parseExpireAt,
  setExpiry,
} from '../../arguments/expire-time.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { SYNTAX_ERROR, WRONG_TYPE } from '../../errors.ts'

/** Nothing: as it was. */
type Change =
  | { readonly option: ExpireOption; readonly text: string }
  | { readonly option: 'PERSIST' }
  | { readonly option: undefined }

export function getEx(context: CommandContext, argv: readonly string[]): Reply {
  const change = parseChange(argv)
  if (change === undefined) return SYNTAX_ERROR
  const key = arg(argv, 1)
  const entry = context.db.find(key)
  if (entry === undefined) return NULL
  if (entry.value.type !== 'string') return WRONG_TYPE
  const reply = bulk(entry.value.bytes)
  if (change.option === 'PERSIST') {
    if (entry.expireAtMs !== undefined) {
      context.db.setExpiry(key, entry, undefined)
      context.propagate(['PERSIST', key])
    }
  } else if (change.option !== undefined) {
    // What is wrong with the time is said only of a string that is there.
    const atMs = parseExpireAt(change.option, change.text, context.now.wallMs, 'getex')
    if (typeof atMs !== 'number') return atMs
    setExpiry(context, key, entry, atMs)
  }
  return reply
}

/** The same option may come again, and the last one counts; another one contradicts it. */
function parseChange(argv: readonly string[]): Change | undefined {
  let change: Change = { option: undefined }
  for (let at = 2; at < argv.length; at++) {
    const option = arg(argv, at).toUpperCase()
    if (change.option !== undefined && change.option !== option) return undefined
    if (option === 'PERSIST') {
      change = { option }
    } else {
      const text = argv[++at]
      if (!isExpireOption(option) || text === undefined) return undefined
      change = { option, text }
    }
  }
  return change
}
