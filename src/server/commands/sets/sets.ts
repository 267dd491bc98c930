/** Sets: members under one key. For operations on several sets see set-algebra.ts. */
import { array, bulk, bulks, integer, NULL, type Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg, command, type Family } from '../../catalogue/command.ts'
import { UNORDERED, VARYING } from '../../catalogue/command-traits.ts'
import type { CommandContext } from '../../context.ts'
import {
  INVALID_CURSOR,
  MUST_BE_POSITIVE,
  OUT_OF_RANGE,
  SYNTAX_ERROR,
  WRONG_TYPE,
} from '../../errors.ts'
import { isCursor } from '../../keyspace/scan.ts'
import { encodingOf } from '../../values/encoding.ts'
import { pickDistinctKeys, pickKey } from '../../values/sampler.ts'
import type { SetValue } from '../../values/value.ts'
import { scanElements, scanReply } from '../keys/scanning.ts'
import { drawKeys, isTooMany, parseDraws } from '../random-draws.ts'
import { setAlgebraCommands } from './set-algebra.ts'
import { addMember, openSet, removeMember, setReply } from './set-members.ts'

const ZERO = integer(0)
const ONE = integer(1)

/** How many members one SREM to the replicas has at most. */
const MAX_MEMBERS_PER_EFFECT = 1024

function sAdd(context: CommandContext, argv: readonly string[]): Reply {
  const key = arg(argv, 1)
  const present = context.db.value(key)
  if (present !== undefined && present.type !== 'set') return WRONG_TYPE
  let at = 2
  while (at < argv.length && present?.members.has(arg(argv, at)) === true) at++
  if (at === argv.length) return ZERO
  const set = openSet(context, key, present)
  let added = 0
  for (; at < argv.length; at++) if (addMember(set, arg(argv, at))) added++
  context.notify('sadd', key)
  context.propagate(undefined, added)
  return integer(added)
}

function sRem(context: CommandContext, argv: readonly string[]): Reply {
  const key = arg(argv, 1)
  const set = context.db.value(key)
  if (set === undefined) return ZERO
  if (set.type !== 'set') return WRONG_TYPE
  const present = argv.slice(2).filter((member) => set.members.has(member))
  if (present.length === 0) return ZERO
  context.db.changing(key)
  let removed = 0
  for (const member of present) if (removeMember(set, member)) removed++
  if (set.members.size === 0) context.db.remove(key)
  context.notify('srem', key)
  if (set.members.size === 0) context.notify('del', key)
  context.propagate(undefined, removed)
  return integer(removed)
}

function sCard({ db }: CommandContext, argv: readonly string[]): Reply {
  const set = db.value(arg(argv, 1))
  if (set === undefined) return ZERO
  return set.type === 'set' ? integer(set.members.size) : WRONG_TYPE
}

function sIsMember({ db }: CommandContext, argv: readonly string[]): Reply {
  const set = db.value(arg(argv, 1))
  if (set === undefined) return ZERO
  if (set.type !== 'set') return WRONG_TYPE
  return set.members.has(arg(argv, 2)) ? ONE : ZERO
}

function sMIsMember({ db }: CommandContext, argv: readonly string[]): Reply {
  const set = db.value(arg(argv, 1))
  if (set !== undefined && set.type !== 'set') return WRONG_TYPE
  return array(argv.slice(2).map((member) => (set?.members.has(member) === true ? ONE : ZERO)))
}

function sMembers({ db }: CommandContext, argv: readonly string[]): Reply {
  const set = db.value(arg(argv, 1))
  if (set !== undefined && set.type !== 'set') return WRONG_TYPE
  return setReply(set?.members ?? [])
}

function sMove(context: CommandContext, argv: readonly string[]): Reply {
  const [source, target, member] = [arg(argv, 1), arg(argv, 2), arg(argv, 3)]
  const from = context.db.value(source)
  const to = context.db.value(target)
  if (from === undefined) return ZERO
  if (from.type !== 'set' || (to !== undefined && to.type !== 'set')) return WRONG_TYPE
  if (!from.members.has(member)) return ZERO
  if (source === target) return ONE
  context.db.changing(source)
  removeMember(from, member)
  context.notify('srem', source)
  if (from.members.size === 0) {
    context.db.remove(source)
    context.notify('del', source)
  }
  // A target that has it already is not changed, and transactions that watch it go through.
  const isNew = to?.members.has(member) !== true
  if (isNew) {
    addMember(openSet(context, target, to), member)
    context.notify('sadd', target)
  }
  context.propagate(undefined, isNew ? 2 : 1)
  return ONE
}

function sPop(context: CommandContext, argv: readonly string[]): Reply {
  if (argv.length > 3) return SYNTAX_ERROR
  const key = arg(argv, 1)
  if (argv.length === 3) return popSeveral(context, key, argv[2])
  const set = context.db.value(key)
  if (set === undefined) return NULL
  if (set.type !== 'set') return WRONG_TYPE
  const member = pickKey(set, set.members, context.node.rng)
  removeDrawn(context, key, set, [member])
  return bulk(member)
}

function popSeveral(context: CommandContext, key: string, text: string | undefined): Reply {
  const count = parseInteger(text)
  if (count === undefined || count < 0) return MUST_BE_POSITIVE
  const set = context.db.value(key)
  if (set === undefined) return setReply([])
  if (set.type !== 'set') return WRONG_TYPE
  if (count === 0) return setReply([])
  if (count >= set.members.size) {
    context.notify('spop', key)
    context.db.remove(key)
    context.notify('del', key)
    context.propagate(['DEL', key], set.members.size)
    return setReply(set.members)
  }
  const members = pickDistinctKeys(set, set.members, count, context.node.rng)
  removeDrawn(context, key, set, members)
  return setReply(members)
}

/** Replicas get the members that were drawn: their own draws would differ. */
function removeDrawn(
  context: CommandContext,
  key: string,
  set: SetValue,
  members: readonly string[],
): void {
  context.db.changing(key)
  for (const member of members) removeMember(set, member)
  if (set.members.size === 0) context.db.remove(key)
  context.notify('spop', key)
  if (set.members.size === 0) context.notify('del', key)
  for (let at = 0; at < members.length; at += MAX_MEMBERS_PER_EFFECT) {
    const some = members.slice(at, at + MAX_MEMBERS_PER_EFFECT)
    context.propagate(['SREM', key, ...some], some.length)
  }
}

function sRandMember({ db, node }: CommandContext, argv: readonly string[]): Reply {
  if (argv.length > 3) return SYNTAX_ERROR
  const count = argv.length === 3 ? parseDraws(argv[2]) : 1
  if (typeof count !== 'number') return count
  if (isTooMany(count, false)) return OUT_OF_RANGE
  const set = db.value(arg(argv, 1))
  if (set === undefined) return argv.length === 3 ? array([]) : NULL
  if (set.type !== 'set') return WRONG_TYPE
  if (argv.length === 2) return bulk(pickKey(set, set.members, node.rng))
  return bulks(drawKeys(set, set.members, count, node.rng))
}

function sScan(context: CommandContext, argv: readonly string[]): Reply {
  if (!isCursor(arg(argv, 2))) return INVALID_CURSOR
  const set = context.db.value(arg(argv, 1))
  if (set === undefined) return scanReply('0', [])
  if (set.type !== 'set') return WRONG_TYPE
  const isPacked = encodingOf(set, context.node.settings) === 'intset'
  const page = scanElements(context, argv, set.members, isPacked)
  return 'kind' in page ? page : scanReply(page.cursor, page.keys)
}

const READ = ['1 RO access']
const LOOK = ['1 RO']

export const setFamily: Family = {
  group: 'set',
  category: '@set',
  commands: [
    command('sadd', -3, 'write denyoom fast', ['1 RW insert'], sAdd),
    command('srem', -3, 'write fast', ['1 RW delete'], sRem),
    command('scard', 2, 'readonly fast', LOOK, sCard),
    command('sismember', 3, 'readonly fast', LOOK, sIsMember),
    command('smismember', -3, 'readonly fast', READ, sMIsMember),
    command('smembers', 2, 'readonly', READ, sMembers, UNORDERED),
    command('smove', 4, 'write fast', ['1 RW access delete', '2 RW insert'], sMove),
    command('spop', -2, 'write fast', ['1 RW access delete'], sPop, VARYING),
    command('srandmember', -2, 'readonly', READ, sRandMember, VARYING),
    command('sscan', -3, 'readonly', READ, sScan, VARYING),
    ...setAlgebraCommands,
  ],
}
