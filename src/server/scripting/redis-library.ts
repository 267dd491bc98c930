/** `redis.*`: what a script can ask of the node. */
import { doubleText } from '../../base/double-text.ts'
import { addLibrary } from '../../lua/library/library.ts'
import type { Native, NativeCode, NativeResult } from '../../lua/machine/functions.ts'
import type { Machine } from '../../lua/machine/machine.ts'
import { toText } from '../../lua/machine/operators.ts'
import type { LuaTable } from '../../lua/table.ts'
import { LuaError, type LuaValue } from '../../lua/values.ts'
import type { Reply } from '../../resp/reply.ts'
import type { EffectTargets } from '../effects.ts'
import { REDIS_VERSION } from '../version.ts'
import { errorTable, errorText, replyToLua } from './reply-conversion.ts'
import type { RunningScript } from './run.ts'
import { sha1Hex } from './sha1-hex.ts'

/** What a command costs besides what it does, in instructions. */
const CALL_STEPS = 60
const LEVELS = ['debug', 'verbose', 'notice', 'warning'] as const
const TARGETS: readonly EffectTargets[] = ['none', 'file', 'replicas', 'all']

const CONSTANTS: Record<string, LuaValue> = {
  LOG_DEBUG: 0,
  LOG_VERBOSE: 1,
  LOG_NOTICE: 2,
  LOG_WARNING: 3,
  REPL_NONE: 0,
  REPL_AOF: 1,
  REPL_SLAVE: 2,
  REPL_REPLICA: 2,
  REPL_ALL: 3,
  REDIS_VERSION,
  REDIS_VERSION_NUM: versionNumber(REDIS_VERSION),
}

/** `running`: the run that calls; undefined while a library is loaded. */
export function addRedis(machine: Machine, running: () => RunningScript | undefined): LuaTable {
  const inRun =
    (code: (args: LuaValue[], native: Native, run: RunningScript) => NativeResult): NativeCode =>
    (args, native) => {
      const run = running()
      if (run === undefined) {
        throw raised(native, 'redis.call/pcall can only be called inside a script invocation')
      }
      return code(args, native, run)
    }
  return addLibrary(
    machine,
    'redis',
    {
      ...PLAIN,
      call: inRun((args, native, run) => {
        const reply = called(native, args, run)
        if (typeof reply === 'string') throw raised(native, reply)
        if (reply.kind === 'error') throw new LuaError(errorTable(native, reply.text))
        return replyToLua(native, reply, run.session.protocol)
      }),
      pcall: inRun((args, native, run) => {
        const reply = called(native, args, run)
        if (typeof reply === 'string') return returned(native, reply)
        return replyToLua(native, reply, run.session.protocol)
      }),
      setresp: inRun(setProtocol),
      set_repl: inRun(setTargets),
      acl_check_cmd: inRun(checkCommand),
      log: (args, native) => log(args, native, running()),
    },
    CONSTANTS,
  )
}

const PLAIN: Record<string, NativeCode> = {
  // There is no debugger; a script that would stop in it goes on.
  breakpoint: () => false,
  debug: () => [],
  replicate_commands: () => true,
  sha1hex: (args, native) => {
    if (args.length !== 1) throw raised(native, 'wrong number of arguments')
    const text = toText(args[0]) ?? ''
    native.spend(text.length >> 2)
    return sha1Hex(text)
  },
  error_reply: (args, native) => {
    const [text] = args
    if (args.length !== 1 || typeof text !== 'string') return wrongArguments(native)
    return returned(native, text.startsWith('-') ? text : `-${text}`)
  },
  status_reply: (args, native) => {
    const [text] = args
    if (args.length !== 1 || typeof text !== 'string') return wrongArguments(native)
    const table = native.newTable()
    table.set('ok', text)
    return table
  },
}

function wrongArguments(native: Native): LuaTable {
  return returned(native, 'wrong number or type of arguments')
}

/** The error of the library itself, as a value. */
function returned(native: Native, message: string): LuaTable {
  const table = native.newTable()
  table.set('err', errorText(message))
  return table
}

export function raised(native: Native, message: string): LuaError {
  return new LuaError(returned(native, message))
}

/** A text: the words are none of a command. */
function called(native: Native, args: LuaValue[], run: RunningScript): Reply | string {
  if (args.length === 0) return 'Please specify at least one argument for this redis lib call'
  const argv = words(args)
  if (argv === undefined) return 'Lua redis lib command arguments must be strings or integers'
  native.spend(CALL_STEPS)
  return run.call(argv)
}

function words(args: LuaValue[]): string[] | undefined {
  for (let at = 0; at < args.length; at++) {
    const word = args[at]
    if (typeof word === 'number') args[at] = doubleText(word)
    else if (typeof word !== 'string') return undefined
  }
  return args as string[]
}

function setProtocol(args: LuaValue[], native: Native, run: RunningScript): NativeResult {
  if (args.length !== 1) throw raised(native, 'redis.setresp() requires one argument.')
  const version = Number(toText(args[0]))
  if (version !== 2 && version !== 3) throw raised(native, 'RESP version must be 2 or 3.')
  run.session.protocol = version
  return []
}

function setTargets(args: LuaValue[], native: Native, run: RunningScript): NativeResult {
  if (args.length !== 1) throw raised(native, 'redis.set_repl() requires two arguments.')
  const targets = TARGETS[Number(toText(args[0]) ?? Number.NaN)]
  if (targets === undefined) {
    throw raised(
      native,
      'Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.',
    )
  }
  run.setTargets(targets)
  return []
}

function checkCommand(args: LuaValue[], native: Native, run: RunningScript): NativeResult {
  if (args.length === 0) {
    throw raised(native, 'Please specify at least one argument for this redis lib call')
  }
  const argv = words(args)
  if (argv === undefined) {
    throw raised(native, 'Lua redis lib command arguments must be strings or integers')
  }
  const allowed = run.mayRun(argv)
  if (allowed === undefined) {
    throw raised(native, 'Invalid command passed to redis.acl_check_cmd()')
  }
  return allowed
}

function log(args: LuaValue[], native: Native, run: RunningScript | undefined): NativeResult {
  if (args.length < 2) throw raised(native, 'redis.log() requires two arguments or more.')
  const [level, ...parts] = args
  if (typeof level !== 'number') {
    throw raised(native, 'First argument must be a number (log level).')
  }
  const name = LEVELS[level]
  if (name === undefined) throw raised(native, 'Invalid debug level.')
  run?.log(name, parts.map((part) => toText(part) ?? '').join(' '))
  return []
}

function versionNumber(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  return (major << 16) | (minor << 8) | patch
}
