/** DEBUG: for tests. SLEEP makes the node stand still, DIGEST tells whether two nodes hold the same. */
import { error, OK, type Reply, simple } from '../../resp/reply.ts'
import { arg, helpReply } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { keyspaceDigest } from '../digest.ts'
import { SYNTAX_ERROR, unknownSubcommandOrArity } from '../errors.ts'
import { parseFloating } from '../numbers.ts'

/** Nobody waits longer for a test. */
const MAX_SLEEP_MS = 24 * 3600 * 1000

export function debug(context: CommandContext, argv: readonly string[]): Reply {
  const subcommand = arg(argv, 1).toLowerCase()
  if (subcommand === 'sleep' && argv.length === 3) return sleep(context, arg(argv, 2))
  if (subcommand === 'digest' && argv.length === 2) {
    return simple(keyspaceDigest(context.node.keyspace))
  }
  if (subcommand === 'set-active-expire' && argv.length === 3) return setActiveExpire(context, argv)
  if (subcommand === 'error' && argv.length === 3) return error(arg(argv, 2))
  if (subcommand === 'help') return help()
  return unknownSubcommandOrArity('debug', argv[1])
}

function sleep({ node, now }: CommandContext, text: string): Reply {
  const seconds = parseFloating(text) ?? 0
  const durationMs = Math.min(MAX_SLEEP_MS, Math.max(0, Math.round(seconds * 1000)))
  node.stall.start(now.monoMs + durationMs)
  return OK
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
    'ERROR <text>',
    '    Answer with this error.',
    'SET-ACTIVE-EXPIRE <0|1>',
    '    Whether expired keys are deleted before somebody asks for them.',
    'SLEEP <seconds>',
    '    Stand still.',
  ])
}
