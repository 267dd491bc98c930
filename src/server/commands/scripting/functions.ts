/** FUNCTION: libraries are loaded, listed, moved and forgotten; FCALL calls what they registered. */
import { cString } from '../../../base/c-string.ts'
import { matchesGlob } from '../../../base/glob.ts'
import { array, bulk, error, integer, NULL, OK, type Reply, simple } from '../../../resp/reply.ts'
import { replyMap } from '../../../session/commands.ts'
import { arg, command, container, type Family, helpReply } from '../../catalogue/command.ts'
import { ON_ALL_SHARDS, REPORT_OF_SHARD, UNORDERED } from '../../catalogue/command-traits.ts'
import type { CommandContext } from '../../context.ts'
import { BAD_PAYLOAD, BUSY_SCRIPT, unknownSubcommandOrArity } from '../../errors.ts'
import type { Library } from '../../functions.ts'
import { FOOTER_BYTES, isSoundPayload, withFooter } from '../../rdb/dump-payload.ts'
import { OPCODE } from '../../rdb/rdb-format.ts'
import { RdbInput } from '../../rdb/rdb-input.ts'
import { rdbFunction } from '../../rdb/rdb-writer.ts'
import { ClientRun, scriptArguments, scriptRefusal } from './running.ts'
import { kill } from './scripts.ts'

const NOT_FOUND = error('ERR Library not found')
const NO_FUNCTION = error('ERR Function not found')
const BAD_KEY_COUNT = error('ERR Bad number of keys provided')
const BAD_FLUSH_MODE = error('ERR FUNCTION FLUSH only supports SYNC|ASYNC option')
const BAD_POLICY = error(
  'ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.',
)
const NO_PATTERN = error('ERR library name argument was not given')

function call(isReadOnly: boolean) {
  return (context: CommandContext, argv: readonly string[]): Reply | undefined => {
    const { node } = context
    const found = node.functions.find(arg(argv, 1))
    if (found === undefined) return NO_FUNCTION
    const given = scriptArguments(argv, BAD_KEY_COUNT)
    if ('kind' in given) return given
    const { name, flags, callee } = found
    const refused = scriptRefusal(context, flags, isReadOnly)
    if (refused !== undefined) return refused
    const run = new ClientRun(context, argv, 'function', name, flags, isReadOnly)
    return node.scripting.call(run, callee, given.keys, given.args)
  }
}

function load(context: CommandContext, argv: readonly string[]): Reply {
  const options = argv.slice(2, -1)
  const unknown = options.find((option) => option.toUpperCase() !== 'REPLACE')
  if (unknown !== undefined) return error(`ERR Unknown option given: ${unknown}`)
  const added = context.node.functions.add(argv.at(-1) ?? '', options.length > 0)
  if (!added.ok) return error(`ERR ${added.error}`)
  context.propagate()
  return bulk(added.library.name)
}

function remove(context: CommandContext, argv: readonly string[]): Reply {
  if (!context.node.functions.remove(arg(argv, 2))) return NOT_FOUND
  context.propagate()
  return OK
}

function flush(context: CommandContext, argv: readonly string[]): Reply {
  if (argv.length > 3) return unknownSubcommandOrArity('function', argv[1])
  const mode = argv[2]?.toUpperCase() ?? 'SYNC'
  if (mode !== 'SYNC' && mode !== 'ASYNC') return BAD_FLUSH_MODE
  context.node.functions.clear()
  context.propagate()
  return OK
}

interface ListOptions {
  pattern: string | undefined
  showsCode: boolean
}

function list({ node }: CommandContext, argv: readonly string[]): Reply {
  const options = parseListOptions(argv)
  if ('kind' in options) return options
  const { pattern = '*', showsCode } = options
  const shown = [...node.functions.libraries()].filter(({ name }) =>
    matchesGlob(pattern, name, { nocase: true }),
  )
  return array(shown.map((library) => describe(library, showsCode)))
}

function describe({ name, engine, source, functions }: Library, showsCode: boolean): Reply {
  const fields: (readonly [string, Reply])[] = [
    ['library_name', bulk(name)],
    ['engine', bulk(engine)],
    [
      'functions',
      array(
        functions.map((each) =>
          replyMap([
            ['name', bulk(each.name)],
            ['description', each.description === undefined ? NULL : bulk(each.description)],
            ['flags', { kind: 'set', items: each.flagNames.map(simple) }],
          ]),
        ),
      ),
    ],
  ]
  return replyMap(showsCode ? [...fields, ['library_code', bulk(source)]] : fields)
}

function parseListOptions(argv: readonly string[]): ListOptions | Reply {
  const options: ListOptions = { pattern: undefined, showsCode: false }
  for (let at = 2; at < argv.length; at++) {
    const word = argv[at]?.toUpperCase()
    if (word === 'WITHCODE' && !options.showsCode) {
      options.showsCode = true
    } else if (word === 'LIBRARYNAME' && options.pattern === undefined) {
      options.pattern = argv[++at]
      if (options.pattern === undefined) return NO_PATTERN
    } else {
      return error(`ERR Unknown argument ${cString(argv[at] ?? '')}`)
    }
  }
  return options
}

function stats({ node, now }: CommandContext): Reply {
  const { run } = node.scripting
  // As in Redis, to EVAL it is a command like others; to itself it is none.
  if (run !== undefined && run.kind !== 'function') return BUSY_SCRIPT
  const running: Reply =
    run === undefined
      ? NULL
      : replyMap([
          ['name', bulk(run.name)],
          ['command', array(run.argv.map(bulk))],
          ['duration_ms', integer(Math.round(node.scripting.ageMs(now)))],
        ])
  const counts = replyMap([
    ['libraries_count', integer(node.functions.size)],
    ['functions_count', integer(node.functions.functionCount)],
  ])
  return replyMap([
    ['running_script', running],
    ['engines', replyMap([['LUA', counts]])],
  ])
}

function restore(context: CommandContext, argv: readonly string[]): Reply {
  if (argv.length > 4) return unknownSubcommandOrArity('function', argv[1])
  const policy = argv[3]?.toUpperCase() ?? 'APPEND'
  if (policy !== 'FLUSH' && policy !== 'APPEND' && policy !== 'REPLACE') return BAD_POLICY
  const payload = arg(argv, 2)
  if (!isSoundPayload(payload, context.node.skipsChecksums)) return BAD_PAYLOAD
  const sources = sourcesOfPayload(payload)
  if (sources === 'not a function') return error('ERR given type is not a function')
  if (sources === 'damaged') return error('ERR failed loading functions payload')
  const { functions } = context.node
  const problem = functions.restore(sources, policy)
  if (problem !== undefined) return error(`ERR ${problem}`)
  context.propagate()
  return OK
}

function help(): Reply {
  return helpReply('FUNCTION', [
    'LOAD [REPLACE] <FUNCTION CODE>',
    '    Create a new library with the given library name and code.',
    'DELETE <LIBRARY NAME>',
    '    Delete the given library.',
    'LIST [LIBRARYNAME PATTERN] [WITHCODE]',
    '    Return general information on all the libraries:',
    '    * Library name',
    '    * The engine used to run the Library',
    '    * Library description',
    '    * Functions list',
    '    * Library code (if WITHCODE is given)',
    '    It also possible to get only function that matches a pattern using LIBRARYNAME argument.',
    'STATS',
    '    Return information about the current function running:',
    '    * Function name',
    '    * Command used to run the function',
    '    * Duration in MS that the function is running',
    '    If no function is running, return nil',
    '    In addition, returns a list of available engines.',
    'KILL',
    '    Kill the current running function.',
    'FLUSH [ASYNC|SYNC]',
    '    Delete all the libraries.',
    '    When called without the optional mode argument, the behavior is determined by the',
    '    lazyfree-lazy-user-flush configuration directive. Valid modes are:',
    '    * ASYNC: Asynchronously flush the libraries.',
    '    * SYNC: Synchronously flush the libraries.',
    'DUMP',
    '    Return a serialized payload representing the current libraries, can be restored using FUNCTION RESTORE command',
    'RESTORE <PAYLOAD> [FLUSH|APPEND|REPLACE]',
    '    Restore the libraries represented by the given payload, it is possible to give a restore policy to',
    '    control how to handle existing libraries (default APPEND):',
    '    * FLUSH: delete all existing libraries.',
    '    * APPEND: appends the restored libraries to the existing libraries. On collision, abort.',
    '    * REPLACE: appends the restored libraries to the existing libraries, On collision, replace the old',
    '      libraries with the new libraries (notice that even on this option there is a chance of failure',
    '      in case of functions name conflict with another library).',
  ])
}

const CHANGING = 'write noscript'
const LOADING = 'write denyoom noscript'
const RUNS = 'noscript stale skip_monitor no_mandatory_keys may_replicate runs_script'
const FUNCTION = { runs: 'function' } as const
const READS = 'readonly noscript stale skip_monitor no_mandatory_keys runs_script'

export const functionFamily: Family = {
  group: 'scripting',
  category: '@scripting',
  commands: [
    command('fcall', -3, RUNS, ['2# RW access update'], call(false), FUNCTION),
    command('fcall_ro', -3, READS, ['2# RO access'], call(true), FUNCTION),
    container('function', [
      command('delete', 3, CHANGING, [], remove, ON_ALL_SHARDS),
      command('dump', 2, 'noscript', [], ({ node }) => bulk(functionPayload(node.functions.all()))),
      command('flush', -2, CHANGING, [], flush, ON_ALL_SHARDS),
      command('help', 2, 'loading stale', [], help),
      command('kill', 2, 'noscript allow_busy', [], (context) => kill(context, 'function'), {
        tips: ['request_policy:all_shards', 'response_policy:one_succeeded'],
      }),
      command('list', -2, 'noscript', [], list, UNORDERED),
      command('load', -3, LOADING, [], load, ON_ALL_SHARDS),
      command('restore', -3, LOADING, [], restore, ON_ALL_SHARDS),
      command('stats', 2, 'noscript allow_busy', [], stats, REPORT_OF_SHARD),
    ]),
  ],
}

/** The payload of FUNCTION DUMP: RDB records of libraries, and the footer of every DUMP payload. */

/** Functions came with this version of the format. */
const VERSION = 10

export function functionPayload(sources: Iterable<string>): string {
  return withFooter([...sources].map(rdbFunction).join(''), VERSION)
}

type PayloadFault = 'not a function' | 'damaged'

/** The sources of a payload whose footer has been checked. */
function sourcesOfPayload(payload: string): readonly string[] | PayloadFault {
  const input = new RdbInput()
  const end = payload.length - FOOTER_BYTES
  input.push(payload.slice(0, end))
  const sources: string[] = []
  while (input.offset < end) {
    if (input.takeByte() !== OPCODE.function) return 'not a function'
    const step = input.string().next()
    if (step.done !== true) return 'damaged'
    sources.push(step.value)
  }
  return sources
}
