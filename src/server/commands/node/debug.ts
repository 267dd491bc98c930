/**
 * DEBUG: for tests. SLEEP makes the node stand still, DIGEST tells whether two nodes hold the same
 * data.
 */
import { MAX_BULK_BYTES } from '../../../resp/input.ts'
import { array, error, OK, type Reply, simple } from '../../../resp/reply.ts'
import { parseFloating } from '../../arguments/numbers.ts'
import { arg, helpReply } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { NO_SUCH_KEY, SYNTAX_ERROR, unknownSubcommandOrArity } from '../../errors.ts'
import { dumpPayload, FOOTER_BYTES } from '../../rdb/dump-payload.ts'
import { rdbString } from '../../rdb/rdb-encode.ts'
import { replyLater } from '../../sessions/reply-later.ts'
import { keyspaceDigest, valueDigest } from '../../values/digest.ts'
import { encodingOf } from '../../values/encoding.ts'

/** No test waits longer. */
const MAX_SLEEP_MS = 24 * 3600 * 1000

export function debug(context: CommandContext, argv: readonly string[]): Reply | undefined {
  const subcommand = arg(argv, 1).toLowerCase()
  if (subcommand === 'sleep' && argv.length === 3) return sleep(context, arg(argv, 2))
  if (subcommand === 'digest' && argv.length === 2) {
    return simple(keyspaceDigest(context.node.keyspace))
  }
  if (subcommand === 'digest-value') return digestsOfValues(context, argv.slice(2))
  if (subcommand === 'object' && argv.length === 3) return object(context, arg(argv, 2))
  if (subcommand === 'set-active-expire' && argv.length === 3) return setActiveExpire(context, argv)
  if (subcommand === 'error' && argv.length === 3) return error(arg(argv, 2))
  if (subcommand === 'reload') return reload(context, argv.slice(2))
  if (subcommand === 'help') return help()
  return unknownSubcommandOrArity('debug', argv[1])
}

function sleep({ node, now }: CommandContext, text: string): Reply {
  const seconds = parseFloating(text) ?? 0
  const durationMs = Math.min(MAX_SLEEP_MS, Math.max(0, Math.round(seconds * 1000)))
  node.sleep.start(now.monoMs + durationMs)
  return OK
}

/** Expired keys included: DEBUG shows what is stored. */
function digestsOfValues({ db }: CommandContext, keys: readonly string[]): Reply {
  return array(keys.map((key) => simple(valueDigest(db.entries.get(key)))))
}

/** The fields that tests for Redis look for; addresses and references mean nothing here. */
function object({ db, node }: CommandContext, key: string): Reply {
  const entry = db.entries.get(key)
  if (entry === undefined) return NO_SUCH_KEY
  const { usage } = node.keyspace
  const payload = dumpPayload(entry.value, rdbString, MAX_BULK_BYTES) ?? ''
  const fields = [
    'Value at:0x000000000000',
    'refcount:1',
    `encoding:${encodingOf(entry.value, node.settings)}`,
    `serializedlength:${Math.max(0, payload.length - FOOTER_BYTES)}`,
    `lru:${Math.max(0, entry.usage)}`,
    `lru_seconds_idle:${usage.idleSeconds(entry.usage)}`,
  ]
  return simple(fields.join(' '))
}

function setActiveExpire({ node }: CommandContext, argv: readonly string[]): Reply {
  if (argv[2] !== '0' && argv[2] !== '1') return SYNTAX_ERROR
  node.expiryCycle.isEnabled = argv[2] === '1'
  return OK
}

function help(): Reply {
  return helpReply('DEBUG', [
    'DIGEST',
    '    A fingerprint of all keys, equal on nodes that hold the same.',
    'DIGEST-VALUE <key> [<key> ...]',
    '    The same for the value of each key.',
    'ERROR <text>',
    '    Answer with this error.',
    'OBJECT <key>',
    '    How the value of a key is kept.',
    'RELOAD [NOSAVE]',
    '    Save and load again, or load what was saved last.',
    'SET-ACTIVE-EXPIRE <0|1>',
    '    Whether expired keys are deleted before somebody asks for them.',
    'SLEEP <seconds>',
    '    Stand still.',
  ])
}

/**
 * DEBUG RELOAD saves to the file and loads it again, so that a test can see that both hold the
 * same.
 */
const IN_TRANSACTION = error('ERR DEBUG RELOAD takes its time, which a transaction has not')
const ON_REPLICA = error('ERR DEBUG RELOAD on a replica would lose what its master sends meanwhile')
const IS_RUNNING = error('ERR DEBUG RELOAD is under way already')

/** `options`: NOSAVE loads the existing file. Merging (MERGE, NOFLUSH) is not offered. */
function reload(context: CommandContext, options: readonly string[]): Reply | undefined {
  const words = options.map((word) => word.toUpperCase())
  if (words.some((word) => word !== 'NOSAVE')) return SYNTAX_ERROR
  const { node, session } = context
  if (!session.mayBlock) return IN_TRANSACTION
  if (node.replication.isReplica()) return ON_REPLICA
  return replyLater(context, (answer) => {
    const isBegun = node.persistence.reloading.begin(words.length === 0, (problem) =>
      answer(
        problem === undefined ? OK : error(`ERR Error trying to load the RDB dump: ${problem}`),
      ),
    )
    if (!isBegun) answer(IS_RUNNING)
  })
}
