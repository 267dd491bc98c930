/** EVAL, EVALSHA, their variants that only read, and SCRIPT. */
import { array, bulk, error, integer, OK, type Reply } from '../../../resp/reply.ts'
import { arg, command, container, type Family, helpReply } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { NO_SCRIPT, NOT_BUSY, UNKILLABLE, unknownSubcommandOrArity } from '../../errors.ts'
import { busyError } from '../../gate.ts'
import type { RunningScript } from '../../scripting/run.ts'
import type { Script } from '../../scripting/script-cache.ts'
import { ClientRun, scriptArguments, scriptRefusal } from './running.ts'

const BAD_FLUSH_MODE = error('ERR SCRIPT FLUSH only support SYNC|ASYNC option')
const BAD_DEBUG_MODE = error('ERR Use SCRIPT DEBUG YES/SYNC/NO')
const UNKNOWN_SCRIPT = error('NOSCRIPT No matching script.')
const NO_DEBUGGER = error('ERR this data node has no debugger for scripts')

function evalSource(isReadOnly: boolean) {
  return (context: CommandContext, argv: readonly string[]): Reply | undefined => {
    const given = scriptArguments(argv)
    if ('kind' in given) return given
    const compiled = context.node.scripting.scripts.pass(arg(argv, 1))
    if (!compiled.ok) return error(`ERR ${compiled.error}`)
    return runScript(context, argv, compiled.script, given, isReadOnly)
  }
}

function evalDigest(isReadOnly: boolean) {
  return (context: CommandContext, argv: readonly string[]): Reply | undefined => {
    const script = context.node.scripting.scripts.find(arg(argv, 1))
    if (arg(argv, 1).length !== 40) return NO_SCRIPT
    const given = scriptArguments(argv)
    if ('kind' in given) return given
    if (script === undefined) return NO_SCRIPT
    return runScript(context, argv, script, given, isReadOnly)
  }
}

function runScript(
  context: CommandContext,
  argv: readonly string[],
  { id, closure, flags }: Script,
  { keys, args }: { readonly keys: readonly string[]; readonly args: readonly string[] },
  isReadOnly: boolean,
): Reply | undefined {
  const refused = scriptRefusal(context, flags, isReadOnly)
  if (refused !== undefined) return refused
  const run = new ClientRun(context, argv, 'eval', id, flags, isReadOnly)
  return context.node.scripting.eval(run, closure, keys, args)
}

function load({ node }: CommandContext, argv: readonly string[]): Reply {
  const compiled = node.scripting.scripts.load(arg(argv, 2))
  return compiled.ok ? bulk(compiled.script.id) : error(`ERR ${compiled.error}`)
}

/** Of Valkey 8: the source of a script, as it was given. */
function show({ node }: CommandContext, argv: readonly string[]): Reply {
  const script = node.scripting.scripts.find(arg(argv, 2))
  return script === undefined ? UNKNOWN_SCRIPT : bulk(script.source)
}

function exists({ node }: CommandContext, argv: readonly string[]): Reply {
  const { scripts } = node.scripting
  return array(argv.slice(2).map((id) => integer(scripts.find(id) === undefined ? 0 : 1)))
}

function flush({ node }: CommandContext, argv: readonly string[]): Reply {
  const mode = argv[2]?.toUpperCase() ?? 'SYNC'
  if (argv.length > 3 || (mode !== 'SYNC' && mode !== 'ASYNC')) return BAD_FLUSH_MODE
  node.scripting.forgetScripts()
  return OK
}

/** Ends the script that runs, unless it has written: then it would be half done. */
export function kill({ node }: CommandContext, kind: RunningScript['kind']): Reply {
  const { run } = node.scripting
  if (run === undefined) return NOT_BUSY
  if (run.hasWritten) return UNKILLABLE
  if (run.kind !== kind) return busyError(node)
  node.port.log('warning', 'a script is killed by a client')
  node.scripting.kill()
  return OK
}

function debug(_context: CommandContext, argv: readonly string[]): Reply {
  if (argv.length !== 3) return unknownSubcommandOrArity('script', argv[1])
  const mode = arg(argv, 2).toUpperCase()
  if (mode === 'NO') return OK
  return mode === 'YES' || mode === 'SYNC' ? NO_DEBUGGER : BAD_DEBUG_MODE
}

function help(): Reply {
  return helpReply('SCRIPT', [
    'DEBUG (YES|SYNC|NO)',
    '    There is no debugger here: only NO is accepted.',
    'EXISTS <sha1> [<sha1> ...]',
    '    Return information about the existence of the scripts in the script cache.',
    'FLUSH [ASYNC|SYNC]',
    '    Flush the Lua scripts cache. Very dangerous on replicas.',
    'KILL',
    '    Kill the currently executing Lua script.',
    'LOAD <script>',
    '    Load a script into the scripts cache without executing it.',
    'SHOW <sha1>',
    '    Source of a script in the scripts cache.',
  ])
}

const RUNS = 'noscript stale skip_monitor no_mandatory_keys may_replicate runs_script'
const READS = 'readonly noscript stale skip_monitor no_mandatory_keys runs_script'
const SOURCE = { runs: 'source' } as const
const DIGEST = { runs: 'digest' } as const
const ON_ALL = ['request_policy:all_nodes', 'response_policy:all_succeeded'] as const

export const scriptFamily: Family = {
  group: 'scripting',
  category: '@scripting',
  commands: [
    command('eval', -3, RUNS, ['2# RW access update'], evalSource(false), SOURCE),
    command('eval_ro', -3, READS, ['2# RO access'], evalSource(true), SOURCE),
    command('evalsha', -3, RUNS, ['2# RW access update'], evalDigest(false), DIGEST),
    command('evalsha_ro', -3, READS, ['2# RO access'], evalDigest(true), DIGEST),
    container('script', [
      command('debug', 3, 'noscript', [], debug),
      command('exists', -3, 'noscript', [], exists, {
        tips: ['request_policy:all_shards', 'response_policy:agg_logical_and'],
      }),
      command('flush', -2, 'noscript keeps_script', [], flush, { tips: ON_ALL }),
      command('help', 2, 'loading stale', [], help),
      command('kill', 2, 'noscript allow_busy', [], (context) => kill(context, 'eval'), {
        tips: ['request_policy:all_shards', 'response_policy:one_succeeded'],
      }),
      command('load', 3, 'noscript stale keeps_script', [], load, { tips: ON_ALL }),
      command('show', 3, 'noscript stale', [], show),
    ]),
  ],
}
