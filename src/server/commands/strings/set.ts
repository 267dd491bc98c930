/** SET with its options: when to set, what to reply, and the expiry. */
import { bulk, NULL, OK, type Reply } from '../../../resp/reply.ts'
import {
  type ExpireOption,
  isExpireOption,
  momentText,
  parseExpireAt,
} from '../../arguments/expire-time.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { SYNTAX_ERROR, WRONG_TYPE } from '../../errors.ts'
import type { Entry } from '../../keyspace/db.ts'
import { TextString } from '../../values/value.ts'
import { comparisonOf, holds, type ValueComparison } from './conditional.ts'

export interface SetOptions {
  nx: boolean
  xx: boolean
  /** GET: the reply is the old value. */
  answersOld: boolean
  keepsTtl: boolean
  /** IFEQ, IFNE: what the old value must be. */
  comparison: ValueComparison | undefined
  expiry: { readonly option: ExpireOption; readonly text: string } | undefined
}

export function set(context: CommandContext, argv: readonly string[]): Reply {
  if (argv.length === 3) return setPlainly(context, argv)
  const options = parseSetOptions(argv, 3)
  if ('kind' in options) return options
  const atMs = expireAt(context, options, 'set')
  if (typeof atMs === 'object') return atMs
  const key = arg(argv, 1)
  const old = options.answersOld ? context.db.findSource(key) : context.db.find(key)
  if (options.answersOld && old !== undefined && old.value.type !== 'string') return WRONG_TYPE
  const oldReply = old?.value.type === 'string' ? bulk(old.value.bytes) : NULL
  // The key was read as a source: on a writable replica an expired one is deleted by looking for what is written to.
  if (options.answersOld && old === undefined) context.db.find(key)
  const isMet = options.comparison === undefined || holds(options.comparison, old)
  if (typeof isMet === 'object') return isMet
  const isRefused = !isMet || (old === undefined ? options.xx : options.nx)
  if (isRefused) return options.answersOld ? oldReply : NULL
  const kept = options.keepsTtl ? old?.expireAtMs : undefined
  context.db.put(key, { type: 'string', bytes: arg(argv, 2) }, atMs ?? kept)
  context.notify('set', key)
  if (atMs !== undefined) context.notify('expire', key)
  tell(context, argv, options, atMs)
  return options.answersOld ? oldReply : OK
}

/** For the ACL, which asks before the options are understood. */
export function hasGet(argv: readonly string[]): boolean {
  return argv.slice(3).some((word) => word.toLowerCase() === 'get')
}

/** The common form, `SET key value`. */
function setPlainly(context: CommandContext, argv: readonly string[]): Reply {
  setString(context, arg(argv, 1), arg(argv, 2))
  context.propagate()
  return OK
}

/** Whatever the key held, it holds this string now, for ever. */
export function setString(context: CommandContext, key: string, bytes: string): void {
  const old: Entry | undefined = context.db.find(key)
  const isPlain = old?.value.type === 'string' && !(old.value instanceof TextString)
  if (isPlain && old.value.type === 'string' && old.expireAtMs === undefined) {
    context.db.changing(key, old)
    old.value.bytes = bytes
  } else {
    context.db.put(key, { type: 'string', bytes })
  }
  context.notify('set', key)
}

/** Replicas get an absolute expiry, and no options that concern only the caller. */
function tell(
  context: CommandContext,
  argv: readonly string[],
  options: SetOptions,
  atMs: number | undefined,
): void {
  if (atMs !== undefined) {
    context.propagate(['SET', arg(argv, 1), arg(argv, 2), 'PXAT', momentText(atMs)])
  } else if (options.comparison !== undefined) {
    const keepTtl = options.keepsTtl ? ['KEEPTTL'] : []
    context.propagate(['SET', arg(argv, 1), arg(argv, 2), ...keepTtl])
  } else if (options.answersOld) {
    const isGet = (word: string, at: number) => at > 2 && word.toUpperCase() === 'GET'
    context.propagate(argv.filter((word, at) => !isGet(word, at)))
  } else {
    context.propagate()
  }
}

/** Undefined: no expiry is asked for. The error names `command`. */
export function expireAt(
  { now }: CommandContext,
  { expiry }: SetOptions,
  command: string,
): number | Reply | undefined {
  if (expiry === undefined) return undefined
  return parseExpireAt(expiry.option, expiry.text, now.wallMs, command)
}

/** Those of SET that begin at this argument. */
export function parseSetOptions(argv: readonly string[], from: number): SetOptions | Reply {
  const options: SetOptions = {
    nx: false,
    xx: false,
    answersOld: false,
    keepsTtl: false,
    comparison: undefined,
    expiry: undefined,
  }
  for (let at = from; at < argv.length; at++) {
    const word = arg(argv, at).toUpperCase()
    if (isExpireOption(word)) {
      const text = argv[++at]
      if (text === undefined || !mayExpire(options, word)) return SYNTAX_ERROR
      options.expiry = { option: word, text }
    } else if (comparisonOf(word, argv[at + 1]) !== undefined) {
      if (options.nx || options.xx || options.comparison !== undefined) return SYNTAX_ERROR
      options.comparison = comparisonOf(word, argv[++at])
    } else if (!setFlag(options, word)) {
      return SYNTAX_ERROR
    }
  }
  return options
}

/** The same option may be repeated, and the last one counts; another option contradicts it. */
function mayExpire({ expiry, keepsTtl }: SetOptions, option: ExpireOption): boolean {
  return !keepsTtl && (expiry === undefined || expiry.option === option)
}

/** False if the word is not a flag, or contradicts another. */
function setFlag(options: SetOptions, word: string): boolean {
  switch (word) {
    case 'NX':
      options.nx = true
      return !options.xx && options.comparison === undefined
    case 'XX':
      options.xx = true
      return !options.nx && options.comparison === undefined
    case 'GET':
      options.answersOld = true
      return true
    case 'KEEPTTL':
      options.keepsTtl = true
      return options.expiry === undefined
    default:
      return false
  }
}
