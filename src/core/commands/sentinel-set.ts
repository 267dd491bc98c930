/**
 * SENTINEL SET: options of a group, read from left to right. As in C Sentinel it is not atomic: what
 * stands before a mistake stays in force, and is saved. Whether scripts can be run is found out before
 * anything is changed, since that takes time.
 */
import { error, OK, type Reply } from '../../resp/reply.ts'
import type { Client } from '../client.ts'
import type { GroupConfig } from '../config.ts'
import { announce } from '../events.ts'
import { reconfigureGroup } from '../groups.ts'
import { consult } from '../inquiries.ts'
import { save } from '../memory/save.ts'
import type { Group, Turn } from '../state.ts'
import { refuseControlCharacters } from './sentinel-arguments.ts'
import { onGroup, sentinelCommand } from './sentinel-command.ts'
import { findOption, type Option } from './sentinel-set-options.ts'

function setOptions(
  turn: Turn,
  group: Group,
  argv: readonly string[],
  client: Client,
): Reply | undefined {
  const refusal = refuseControlCharacters(argv, 'SENTINEL SET')
  if (refusal !== undefined) return refusal
  const words = argv.slice(3)
  const unusable = unusableScripts(turn, client, words)
  return unusable && apply(turn, group, words, unusable)
}

/** The paths among the values that are no programs we may run; undefined: not known yet. */
function unusableScripts(
  turn: Turn,
  client: Client,
  words: readonly string[],
): ReadonlySet<string> | undefined {
  const unusable = new Set<string>()
  if (turn.state.config.denyScriptsReconfig) return unusable
  for (const path of scriptPaths(words)) {
    const answer = consult(turn, client, { kind: 'executable', path })
    if (answer === undefined) return undefined
    if (answer.kind !== 'executable' || !answer.isExecutable) unusable.add(path)
  }
  return unusable
}

function scriptPaths(words: readonly string[]): readonly string[] {
  const paths = []
  for (let at = 0; at < words.length; ) {
    const option = findOption(words[at] ?? '')
    const [path = ''] = words.slice(at + 1)
    if (option?.isScript === true && path !== '') paths.push(path)
    at += 1 + (option?.values ?? 1)
  }
  return paths
}

function apply(
  turn: Turn,
  group: Group,
  words: readonly string[],
  unusable: ReadonlySet<string>,
): Reply {
  const { config, mistake } = readOptions(turn, group, words, unusable)
  if (config !== group.config) {
    reconfigureGroup(turn, group, config)
    save(turn)
  }
  return mistake ?? OK
}

/** The options up to the first mistake, each of them announced. */
function readOptions(
  turn: Turn,
  group: Group,
  words: readonly string[],
  unusable: ReadonlySet<string>,
) {
  let config = group.config
  for (let at = 0; at < words.length; ) {
    const [typed = '', ...rest] = words.slice(at)
    const option = findOption(typed)
    const values = rest.slice(0, option?.values)
    const change = readOption(config, typed, option, values)
    if ('kind' in change) return { config, mistake: change }
    const refusal = option?.isScript
      ? refuseScript(turn, option, values[0] ?? '', unusable)
      : undefined
    if (refusal !== undefined) return { config, mistake: refusal }
    config = { ...config, ...change }
    announceChange(turn, group, typed, values)
    at += 1 + values.length
  }
  return { config, mistake: undefined }
}

function readOption(
  config: GroupConfig,
  typed: string,
  option: Option | undefined,
  values: readonly string[],
): Partial<GroupConfig> | Reply {
  if (option === undefined || values.length < option.values) {
    return error(`ERR Unknown option or number of arguments for SENTINEL SET '${typed}'`)
  }
  const change = option.change(config, values)
  if (typeof change !== 'string') return change
  return error(`ERR Invalid argument '${change}' for SENTINEL SET '${typed}'`)
}

const DENIED = error(
  'ERR Reconfiguration of scripts path is denied for security reasons. ' +
    'Check the deny-scripts-reconfig configuration directive in your Sentinel configuration',
)

function refuseScript(
  turn: Turn,
  { title }: Option,
  path: string,
  unusable: ReadonlySet<string>,
): Reply | undefined {
  if (turn.state.config.denyScriptsReconfig) return DENIED
  if (!unusable.has(path)) return undefined
  return error(`ERR ${title} script seems non existing or non executable`)
}

/** Events go to the log and to everyone who listens, so a password is not in them. */
function announceChange(turn: Turn, group: Group, typed: string, values: readonly string[]): void {
  const shown = typed.toLowerCase() === 'auth-pass' ? ['******'] : values
  announce(turn, 'warning', '+set', group.master, [typed, ...shown].join(' '))
}

export const SET = sentinelCommand(
  {
    name: 'set',
    arity: -5,
    usage: '<master-name> <option> <value> [<option> <value> ...]',
    summary: 'Change options of a master.',
  },
  onGroup(setOptions),
)
