/**
 * DEBUG: for tests of this node, and of clients that were written for tests beside redis-server. What
 * describes Redis' own memory (LISTPACK, MALLCTL, STRUCTSIZE) is not here.
 */
import { matchesGlob } from '../../../base/glob.ts'
import { error, integer, OK, type Reply, simple } from '../../../resp/reply.ts'
import { parseFloating, parseInteger } from '../../arguments/numbers.ts'
import { arg, helpReply } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { MUST_BE_POSITIVE, SYNTAX_ERROR, unknownSubcommandOrArity } from '../../errors.ts'
import { replyLater } from '../../sessions/reply-later.ts'
import { parseBytes } from '../../settings/setting-types.ts'
import { keyspaceDigest } from '../../values/digest.ts'
import { rewriteConfig } from './config.ts'
import {
  digestsOfValues,
  object,
  populate,
  stringSizes,
  tableOfKey,
  tablesOfDb,
} from './debug-data.ts'
import { protocolSample } from './debug-protocol.ts'

type DebugHandler = (context: CommandContext, argv: readonly string[]) => Reply | undefined

interface Subcommand {
  /** How many words there may be behind the name. */
  readonly words: readonly [least: number, most: number]
  readonly run: DebugHandler
  /** Two lines of DEBUG HELP. */
  readonly help: readonly [usage: string, effect: string]
}

/** No test waits longer. */
const MAX_SLEEP_MS = 24 * 3600 * 1000
const MAX_MATCHED_BYTES = 64 * 1024 * 1024
const ANY = Number.POSITIVE_INFINITY

const crash: DebugHandler = ({ node }, argv) => {
  const reason = `DEBUG ${arg(argv, 1).toUpperCase()} ends this process without saving`
  node.port.log('warning', reason)
  node.port.exit(1, reason)
  return undefined
}

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  'change-repl-id': {
    words: [0, 0],
    run: changeReplicationId,
    help: [
      'CHANGE-REPL-ID',
      'Begin a new replication history: replicas that reconnect need a copy.',
    ],
  },
  'config-rewrite-force-all': {
    words: [0, 0],
    run: rewriteConfig,
    help: ['CONFIG-REWRITE-FORCE-ALL', 'The same as CONFIG REWRITE.'],
  },
  digest: {
    words: [0, 0],
    run: ({ node }) => simple(keyspaceDigest(node.keyspace)),
    help: ['DIGEST', 'A fingerprint of all keys, equal on nodes that hold the same.'],
  },
  'digest-value': {
    words: [0, ANY],
    run: digestsOfValues,
    help: ['DIGEST-VALUE <key> [<key> ...]', 'The same for the value of each key.'],
  },
  error: {
    words: [1, 1],
    run: (_, argv) => error(arg(argv, 2)),
    help: ['ERROR <text>', 'Answer with this error.'],
  },
  htstats: {
    words: [1, 1],
    run: tablesOfDb,
    help: ['HTSTATS <database>', 'How many keys there are, and how many with an expiry.'],
  },
  'htstats-key': {
    words: [1, 1],
    run: tableOfKey,
    help: ['HTSTATS-KEY <key>', 'How many elements a value has that Redis keeps in a hash table.'],
  },
  loadaof: {
    words: [0, 0],
    run: (context) => loadAgain(context, 'log'),
    help: ['LOADAOF', 'Write the append-only file out, if it is on, and load it again.'],
  },
  log: {
    words: [1, 1],
    run: log,
    help: ['LOG <message>', 'Write this into the log.'],
  },
  object: {
    words: [1, 1],
    run: object,
    help: ['OBJECT <key>', 'How the value of a key is kept.'],
  },
  'pause-cron': {
    words: [1, 1],
    run: switchOf('isCronPaused'),
    help: ['PAUSE-CRON <0|1>', 'Stop what the node does by the clock: expiry, save points, pings.'],
  },
  populate: {
    words: [1, 3],
    run: populate,
    help: ['POPULATE <count> [<prefix>] [<size>]', 'Make keys, and tell no replica of them.'],
  },
  protocol: {
    words: [1, 1],
    run: protocolSample,
    help: ['PROTOCOL <type>', 'Answer with a sample of this type of reply.'],
  },
  'quicklist-packed-threshold': {
    words: [1, 1],
    run: packedThreshold,
    help: ['QUICKLIST-PACKED-THRESHOLD <size>', 'Checked alone: lists have one form here.'],
  },
  reload: {
    words: [0, ANY],
    run: reload,
    help: ['RELOAD [NOSAVE]', 'Save and load again, or load what was saved last.'],
  },
  replicate: {
    words: [1, ANY],
    run: replicate,
    help: ['REPLICATE <command> [<arg> ...]', 'Tell replicas this, and do nothing here.'],
  },
  replybuffer: {
    words: [2, 2],
    run: () => OK,
    help: [
      'REPLYBUFFER <subcommand> <argument>',
      'Nothing: buffers of replies have no fixed size.',
    ],
  },
  sdslen: {
    words: [1, 1],
    run: stringSizes,
    help: ['SDSLEN <key>', 'How long a key and its string are.'],
  },
  segfault: {
    words: [0, 0],
    run: crash,
    help: ['SEGFAULT (or ASSERT, OOM, PANIC)', 'End the process without saving.'],
  },
  'set-active-expire': {
    words: [1, 1],
    run: setActiveExpire,
    help: ['SET-ACTIVE-EXPIRE <0|1>', 'Whether expired keys go before somebody asks for them.'],
  },
  'set-disable-deny-scripts': {
    words: [1, 1],
    run: switchOf('scriptsMayCallAny'),
    help: [
      'SET-DISABLE-DENY-SCRIPTS <0|1>',
      'Let scripts call what is not for scripts, such as DEBUG and CLIENT LIST.',
    ],
  },
  'set-skip-checksum-validation': {
    words: [1, 1],
    run: switchOf('skipsChecksums'),
    help: [
      'SET-SKIP-CHECKSUM-VALIDATION <0|1>',
      'Take payloads of RESTORE whatever their checksum.',
    ],
  },
  sleep: {
    words: [1, 1],
    run: sleep,
    help: ['SLEEP <seconds>', 'Stand still.'],
  },
  'stringmatch-len': {
    words: [2, 2],
    run: matchOfLength,
    help: ['STRINGMATCH-LEN <length> <pattern>', 'Whether so many letters a match a pattern.'],
  },
}

const CRASHES: ReadonlySet<string> = new Set(['assert', 'oom', 'panic'])

export function debug(context: CommandContext, argv: readonly string[]): Reply | undefined {
  const name = arg(argv, 1).toLowerCase()
  if (name === 'help') return help()
  const key = CRASHES.has(name) ? 'segfault' : name
  const subcommand = Object.hasOwn(SUBCOMMANDS, key) ? SUBCOMMANDS[key] : undefined
  const [least, most] = subcommand?.words ?? [ANY, 0]
  const count = argv.length - 2
  if (count < least || count > most) return unknownSubcommandOrArity('debug', argv[1])
  return subcommand?.run(context, argv)
}

function help(): Reply {
  const rows = Object.values(SUBCOMMANDS).map((one) => one.help)
  return helpReply(
    'DEBUG',
    rows.flatMap(([usage, effect]) => [usage, `    ${effect}`]),
  )
}

function sleep({ node, now }: CommandContext, argv: readonly string[]): Reply {
  const seconds = parseFloating(arg(argv, 2)) ?? 0
  const durationMs = Math.min(MAX_SLEEP_MS, Math.max(0, Math.round(seconds * 1000)))
  node.sleep.start(now.monoMs + durationMs)
  node.times.stood(durationMs)
  return OK
}

function setActiveExpire({ node }: CommandContext, argv: readonly string[]): Reply {
  if (argv[2] !== '0' && argv[2] !== '1') return SYNTAX_ERROR
  node.expiryCycle.isEnabled = argv[2] === '1'
  return OK
}

/** Sets a field of the node. Any word that is no number counts as 0, as in Redis. */
function switchOf(name: 'isCronPaused' | 'skipsChecksums' | 'scriptsMayCallAny'): DebugHandler {
  return ({ node }, argv) => {
    node[name] = (parseInteger(argv[2]) ?? 0) !== 0
    return OK
  }
}

function changeReplicationId({ node }: CommandContext): Reply {
  node.replication.changeId()
  return OK
}

function replicate({ node, db }: CommandContext, argv: readonly string[]): Reply {
  node.replication.propagate(db.index, [argv.slice(2)])
  return OK
}

function log({ node }: CommandContext, argv: readonly string[]): Reply {
  node.port.log('warning', `DEBUG LOG: ${arg(argv, 2)}`)
  return OK
}

const BAD_THRESHOLD = error(
  'ERR argument must be a memory value bigger than 1 and smaller than 4gb',
)
const MAX_THRESHOLD = 4 * 1024 ** 3

function packedThreshold(_: CommandContext, argv: readonly string[]): Reply {
  const bytes = parseBytes(arg(argv, 2))
  return bytes === undefined || bytes > MAX_THRESHOLD ? BAD_THRESHOLD : OK
}

function matchOfLength(_: CommandContext, argv: readonly string[]): Reply {
  const length = parseInteger(argv[2])
  if (length === undefined || length < 0 || length > MAX_MATCHED_BYTES) return MUST_BE_POSITIVE
  return integer(matchesGlob(arg(argv, 3), 'a'.repeat(length)) ? 1 : 0)
}

// RELOAD and LOADAOF: the data are replaced by what the files say, so that a test can see that both hold
// the same.

const IN_TRANSACTION = error('ERR DEBUG RELOAD and LOADAOF take time, which a transaction has not')
const ON_REPLICA = error(
  'ERR DEBUG RELOAD and LOADAOF on a replica would lose what its master sends meanwhile',
)
const IS_RUNNING = error('ERR the data are being loaded already, or the file is being rewritten')
const BAD_OPTION = error('ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options.')
const NO_MERGE = error('ERR DEBUG RELOAD MERGE and NOFLUSH are not offered: data are loaded whole')

/** `options`: NOSAVE loads the existing file. */
function reload(context: CommandContext, argv: readonly string[]): Reply | undefined {
  const words = argv.slice(2).map((word) => word.toUpperCase())
  if (words.some((word) => !['NOSAVE', 'MERGE', 'NOFLUSH'].includes(word))) return BAD_OPTION
  if (words.some((word) => word !== 'NOSAVE')) return NO_MERGE
  return loadAgain(context, words.length === 0 ? 'savedFirst' : 'asSaved')
}

function loadAgain(
  context: CommandContext,
  source: 'savedFirst' | 'asSaved' | 'log',
): Reply | undefined {
  const { node, session } = context
  if (!session.mayBlock) return IN_TRANSACTION
  if (node.replication.isReplica()) return ON_REPLICA
  const what = source === 'log' ? 'append-only file' : 'RDB dump'
  return replyLater(context, (answer) => {
    const isBegun = node.persistence.reloading.begin(source, (problem) =>
      answer(
        problem === undefined ? OK : error(`ERR Error trying to load the ${what}: ${problem}`),
      ),
    )
    if (!isBegun) answer(IS_RUNNING)
  })
}
