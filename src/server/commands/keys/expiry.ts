/**
 * EXPIRE and similar. A time to live is kept, and sent to replicas, as the moment it ends: a
 * relative time would end later on a replica that receives it later.
 */
import { integer, type Reply } from '../../../resp/reply.ts'
import {
  type ExpireUnit,
  milliseconds,
  parseMoment,
  seconds,
  setExpiry,
} from '../../arguments/expire-time.ts'
import { arg, command, type Family } from '../../catalogue/command.ts'
import { VARYING } from '../../catalogue/command-traits.ts'
import type { CommandContext } from '../../context.ts'
import {
  GT_AND_LT,
  invalidExpireTime,
  NOT_AN_INTEGER,
  NX_AND_OTHERS,
  unsupportedOption,
} from '../../errors.ts'
import type { Entry } from '../../keyspace/db.ts'

const ZERO = integer(0)
const ONE = integer(1)
const MISSING = integer(-2)
const NO_EXPIRY = integer(-1)

interface Conditions {
  readonly nx: boolean
  readonly xx: boolean
  readonly gt: boolean
  readonly lt: boolean
}

function expire(unit: ExpireUnit) {
  return (context: CommandContext, argv: readonly string[]): Reply => {
    const conditions = parseConditions(argv)
    if ('kind' in conditions) return conditions
    const baseMs = unit.isRelative ? context.now.wallMs : 0
    const atMs = parseMoment(argv[2], unit.milliseconds, baseMs)
    if (atMs === 'no integer') return NOT_AN_INTEGER
    if (atMs === 'out of range') return invalidExpireTime(unit.name)
    const key = arg(argv, 1)
    const entry = context.db.find(key)
    if (entry === undefined || !isWanted(entry, atMs, conditions)) return ZERO
    setExpiry(context, key, entry, atMs, argv.slice(3))
    return ONE
  }
}

function isWanted({ expireAtMs }: Entry, atMs: number, { nx, xx, gt, lt }: Conditions): boolean {
  if (nx && expireAtMs !== undefined) return false
  if (xx && expireAtMs === undefined) return false
  // No expiry counts as the longest.
  if (gt && (expireAtMs === undefined || atMs <= expireAtMs)) return false
  return !(lt && expireAtMs !== undefined && atMs >= expireAtMs)
}

function parseConditions(argv: readonly string[]): Conditions | Reply {
  const found = { nx: false, xx: false, gt: false, lt: false }
  for (let at = 3; at < argv.length; at++) {
    const word = arg(argv, at).toLowerCase()
    if (word !== 'nx' && word !== 'xx' && word !== 'gt' && word !== 'lt') {
      return unsupportedOption(argv[at])
    }
    found[word] = true
  }
  if (found.nx && (found.xx || found.gt || found.lt)) return NX_AND_OTHERS
  return found.gt && found.lt ? GT_AND_LT : found
}

/** TTL, PTTL, EXPIRETIME, PEXPIRETIME: the time left, or the moment it ends; rounded if in seconds. */
function remaining(unit: ExpireUnit) {
  return ({ db, now }: CommandContext, argv: readonly string[]): Reply => {
    const entry = db.find(arg(argv, 1))
    if (entry === undefined) return MISSING
    if (entry.expireAtMs === undefined) return NO_EXPIRY
    const ms = unit.isRelative ? Math.max(0, entry.expireAtMs - now.wallMs) : entry.expireAtMs
    const count = unit.milliseconds === 1 ? ms : Math.floor((ms + 500) / 1000)
    return integer(Number.isSafeInteger(count) ? count : BigInt(count))
  }
}

function persist(context: CommandContext, argv: readonly string[]): Reply {
  const key = arg(argv, 1)
  const entry = context.db.find(key)
  if (entry?.expireAtMs === undefined) return ZERO
  context.db.setExpiry(key, entry, undefined)
  context.notify('persist', key)
  context.propagate()
  return ONE
}

const UPDATED = ['1 RW update']
const READ = ['1 RO access']

const LOOK = 'readonly fast no_touch'

export const expiryFamily: Family = {
  group: 'generic',
  category: '@keyspace',
  commands: [
    command('expire', -3, 'write fast', UPDATED, expire(seconds('expire', true))),
    command('pexpire', -3, 'write fast', UPDATED, expire(milliseconds('pexpire', true))),
    command('expireat', -3, 'write fast', UPDATED, expire(seconds('expireat', false))),
    command('pexpireat', -3, 'write fast', UPDATED, expire(milliseconds('pexpireat', false))),
    command('ttl', 2, LOOK, READ, remaining(seconds('ttl', true)), VARYING),
    command('pttl', 2, LOOK, READ, remaining(milliseconds('pttl', true)), VARYING),
    command('expiretime', 2, LOOK, READ, remaining(seconds('expiretime', false))),
    command('pexpiretime', 2, LOOK, READ, remaining(milliseconds('pexpiretime', false))),
    command('persist', 2, 'write fast', UPDATED, persist),
  ],
}
