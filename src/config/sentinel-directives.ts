/**
 * The `sentinel …` directives that are not about one group: how many words each takes, what it
 * does, and Redis' error texts, word for word.
 */
import { canonicalIp } from '../base/ip.ts'
import { utf8Text } from '../base/utf8.ts'
import { MANY_GROUPS_HINT, MAX_GROUPS, TOO_MANY_GROUPS } from '../core/config.ts'
import { EPOCH_MAX } from '../core/election/epoch.ts'
import { groupNameFault } from './group-name.ts'
import { addressHint, canonicalHost } from './host-name.ts'
import { lenientInteger, lenientPort, yesOrNo } from './lenient.ts'
import { type Draft, newGroup, notice, type Objection, refusal } from './sentinel-draft.ts'
import { besideValkeys, STATE_CONFIG_FILE } from './valkey-state.ts'

export interface GlobalDirective {
  /** How many words must follow the keyword. */
  readonly words: number
  /** Returns an objection, or undefined if all is well. */
  apply(draft: Draft, words: readonly string[]): Objection | undefined
}

export const GLOBAL_DIRECTIVES: ReadonlyMap<string, GlobalDirective> = new Map([
  ['announce-ip', { words: 1, apply: setAnnounceIp }],
  ['announce-port', { words: 1, apply: setAnnouncePort }],
  ['sentinel-user', { words: 1, apply: setSentinelUser }],
  ['sentinel-pass', { words: 1, apply: setSentinelPass }],
  ['myid', { words: 1, apply: setMyid }],
  ['current-epoch', { words: 1, apply: setCurrentEpoch }],
  ['deny-scripts-reconfig', { words: 1, apply: setDenyScripts }],
  ['resolve-hostnames', { words: 1, apply: setResolveHostnames }],
  [STATE_CONFIG_FILE, { words: 1, apply: setStateFile }],
  ['announce-hostnames', { words: 1, apply: setAnnounceHostnames }],
])

export const MONITOR: GlobalDirective = { words: 4, apply: monitor }

const MONITORED_ABOVE = 'a line above monitors a group of this name: remove one of the two'

/** `<name> <host> <port> <quorum>`, checked in Redis' order. */
function monitor(draft: Draft, words: readonly string[]): Objection | undefined {
  const [name = '', host = '', portText = '', quorumText = ''] = words
  const quorum = lenientInteger(quorumText)
  if (quorum < 1) return refusal('E_RANGE', 'Quorum must be 1 or greater.')
  const address = readAddress(draft, host, portText)
  if ('severity' in address) return address
  if (draft.groups.has(name))
    return refusal('E_DUPLICATE', 'Duplicate master name.', MONITORED_ABOVE)
  const nameFault = groupNameFault(utf8Text(name))
  if (nameFault !== undefined) return refusal('E_VALUE', nameFault)
  if (draft.groups.size >= MAX_GROUPS) return refusal('E_RANGE', TOO_MANY_GROUPS, MANY_GROUPS_HINT)
  draft.groups.set(name, newGroup(name, address, quorum))
  return undefined
}

/**
 * Reads the address of an instance. A name is allowed only with `resolve-hostnames yes`, and is
 * resolved later.
 */
export function readAddress(
  { core }: Draft,
  host: string,
  portText: string,
): { readonly host: string; readonly port: number } | Objection {
  const port = lenientPort(portText)
  if (port === undefined) return refusal('E_RANGE', 'Invalid port number.')
  const known = core.resolveHostnames ? canonicalHost(host) : canonicalIp(host)
  if (known !== undefined) return { host: known, port }
  const hint = addressHint(host, core.resolveHostnames ? '' : ASK_FOR_NAMES)
  return refusal('E_VALUE', "Can't resolve instance hostname.", hint)
}

const ASK_FOR_NAMES = 'a numeric address, or a name with sentinel resolve-hostnames yes'

/** Redis accepts anything; a name is useful only to peers that resolve names. */
function setAnnounceIp(draft: Draft, [text = '']: readonly string[]): Objection | undefined {
  if (text === '') return undefined
  const host = canonicalHost(text)
  if (host === undefined) {
    const message = 'the announced address is neither an IP address nor a host name'
    return refusal('E_VALUE', message, addressHint(text))
  }
  draft.core.announceIp = host
  return undefined
}

function setAnnouncePort(draft: Draft, [text = '']: readonly string[]): Objection | undefined {
  const port = lenientPort(text)
  if (port === undefined) return refusal('E_RANGE', 'Invalid port number.')
  draft.core.announcePort = port
  return undefined
}

function setSentinelUser(draft: Draft, [user = '']: readonly string[]): undefined {
  draft.core.sentinelUser = user
}

function setSentinelPass(draft: Draft, [password = '']: readonly string[]): undefined {
  draft.core.sentinelPass = password
}

/** See valkey-state.ts. */
function setStateFile(draft: Draft, [path = '']: readonly string[]): Objection | undefined {
  if (path === '') return refusal('E_VALUE', `${STATE_CONFIG_FILE} needs the path of a file`)
  const file = besideValkeys(path)
  draft.program.stateFile = utf8Text(file)
  return notice(`this Sentinel keeps its state in ${file}, and never writes to ${path}`)
}

function setMyid(draft: Draft, [text = '']: readonly string[]): Objection | undefined {
  if (!isRunId(text)) return refusal('E_VALUE', 'Malformed Sentinel id in myid option.')
  draft.myid = text
  return undefined
}

function setCurrentEpoch(draft: Draft, [text = '']: readonly string[]): Objection | undefined {
  const epoch = readEpoch(text)
  if (epoch === undefined) return BAD_EPOCH
  draft.currentEpoch = Math.max(draft.currentEpoch, epoch)
  return undefined
}

/**
 * C Sentinel counts to 2^64 - 1. An epoch above our maximum becomes our maximum: no vote is
 * forgotten, and no further one can be given.
 */
export function readEpoch(text: string): number | undefined {
  const epoch = lenientInteger(text)
  return epoch >= 0 ? Math.min(epoch, EPOCH_MAX) : undefined
}

export const BAD_EPOCH = refusal('E_RANGE', 'the epoch must not be below 0')

/** 40 lower-case hex characters. */
export function isRunId(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text)
}

function setDenyScripts(draft: Draft, [text = '']: readonly string[]): Objection | undefined {
  const isOn = yesOrNo(text)
  if (isOn === undefined) return notYesOrNo('deny-scripts-reconfig options')
  draft.core.denyScriptsReconfig = isOn
  return undefined
}

function setResolveHostnames(draft: Draft, [text = '']: readonly string[]): Objection | undefined {
  const isOn = yesOrNo(text)
  if (isOn === undefined) return notYesOrNo('resolve-hostnames option')
  draft.core.resolveHostnames = isOn
  return undefined
}

function setAnnounceHostnames(draft: Draft, [text = '']: readonly string[]): Objection | undefined {
  const isOn = yesOrNo(text)
  if (isOn === undefined) return notYesOrNo('announce-hostnames option')
  draft.core.announceHostnames = isOn
  return undefined
}

function notYesOrNo(option: string): Objection {
  return refusal('E_TYPE', `Please specify yes or no for the ${option}.`)
}
