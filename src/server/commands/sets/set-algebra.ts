/** SINTER, SUNION, SDIFF, and the same with the result stored at a key. */
import { integer, type Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg, command } from '../../catalogue/command.ts'
import { UNORDERED } from '../../catalogue/command-traits.ts'
import type { CommandContext } from '../../context.ts'
import {
  NEGATIVE_LIMIT,
  NUMKEYS_NOT_POSITIVE,
  SYNTAX_ERROR,
  TOO_MANY_KEYS,
  WRONG_TYPE,
} from '../../errors.ts'
import type { KeyspaceEvent } from '../../sessions/keyspace-event.ts'
import { membersOf } from '../../values/large.ts'
import type { SetValue } from '../../values/value.ts'
import { storeResult } from '../store-result.ts'
import { setReply } from './set-members.ts'

type Members = Pick<SetValue['members'], 'size' | 'has'> & Iterable<string>
/** The members of the result, some perhaps more than once. */
type Combine = (sets: readonly Members[]) => Iterable<string>

const NO_MEMBERS: Members = new Set()

/** Missing keys are empty sets; undefined if one of them is not a set. */
function setsAt({ db }: CommandContext, keys: readonly string[]): Members[] | undefined {
  const sets: Members[] = []
  for (const key of keys) {
    const value = db.source(key)
    if (value !== undefined && value.type !== 'set') return undefined
    sets.push(value?.members ?? NO_MEMBERS)
  }
  return sets
}

function* intersection(sets: readonly Members[]): Iterable<string> {
  const [smallest = NO_MEMBERS, ...others] = sets.toSorted((a, b) => a.size - b.size)
  for (const member of smallest) if (others.every((set) => set.has(member))) yield member
}

function* union(sets: readonly Members[]): Iterable<string> {
  for (const set of sets) yield* set
}

function* difference([first = NO_MEMBERS, ...others]: readonly Members[]): Iterable<string> {
  for (const member of first) if (!others.some((set) => set.has(member))) yield member
}

function combining(combine: Combine) {
  return (context: CommandContext, argv: readonly string[]): Reply => {
    const sets = setsAt(context, argv.slice(1))
    return sets === undefined ? WRONG_TYPE : setReply(new Set(combine(sets)))
  }
}

/** An empty result makes no key; whatever the destination was, it is deleted. */
function storing(combine: Combine, event: KeyspaceEvent) {
  return (context: CommandContext, argv: readonly string[]): Reply => {
    const key = arg(argv, 1)
    const sets = setsAt(context, argv.slice(2))
    if (sets === undefined) return WRONG_TYPE
    const members = membersOf(combine(sets), context.db.entries.hash)
    const value: SetValue | undefined = members.size > 0 ? { type: 'set', members } : undefined
    storeResult(context, key, value, event)
    return integer(members.size)
  }
}

function sInterCard(context: CommandContext, argv: readonly string[]): Reply {
  const keyCount = parseInteger(argv[1])
  if (keyCount === undefined || keyCount < 1) return NUMKEYS_NOT_POSITIVE
  if (keyCount > argv.length - 2) return TOO_MANY_KEYS
  let limit = 0
  for (let at = 2 + keyCount; at < argv.length; at += 2) {
    if (argv[at]?.toUpperCase() !== 'LIMIT' || at + 1 >= argv.length) return SYNTAX_ERROR
    const given = parseInteger(argv[at + 1])
    if (given === undefined || given < 0) return NEGATIVE_LIMIT
    limit = given
  }
  const sets = setsAt(context, argv.slice(2, 2 + keyCount))
  if (sets === undefined) return WRONG_TYPE
  return integer(countUpTo(limit === 0 ? Number.POSITIVE_INFINITY : limit, intersection(sets)))
}

function countUpTo(limit: number, members: Iterable<string>): number {
  let count = 0
  for (const _ of members) if (++count >= limit) break
  return count
}

const READ_ALL = ['1..-1 RO access']
const STORE_ALL = ['1 OW update', '2..-1 RO access']

export const setAlgebraCommands = [
  command('sinter', -2, 'readonly', READ_ALL, combining(intersection), UNORDERED),
  command('sunion', -2, 'readonly', READ_ALL, combining(union), UNORDERED),
  command('sdiff', -2, 'readonly', READ_ALL, combining(difference), UNORDERED),
  command('sintercard', -3, 'readonly', ['1# RO access'], sInterCard),
  command(
    'sinterstore',
    -3,
    'write denyoom',
    ['1 RW update', '2..-1 RO access'],
    storing(intersection, 'sinterstore'),
  ),
  command('sunionstore', -3, 'write denyoom', STORE_ALL, storing(union, 'sunionstore')),
  command('sdiffstore', -3, 'write denyoom', STORE_ALL, storing(difference, 'sdiffstore')),
]
