/**
 * SENTINEL SET: options of a group, read from left to right. As in C Sentinel it is not atomic:
 * what stands before a mistake stays in force, and is saved. Whether scripts can be run is checked
 * before anything is changed, since the check takes time.
 */

import { unreachable } from '../../base/assert.ts'
import { hostAndPort } from '../../base/ip.ts'
import { changeClientAddress } from '../../base/network-addresses.ts'
import { error, OK, type Reply } from '../../resp/reply.ts'
import type { Client } from '../clients/client.ts'
import type { GroupConfig } from '../config.ts'
import { announce } from '../events.ts'
import { consult } from '../external-queries.ts'
import { changeRule, ruleFault } from '../failover/host-rules.ts'
import type {
  GroupOption,
  HostRule,
  HostRulesOption,
  RenamedCommand,
} from '../group-option-kinds.ts'
import { GROUP_OPTION_ROWS, type GroupOptionKey, isPath } from '../group-options.ts'
import { reconfigureGroup } from '../groups.ts'
import { isKnownMember } from '../names/told-address.ts'
import { save } from '../persistence/save.ts'
import { type Group, instancesOf, type Turn } from '../state.ts'
import { parseInteger, refuseControlCharacters } from './sentinel-arguments.ts'
import { onGroup, sentinelCommand } from './sentinel-command.ts'

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

/**
 * The paths among the values at which there is no program that we may run; undefined: not known
 * yet.
 */
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
    if (option !== undefined && isPath(option.row, path)) paths.push(path)
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
  const before = group.config
  const { config, mistake } = readOptions(turn, group, words, unusable)
  if (config !== before) {
    reconfigureGroup(turn, group, config)
    save(turn)
  }
  return mistake ?? OK
}

/**
 * Applies the options up to the first mistake and announces each of them. The log and all
 * subscribers see these events, so they contain no secrets.
 */
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
    const refusal = option && refuseToSet(turn, group, option, values, unusable)
    if (refusal !== undefined) return { config, mistake: refusal }
    config = { ...config, ...change }
    // A new notification script is the first to be called, as with C Sentinel: so operators see that it works.
    group.config = { ...group.config, notificationScript: config.notificationScript }
    const shown = option?.row.isSecret ? ['******'] : values
    announce(turn, '+set', group.master, { option: typed, value: shown.join(' ') })
    at += 1 + values.length
  }
  return { config, mistake: undefined }
}

function readOption(
  config: GroupConfig,
  typed: string,
  option: SettableOption | undefined,
  values: readonly string[],
): Partial<GroupConfig> | Reply {
  if (option === undefined || values.length < option.values) {
    return error(`ERR Unknown option or number of arguments for SENTINEL SET '${typed}'`)
  }
  const change = changeOption(option, config, values)
  if (typeof change !== 'string') return change
  return error(`ERR Invalid argument '${change}' for SENTINEL SET '${typed}'`)
}

const DENIED = error(
  'ERR Reconfiguration of scripts path is denied for security reasons. ' +
    'Check the deny-scripts-reconfig configuration directive in your Sentinel configuration',
)

function refuseToSet(
  turn: Turn,
  group: Group,
  { row }: SettableOption,
  values: readonly string[],
  unusable: ReadonlySet<string>,
): Reply | undefined {
  if (row.set === 'if-allowed' && turn.state.config.denyScriptsReconfig) return DENIED
  if (row.kind === 'addresses') return refuseStranger(turn, group, row, values)
  const [value = ''] = values
  if (!('title' in row) || !unusable.has(value)) return undefined
  return error(`ERR ${row.title} script seems non existing or non executable`)
}

/** A file may name members that are not there yet; whoever types an address that no member has was mistaken. */
function refuseStranger(
  { state }: Turn,
  group: Group,
  { name }: GroupOption,
  [, member = '', announced = '']: readonly string[],
): Reply | undefined {
  if (announced === '' || isKnownMember(state, group, member)) return undefined
  const known = [...instancesOf(group)].map(({ host, port }) => hostAndPort(host, port)).join(', ')
  return error(`ERR ${name}: '${member}' is no member of ${group.config.name}: it has ${known}`)
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

/** How SENTINEL SET reads the words after an option, by the kind of the option. */
interface SettableOption {
  readonly key: GroupOptionKey
  readonly row: GroupOption
  /** How many words follow its name. */
  readonly values: number
}

/** Finds an option by its name in upper or lower case; undefined: there is no such option. */
function findOption(typed: string): SettableOption | undefined {
  return OPTIONS.get(typed.toLowerCase())
}

/** How many words follow the name of an option, where it is not one. */
const WORDS_BEHIND: Partial<Record<GroupOption['kind'], number>> = {
  renames: 2,
  rules: 2,
  addresses: 3,
}

const OPTIONS: ReadonlyMap<string, SettableOption> = new Map(
  GROUP_OPTION_ROWS.filter(([, { set }]) => set !== 'no').flatMap(([key, row]) => {
    const option = { key, row, values: WORDS_BEHIND[row.kind] ?? 1 }
    return [row.name, ...(row.aliases ?? [])].map((name) => [name, option] as const)
  }),
)

/** The changed fields, or the value that is not valid, or what is wrong with it. */
function changeOption(
  { key, row }: SettableOption,
  config: GroupConfig,
  values: readonly string[],
): Partial<GroupConfig> | string | Reply {
  const [text = ''] = values
  if (row.kind === 'renames') return renameCommand(config, values)
  if (row.kind === 'rules') return setRule(key, row, config, values)
  if (row.kind === 'addresses') return setAddress(row, config, values)
  if (row.kind === 'texts') return { [key]: addedText(config[key] as readonly string[], text) }
  const value = readValue(row, text)
  return value === undefined ? text : { [key]: value }
}

/** An empty word takes the rule away. */
function setRule(
  key: GroupOptionKey,
  row: HostRulesOption,
  config: GroupConfig,
  [pattern = '', word = '']: readonly string[],
): Partial<GroupConfig> | string {
  const rule: HostRule = [pattern, word]
  const isKept = word !== '' && ruleFault(row, rule) !== undefined
  if (isKept) return `${pattern} ${word}`
  return { [key]: changeRule(config[key] as readonly HostRule[], rule) }
}

/** An empty announced address takes the entry away. */
function setAddress(
  { name }: GroupOption,
  { clientAddresses }: GroupConfig,
  [network = '', member = '', announced = '']: readonly string[],
): Partial<GroupConfig> | Reply {
  const table = changeClientAddress(clientAddresses, [network, member, announced])
  return typeof table === 'string' ? error(`ERR ${name}: ${table}`) : { clientAddresses: table }
}

/** Each text comes behind those that are there; an empty one takes them all away. */
function addedText(texts: readonly string[], text: string): readonly string[] {
  return text === '' ? [] : [...texts.filter((one) => one !== text), text]
}

type PlainOption = Exclude<
  GroupOption,
  { readonly kind: 'renames' | 'rules' | 'addresses' | 'texts' }
>

/** Undefined if the text is no valid value. */
function readValue(row: PlainOption, text: string): string | number | undefined {
  switch (row.kind) {
    case 'count':
    case 'duration': {
      const number = parseInteger(text)
      return number === undefined || number < row.least ? undefined : number
    }
    case 'text':
    case 'script':
    case 'hook':
      return text
    case 'word':
      // In upper or lower case, as C Sentinel accepts words.
      return row.words.find((word) => word === text.toLowerCase())
    default:
      return unreachable(row)
  }
}

/** A command that is renamed to itself has its own name again. */
function renameCommand(
  { renamedCommands }: GroupConfig,
  [name = '', sentAs = '']: readonly string[],
): Partial<GroupConfig> | string {
  if (name === '' || sentAs === '') return ''
  const own = name.toLowerCase()
  const others = renamedCommands.filter(([other]) => other !== own)
  const added: readonly RenamedCommand[] = sentAs.toLowerCase() === own ? [] : [[own, sentAs]]
  return { renamedCommands: [...others, ...added] }
}
