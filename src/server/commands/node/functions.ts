/**
 * FUNCTION: libraries are kept for those who can run them, see functions.ts. They come from a master;
 * clients who load one here would expect to call it, so they are told that they cannot.
 */
import { cString } from '../../../base/c-string.ts'
import { matchesGlob } from '../../../base/glob.ts'
import { array, bulk, error, integer, NULL, OK, type Reply } from '../../../resp/reply.ts'
import { arg, command, container, type Family, helpReply } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { BAD_PAYLOAD, unknownSubcommandOrArity } from '../../errors.ts'
import { type FunctionStore, parseLibrary } from '../../functions.ts'
import { isSoundPayload } from '../../rdb/dump-payload.ts'
import { functionPayload, sourcesOfPayload } from '../../rdb/function-payload.ts'

const NOT_RUN_HERE = error(
  'ERR functions cannot be run by this data node: it keeps the libraries its master has, and takes ' +
    'none from clients',
)
const NOT_FOUND = error('ERR Library not found')
const NOT_BUSY = error('NOTBUSY No scripts in execution right now.')
const BAD_FLUSH_MODE = error('ERR FUNCTION FLUSH only supports SYNC|ASYNC option')
const BAD_POLICY = error(
  'ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.',
)
const NO_PATTERN = error('ERR library name argument was not given')

/** The master's stream and what is replayed from disk. */
function mayLoad({ session }: CommandContext): boolean {
  return session.kind === 'master'
}

function load(context: CommandContext, argv: readonly string[]): Reply {
  if (!mayLoad(context)) return NOT_RUN_HERE
  const options = argv.slice(2, -1)
  const unknown = options.find((option) => option.toUpperCase() !== 'REPLACE')
  if (unknown !== undefined) return error(`ERR Unknown option given: ${unknown}`)
  const { functions } = context.node
  const source = argv.at(-1) ?? ''
  const parsed = parseLibrary(source)
  if (!parsed.ok) return error(`ERR ${parsed.error}`)
  const { name } = parsed.library
  if (options.length === 0 && functions.has(name)) {
    return error(`ERR Library '${name}' already exists`)
  }
  functions.add(source)
  context.propagate()
  return bulk(name)
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
  return array(
    shown.map(({ name, engine, source }) => ({
      kind: 'map',
      entries: [
        [bulk('library_name'), bulk(name)],
        [bulk('engine'), bulk(engine)],
        // What it registers is known to those who run it.
        [bulk('functions'), { kind: 'set', items: [] }],
        ...(showsCode ? [[bulk('library_code'), bulk(source)] as const] : []),
      ],
    })),
  )
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

function stats({ node }: CommandContext): Reply {
  const counts = map([
    ['libraries_count', integer(node.functions.size)],
    ['functions_count', integer(0)],
  ])
  return map([
    ['running_script', NULL],
    ['engines', map([['LUA', counts]])],
  ])
}

function map(entries: readonly (readonly [string, Reply])[]): Reply {
  return { kind: 'map', entries: entries.map(([name, reply]) => [bulk(name), reply] as const) }
}

function restore(context: CommandContext, argv: readonly string[]): Reply {
  if (argv.length > 4) return unknownSubcommandOrArity('function', argv[1])
  if (!mayLoad(context)) return NOT_RUN_HERE
  const policy = argv[3]?.toUpperCase() ?? 'APPEND'
  if (policy !== 'FLUSH' && policy !== 'APPEND' && policy !== 'REPLACE') return BAD_POLICY
  const payload = arg(argv, 2)
  if (!isSoundPayload(payload)) return BAD_PAYLOAD
  const problem = restoreAll(context.node.functions, payload, policy)
  if (problem !== undefined) return error(`ERR ${problem}`)
  context.propagate()
  return OK
}

/** All libraries of the payload, or none and why. */
function restoreAll(
  functions: FunctionStore,
  payload: string,
  policy: 'FLUSH' | 'APPEND' | 'REPLACE',
): string | undefined {
  const sources = sourcesOfPayload(payload)
  if (sources === 'not a function') return 'given type is not a function'
  if (sources === 'damaged') return 'failed loading functions payload'
  for (const source of sources) {
    const parsed = parseLibrary(source)
    if (!parsed.ok) return parsed.error
    const { name } = parsed.library
    if (policy === 'APPEND' && functions.has(name)) return `Library ${name} already exists`
  }
  if (policy === 'FLUSH') functions.clear()
  for (const source of sources) functions.add(source)
  return undefined
}

function help(): Reply {
  return helpReply('FUNCTION', [
    'LOAD [REPLACE] <code>',
    '    Only from a master: functions cannot be run here.',
    'DELETE <library>',
    '    Forget a library.',
    'FLUSH [ASYNC|SYNC]',
    '    Forget all of them.',
    'LIST [LIBRARYNAME <pattern>] [WITHCODE]',
    '    The libraries that are kept; which functions they have is not known.',
    'STATS',
    '    How many there are.',
    'DUMP',
    '    All libraries as a payload.',
    'RESTORE <payload> [FLUSH|APPEND|REPLACE]',
    '    Only from a master.',
    'KILL',
    '    Nothing runs.',
  ])
}

const CHANGING = 'write noscript'
const LOADING = 'write denyoom noscript'

export const functionFamily: Family = {
  group: 'scripting',
  category: '@scripting',
  commands: [
    container('function', [
      command('delete', 3, CHANGING, [], remove),
      command('dump', 2, 'noscript', [], ({ node }) => bulk(functionPayload(node.functions.all()))),
      command('flush', -2, CHANGING, [], flush),
      command('help', 2, 'loading stale', [], help),
      command('kill', 2, 'noscript allow_busy', [], () => NOT_BUSY),
      command('list', -2, 'noscript', [], list),
      command('load', -3, LOADING, [], load),
      command('restore', -3, LOADING, [], restore),
      command('stats', 2, 'noscript allow_busy', [], stats),
    ]),
  ],
}
