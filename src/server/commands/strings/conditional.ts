/**
 * Changes that depend on what a string holds, so that a lock needs no script: SET with IFEQ or IFNE
 * (set.ts), DELIFEQ of Valkey 9, DELEX of Redis 8.4. Replicas are told a plain SET or DEL.
 */
import { integer, type Reply } from '../../../resp/reply.ts'
import { arg, command } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { deletion } from '../../effects.ts'
import { SYNTAX_ERROR, WRONG_TYPE, wrongArity } from '../../errors.ts'
import type { Entry } from '../../keyspace/db.ts'

export interface ValueComparison {
  readonly isEqual: boolean
  readonly bytes: string
}

/** A key that is missing equals nothing. */
export function holds(
  { isEqual, bytes }: ValueComparison,
  entry: Entry | undefined,
): boolean | Reply {
  if (entry === undefined) return !isEqual
  if (entry.value.type !== 'string') return WRONG_TYPE
  return (entry.value.bytes === bytes) === isEqual
}

/** Undefined: the word is no comparison. */
export function comparisonOf(word: string, bytes: string | undefined): ValueComparison | undefined {
  if ((word !== 'IFEQ' && word !== 'IFNE') || bytes === undefined) return undefined
  return { isEqual: word === 'IFEQ', bytes }
}

function delIfEqual(context: CommandContext, argv: readonly string[]): Reply {
  return deleteIf(context, arg(argv, 1), { isEqual: true, bytes: arg(argv, 2) })
}

/** Without a comparison it is DEL of one key. The forms with digests are not offered. */
function delEx(context: CommandContext, argv: readonly string[]): Reply {
  if (argv.length === 2) return deleteIf(context, arg(argv, 1), undefined)
  if (argv.length !== 4) return wrongArity('delex')
  const comparison = comparisonOf(arg(argv, 2).toUpperCase(), argv[3])
  return comparison === undefined ? SYNTAX_ERROR : deleteIf(context, arg(argv, 1), comparison)
}

function deleteIf(
  context: CommandContext,
  key: string,
  comparison: ValueComparison | undefined,
): Reply {
  const entry = context.db.find(key)
  if (entry === undefined) return integer(0)
  const isMet = comparison === undefined || holds(comparison, entry)
  if (typeof isMet === 'object') return isMet
  if (!isMet) return integer(0)
  context.db.remove(key)
  context.notify('del', key)
  context.propagate(deletion(key, context.node.settings.flag('lazyfree-lazy-user-del')))
  return integer(1)
}

const KEY = ['1 RW access delete']

export const conditionalCommands = [
  command('delifeq', 3, 'write fast', KEY, delIfEqual),
  command('delex', -2, 'write fast', KEY, delEx),
]
