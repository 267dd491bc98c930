/** DUMP and RESTORE: a value as bytes that travel. */
import { MAX_BULK_BYTES } from '../../../resp/input.ts'
import { bulk, NULL, OK, type Reply } from '../../../resp/reply.ts'
import { isPast, LAST_MOMENT_MS, momentText } from '../../arguments/expire-time.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg, command, type Family } from '../../catalogue/command.ts'
import { DANGEROUS, VARYING } from '../../catalogue/command-traits.ts'
import type { CommandContext } from '../../context.ts'
import {
  BAD_DATA_FORMAT,
  BAD_FREQUENCY,
  BAD_IDLE_TIME,
  BAD_PAYLOAD,
  BUSY_KEY,
  NEGATIVE_TTL,
  NOT_AN_INTEGER,
  SYNTAX_ERROR,
  TOO_LONG,
} from '../../errors.ts'
import { dumpPayload, isSoundPayload, valueOfPayload } from '../../rdb/dump-payload.ts'
import { rdbString } from '../../rdb/rdb-encode.ts'
import { compressedString } from '../../rdb/rdb-writer.ts'
import type { Value } from '../../values/value.ts'
import { migrateCommand } from './migrate.ts'

function dump({ db, node }: CommandContext, argv: readonly string[]): Reply {
  const value = db.value(arg(argv, 1))
  if (value === undefined) return NULL
  const form = node.settings.flag('rdbcompression') ? compressedString : rdbString
  const payload = dumpPayload(value, form, MAX_BULK_BYTES)
  return payload === undefined ? TOO_LONG : bulk(payload)
}

function restore(context: CommandContext, argv: readonly string[]): Reply {
  const options = parseRestoreOptions(argv)
  if ('kind' in options) return options
  const key = arg(argv, 1)
  if (!options.replaces && context.db.find(key) !== undefined) return BUSY_KEY
  const ttlMs = parseInteger(argv[2])
  if (ttlMs === undefined) return NOT_AN_INTEGER
  if (ttlMs < 0) return NEGATIVE_TTL
  const atMs = momentOf(context, ttlMs, options)
  const payload = arg(argv, 3)
  if (!isSoundPayload(payload, context.node.skipsChecksums)) return BAD_PAYLOAD
  const value = valueOfPayload(payload, context.db.entries.hash)
  if (value === undefined) return BAD_DATA_FORMAT
  if (atMs > 0 && isPast(context, atMs)) removeInstead(context, key)
  else place(context, argv, options, value, atMs)
  return OK
}

/** 0 means without an expiry. */
function momentOf({ now }: CommandContext, ttlMs: number, options: RestoreOptions): number {
  const atMs = options.isAbsolute || ttlMs === 0 ? ttlMs : ttlMs + now.wallMs
  return Math.min(atMs, LAST_MOMENT_MS)
}

/** A key that would expire at once is not created; the key it replaces is deleted all the same. */
function removeInstead(context: CommandContext, key: string): void {
  if (!context.db.remove(key)) return
  context.notify('del', key)
  context.propagate(['DEL', key])
}

function place(
  context: CommandContext,
  argv: readonly string[],
  options: RestoreOptions,
  value: Value,
  atMs: number,
): void {
  const { usage } = context.node.keyspace
  const expireAtMs = atMs === 0 ? undefined : atMs
  const key = arg(argv, 1)
  context.db.remove(key)
  context.db.put(key, value, expireAtMs, usage.restored(options))
  context.notify('restore', key)
  if (expireAtMs === undefined || options.isAbsolute) context.propagate()
  else context.propagate(withMoment(argv, expireAtMs))
}

/** Replicas get the moment the key expires, not its time to live. */
function withMoment(argv: readonly string[], expireAtMs: number): string[] {
  const [name, key, , ...rest] = argv as [string, string, string, ...string[]]
  return [name, key, momentText(expireAtMs), ...rest, 'ABSTTL']
}

const TARGET = ['1 OW update']

export const dumpFamily: Family = {
  group: 'generic',
  category: '@keyspace',
  commands: [
    command('dump', 2, 'readonly', ['1 RO access'], dump, VARYING),
    command('restore', -4, 'write denyoom', TARGET, restore, DANGEROUS),
    migrateCommand,
    // What a cluster sends of slots on their way, and its replicas are told.
    command('restore-asking', -4, 'write denyoom asking', TARGET, restore, {
      ...DANGEROUS,
      group: 'server',
    }),
  ],
}

/** The options of RESTORE: `REPLACE ABSTTL IDLETIME 10 FREQ 5`. */
interface RestoreOptions {
  replaces: boolean
  /** The time to live is given as a moment. */
  isAbsolute: boolean
  idleSeconds: number | undefined
  frequency: number | undefined
}

function parseRestoreOptions(argv: readonly string[]): RestoreOptions | Reply {
  const options: RestoreOptions = {
    replaces: false,
    isAbsolute: false,
    idleSeconds: undefined,
    frequency: undefined,
  }
  for (let at = 4; at < argv.length; at++) {
    const word = arg(argv, at).toUpperCase()
    if (word === 'REPLACE') options.replaces = true
    else if (word === 'ABSTTL') options.isAbsolute = true
    else {
      const problem = setUsage(options, word, argv[++at])
      if (problem !== undefined) return problem
    }
  }
  return options
}

/** Sets one of the two, whichever the policy here uses. */
function setUsage(
  options: RestoreOptions,
  word: string,
  text: string | undefined,
): Reply | undefined {
  const isIdle = word === 'IDLETIME' && options.frequency === undefined
  const isFrequency = word === 'FREQ' && options.idleSeconds === undefined
  if (text === undefined || !(isIdle || isFrequency)) return SYNTAX_ERROR
  const number = parseInteger(text)
  if (number === undefined) return NOT_AN_INTEGER
  if (isIdle) {
    if (number < 0) return BAD_IDLE_TIME
    options.idleSeconds = number
  } else {
    if (number < 0 || number > 255) return BAD_FREQUENCY
    options.frequency = number
  }
  return undefined
}
