/** CONFIG: reading and changing directives while the node runs. */
import { bulkMap, error, OK, type Reply } from '../../../resp/reply.ts'
import { learntUsers } from '../../access/access.ts'
import { arg, command, container, type Family, helpReply } from '../../catalogue/command.ts'
import { ON_ALL_NODES } from '../../catalogue/command-traits.ts'
import type { CommandContext } from '../../context.ts'
import {
  configSetFailed,
  LOADING,
  NO_CONFIG_FILE,
  SYNTAX_ERROR,
  unknownConfigOption,
} from '../../errors.ts'
import { resetStats } from '../../info/stats.ts'

function get({ node }: CommandContext, argv: readonly string[]): Reply {
  // By lower-case name: a directive that is asked for twice is answered once, under its first
  // spelling.
  const found = new Map<string, [name: string, text: string]>()
  for (const pattern of argv.slice(2)) {
    for (const [name, text] of node.settings.match(pattern)) {
      const key = name.toLowerCase()
      if (!found.has(key)) found.set(key, [name, text])
    }
  }
  return bulkMap([...found.values()])
}

function set({ node, session }: CommandContext, argv: readonly string[]): Reply {
  if (argv.length % 2 !== 0) return SYNTAX_ERROR
  const pairs: [string, string][] = []
  for (let at = 2; at < argv.length; at += 2) pairs.push([arg(argv, at), arg(argv, at + 1)])
  const isLoading = node.persistence.isLoading
  if (isLoading && pairs.some(([name]) => NOT_WHILE_LOADING.has(name.toLowerCase()))) return LOADING
  const problem = node.settings.change(pairs, session.ends.remoteHost)
  if (problem === undefined) return OK
  return problem.kind === 'unknown'
    ? unknownConfigOption(problem.name)
    : configSetFailed(problem.name, problem.reason)
}

/** The user's file stays unchanged; the differences are kept beside it. */
export function rewriteConfig({ node }: CommandContext): Reply {
  if (!node.hasConfigFile) return NO_CONFIG_FILE
  const problem = node.port.saveSettings(node.settings.differing(), learntUsers(node.access))
  return problem === undefined ? OK : error(problem)
}

function resetStat({ node }: CommandContext): Reply {
  resetStats(node.stats)
  node.access.log.resetCounts()
  node.rates.reset()
  for (const each of node.table.everyCommand()) {
    each.calls = 0
    each.rejectedCalls = 0
    each.failedCalls = 0
    each.micros = 0
    each.latency = undefined
  }
  return OK
}

/** The values of directives that contain a password. */
function passwordsOf(argv: readonly string[]): number[] {
  return argv.flatMap((word, at) =>
    at % 2 === 0 && PASSWORDS.has(word.toLowerCase()) ? [at + 1] : [],
  )
}

const PASSWORDS: ReadonlySet<string> = new Set([
  'requirepass',
  'masterauth',
  'masteruser',
  'tls-key-file-pass',
  'tls-client-key-file-pass',
])

function help(): Reply {
  return helpReply('CONFIG', [
    'GET <pattern> [...]',
    '    Directives whose names match.',
    'SET <directive> <value> [...]',
    '    Change directives, all of them or none.',
    'RESETSTAT',
    '    Start the counters of INFO again.',
    'REWRITE',
    '    Keep the changed directives for the next start.',
  ])
}

/** These directives say what is being loaded. */
const NOT_WHILE_LOADING: ReadonlySet<string> = new Set(['appendonly', 'dir', 'repl-diskless-load'])

const ADMIN = 'admin noscript loading stale'

const configSubcommands = [
  command('get', -3, ADMIN, [], get),
  command('help', 2, 'loading stale', [], help),
  command('resetstat', 2, ADMIN, [], resetStat),
  command('rewrite', 2, ADMIN, [], rewriteConfig),
  command('set', -4, ADMIN, [], set, { ...ON_ALL_NODES, secrets: passwordsOf }),
]

export const configFamily: Family = {
  group: 'server',
  category: undefined,
  commands: [container('config', configSubcommands)],
}
