/**
 * SENTINEL SET: options of a group, read from left to right. As in C Sentinel it is not atomic: what
 * stands before a mistake stays in force, and is saved. Script options and command renames do not exist
 * yet and are unknown options.
 */
import { error, OK, type Reply } from '../../resp/reply.ts'
import type { GroupConfig } from '../config.ts'
import { announce } from '../events.ts'
import { reconfigureGroup } from '../groups.ts'
import { save } from '../save.ts'
import type { Group, Turn } from '../state.ts'
import { parseInteger, refuseControlCharacters } from './sentinel-arguments.ts'
import { onGroup, sentinelCommand } from './sentinel-command.ts'

type Change = Partial<GroupConfig>

/** What a value changes; undefined when it is not a valid one. */
type Setting = (value: string) => Change | undefined

const SETTINGS: ReadonlyMap<string, Setting> = new Map<string, Setting>([
  ['down-after-milliseconds', positive((downAfterMs) => ({ downAfterMs }))],
  ['failover-timeout', positive((failoverTimeoutMs) => ({ failoverTimeoutMs }))],
  ['parallel-syncs', positive((parallelSyncs) => ({ parallelSyncs }))],
  ['quorum', positive((quorum) => ({ quorum }))],
  ['auth-pass', (authPass) => ({ authPass })],
  ['auth-user', (authUser) => ({ authUser })],
])

function positive(change: (value: number) => Change): Setting {
  return (text) => {
    const value = parseInteger(text)
    return value === undefined || value < 1 ? undefined : change(value)
  }
}

function setOptions(turn: Turn, group: Group, argv: readonly string[]): Reply {
  const refusal = refuseControlCharacters(argv, 'SENTINEL SET')
  if (refusal !== undefined) return refusal
  const { config, mistake } = readOptions(turn, group, argv.slice(3))
  if (config !== group.config) {
    reconfigureGroup(turn, group, config)
    save(turn)
  }
  return mistake ?? OK
}

/** The options up to the first mistake, each of them announced. */
function readOptions(turn: Turn, group: Group, words: readonly string[]) {
  let config = group.config
  for (let at = 0; at < words.length; at += 2) {
    const [option = '', value] = words.slice(at, at + 2)
    const change = readOption(option, value)
    if ('kind' in change) return { config, mistake: change }
    config = { ...config, ...change }
    announceChange(turn, group, option, value ?? '')
  }
  return { config, mistake: undefined }
}

function readOption(option: string, value: string | undefined): Change | Reply {
  const setting = SETTINGS.get(option.toLowerCase())
  if (setting === undefined || value === undefined) {
    return error(`ERR Unknown option or number of arguments for SENTINEL SET '${option}'`)
  }
  return setting(value) ?? error(`ERR Invalid argument '${value}' for SENTINEL SET '${option}'`)
}

/** Events go to the log and to everyone who listens, so a password is not in them. */
function announceChange(turn: Turn, group: Group, option: string, value: string): void {
  const shown = option.toLowerCase() === 'auth-pass' ? '******' : value
  announce(turn, 'warning', '+set', group.master, `${option} ${shown}`)
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
