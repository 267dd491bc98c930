/**
 * The `sentinel … <group> …` directives: rules of a group, and what Redis has learnt about the
 * group and written into its file.
 */

import { unreachable } from '../base/assert.ts'
import { isSameAddress } from '../base/ip.ts'
import { type ClientAddress, clientAddressFault } from '../base/network-addresses.ts'
import { ruleFault } from '../core/failover/host-rules.ts'
import type {
  ClientAddressesOption,
  CountOption,
  GroupOption,
  HostRule,
  HostRulesOption,
  RenamedCommand,
  WordOption,
} from '../core/group-option-kinds.ts'
import {
  GROUP_OPTION_ROWS,
  type GroupOptionKey,
  isOwnOption,
  isPath,
} from '../core/group-options.ts'
import { within } from './config-filesystem.ts'
import { lenientInteger } from './lenient.ts'
import { BAD_EPOCH, isRunId, readAddress, readEpoch } from './sentinel-directives.ts'
import {
  type Draft,
  EXTENSION,
  type GroupDraft,
  notice,
  type Objection,
  refusal,
} from './sentinel-draft.ts'

export interface GroupDirective {
  /** How many words may follow the name of the group. */
  readonly words: readonly number[]
  apply(group: GroupDraft, words: readonly string[], draft: Draft): Objection | undefined
}

type Words = readonly string[]

/** What Redis has learnt and written into its file. */
const LEARNT: readonly (readonly [string, GroupDirective])[] = [
  ['config-epoch', { words: [1], apply: setConfigEpoch }],
  ['leader-epoch', { words: [1], apply: setLeaderEpoch }],
  ['known-replica', { words: [2], apply: addReplica }],
  ['known-slave', { words: [2], apply: addReplica }],
  ['known-sentinel', { words: [2, 3], apply: addPeer }],
]

export const GROUP_DIRECTIVES: ReadonlyMap<string, GroupDirective> = new Map([
  ...GROUP_OPTION_ROWS.flatMap(([key, row]) => {
    return confNames(row).map((name) => [name, optionDirective(key, row)] as const)
  }),
  ...LEARNT,
])

/** The names in a sentinel.conf for an option that has a line of its own. */
export function confNames({ name, aliases = [], isInMonitor }: GroupOption): readonly string[] {
  return isInMonitor ? [] : [name, ...aliases]
}

function optionDirective(key: GroupOptionKey, row: GroupOption): GroupDirective {
  if (row.kind === 'renames') return { words: [2], apply: renameCommand }
  if (row.kind === 'rules') return rulesDirective(key, row)
  if (row.kind === 'addresses') return addressesDirective(key, row)
  if (row.kind === 'texts')
    return { words: [1], apply: (group, words) => addText(group, key, words) }
  return {
    words: [1],
    apply: (group, [text = ''], draft) => {
      const { value, objection } = readValue(row, text, draft)
      if (value !== undefined) Object.assign(group.config, { [key]: value })
      return objection ?? (isOwnOption(row) ? EXTENSION : undefined)
    },
  }
}

interface ConfValue {
  /** Undefined: the value is not accepted. */
  readonly value?: string | number
  readonly objection?: Objection
}

function readValue(
  row: Exclude<GroupOption, { readonly kind: 'renames' | 'rules' | 'addresses' | 'texts' }>,
  text: string,
  draft: Draft,
): ConfValue {
  switch (row.kind) {
    case 'count':
      return readCount(row, text)
    case 'duration':
      return readDuration(row.least, text)
    case 'text':
      return { value: text }
    case 'script':
      return readScript(row.title, text, draft)
    case 'hook':
      return isPath(row, text) ? readScript(row.title, text, draft) : { value: text }
    case 'word':
      return readWord(row, text)
    default:
      return unreachable(row)
  }
}

function readCount(
  { name, least, tooSmall }: CountOption & { name: string },
  text: string,
): ConfValue {
  const value = lenientInteger(text)
  const isTaken = Number.isSafeInteger(value) && (value >= least || tooSmall !== undefined)
  if (!isTaken) return { objection: refusal('E_RANGE', `${name} is out of range`) }
  if (value >= least || tooSmall === undefined) return { value }
  return { value, objection: notice(tooSmall.message, tooSmall.hint) }
}

function readDuration(least: 0 | 1, text: string): ConfValue {
  const ms = lenientInteger(text)
  if (ms < least) {
    return {
      objection: refusal('E_RANGE', `negative${least === 1 ? ' or zero' : ''} time parameter.`),
    }
  }
  if (ms <= MAX_DURATION_MS) return { value: ms }
  return { value: MAX_DURATION_MS, objection: LONG_TIME }
}

/** Timers are 32-bit. */
const MAX_DURATION_MS = 2 ** 31 - 1
const LONG_TIME = notice('a time of more than 24 days is taken as 24 days')

function readScript(title: string, path: string, { outside, program }: Draft): ConfValue {
  const file = within(program.stateDir, path)
  if (outside.isExecutable(file)) return { value: path }
  const message = `${title} script seems non existing or non executable.`
  const hint = `${file} must be there, and this user must be allowed to run it`
  return { objection: refusal('E_VALUE', message, hint) }
}

function readWord({ name, words }: WordOption & { name: string }, text: string): ConfValue {
  const value = words.find((word) => word === text.toLowerCase())
  if (value !== undefined) return { value }
  const message = `Please specify ${words.join(' or ')} for the ${name} option.`
  return { objection: refusal('E_VALUE', message) }
}

/** One line for each rule, as in `sentinel promotion mymaster 10.0.0.3 must-not`. */
function rulesDirective(key: GroupOptionKey, row: HostRulesOption): GroupDirective {
  return {
    words: [2],
    apply: (group, [pattern = '', word = '']) => {
      const fault = ruleFault(row, [pattern, word])
      if (fault !== undefined) return refusal('E_VALUE', fault, row.example)
      const rules = group.config[key] as readonly HostRule[]
      if (rules.some(([known]) => known === pattern)) {
        return refusal('E_DUPLICATE', `two rules for ${JSON.stringify(pattern)}`)
      }
      Object.assign(group.config, { [key]: [...rules, [pattern, word]] })
      return EXTENSION
    },
  }
}

/** One line for each, as in `sentinel … mymaster 203.0.113.0/24 10.0.0.1:6379 198.51.100.7:7001`. */
function addressesDirective(key: GroupOptionKey, row: ClientAddressesOption): GroupDirective {
  return {
    words: [3],
    apply: (group, [network = '', member = '', announced = '']) => {
      const table = group.config[key] as readonly ClientAddress[]
      const entry: ClientAddress = [network, member, announced]
      const fault = clientAddressFault(entry, table)
      if (fault !== undefined) return refusal('E_VALUE', fault, row.example)
      Object.assign(group.config, { [key]: [...table, entry] })
      return EXTENSION
    },
  }
}

function addText(group: GroupDraft, key: GroupOptionKey, [text = '']: Words): Objection {
  const texts = group.config[key] as readonly string[]
  if (text !== '') Object.assign(group.config, { [key]: [...texts, text] })
  return EXTENSION
}

function setConfigEpoch(group: GroupDraft, [text = '']: Words): Objection | undefined {
  const epoch = readEpoch(text)
  if (epoch === undefined) return BAD_EPOCH
  group.configEpoch = epoch
  return undefined
}

function setLeaderEpoch(group: GroupDraft, [text = '']: Words): Objection | undefined {
  const epoch = readEpoch(text)
  if (epoch === undefined) return BAD_EPOCH
  group.leaderEpoch = epoch
  return undefined
}

function addReplica(
  group: GroupDraft,
  [host = '', port = '']: Words,
  draft: Draft,
): Objection | undefined {
  const address = readAddress(draft, host, port)
  if ('severity' in address) return address
  const isKnown = group.replicas.some((replica) => isSameAddress(replica, address))
  if (isKnown) return refusal('E_DUPLICATE', 'Duplicate hostname and port for replica.')
  group.replicas.push(address)
  return undefined
}

function addPeer(group: GroupDraft, words: Words, draft: Draft): Objection | undefined {
  const [host = '', port = '', runId] = words
  // Sentinels so old that they did not know run ids wrote such a line; Redis skips it as well.
  if (runId === undefined) return undefined
  const address = readAddress(draft, host, port)
  if ('severity' in address) return address
  if (!isRunId(runId)) return notice('the run id is not 40 hex characters: the line is skipped')
  if (group.peers.some((peer) => peer.runId === runId)) {
    return refusal('E_DUPLICATE', 'Duplicate runid for sentinel.')
  }
  group.peers.push({ ...address, runId })
  return undefined
}

function renameCommand(group: GroupDraft, [name = '', sentAs = '']: Words): Objection | undefined {
  const { renamedCommands } = group.config
  const command = name.toLowerCase()
  if (renamedCommands.some(([known]) => known === command)) {
    return refusal('E_DUPLICATE', 'Same command renamed multiple times with rename-command.')
  }
  const renamed: RenamedCommand = [command, sentAs]
  group.config.renamedCommands = [...renamedCommands, renamed]
  return undefined
}
