/**
 * The `sentinel …` directives that are not about one group: how many words each takes, what it does, and
 * what Redis says when it is wrong (its texts, word for word).
 */
import { canonicalIp } from '../base/ip.ts'
import { groupNameFault } from './group-name.ts'
import { canonicalHost } from './host-name.ts'
import { lenientInteger, lenientPort, yesOrNo } from './lenient.ts'
import { type Draft, newGroup, type Objection, refusal } from './sentinel-draft.ts'

export interface GlobalDirective {
  /** How many words follow the keyword. */
  readonly words: number
  /** Gives an objection, or nothing when all is well. */
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
  ['announce-hostnames', { words: 1, apply: setAnnounceHostnames }],
])

export const MONITOR: GlobalDirective = { words: 4, apply: monitor }

/** `<name> <host> <port> <quorum>`, checked in Redis' order. */
function monitor(draft: Draft, words: readonly string[]): Objection | undefined {
  const [name = '', host = '', portText = '', quorumText = ''] = words
  const quorum = lenientInteger(quorumText)
  if (quorum < 1) return refusal('E_RANGE', 'Quorum must be 1 or greater.')
  const address = readAddress(draft, host, portText)
  if ('severity' in address) return address
  if (draft.groups.has(name)) return refusal('E_DUPLICATE', 'Duplicate master name.')
  const nameFault = groupNameFault(name)
  if (nameFault !== undefined) return refusal('E_VALUE', nameFault)
  draft.groups.set(name, newGroup(name, address, quorum))
  return undefined
}

/** An address of an instance. A name is one only with `resolve-hostnames yes`, and is looked up later. */
export function readAddress(
  { core }: Draft,
  host: string,
  portText: string,
): { readonly host: string; readonly port: number } | Objection {
  const port = lenientPort(portText)
  if (port === undefined) return refusal('E_RANGE', 'Invalid port number.')
  const known = core.resolveHostnames ? canonicalHost(host) : canonicalIp(host)
  if (known !== undefined) return { host: known, port }
  const hint = core.resolveHostnames ? '' : ASK_FOR_NAMES
  return refusal('E_VALUE', "Can't resolve instance hostname.", hint)
}

const ASK_FOR_NAMES = 'a numeric address, or a name with sentinel resolve-hostnames yes'

/** Redis takes anything; a name is of use to peers that resolve names. */
function setAnnounceIp(draft: Draft, [text = '']: readonly string[]): Objection | undefined {
  if (text === '') return undefined
  const host = canonicalHost(text)
  if (host === undefined) {
    return refusal('E_VALUE', 'the announced address is neither an IP address nor a host name')
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

export function readEpoch(text: string): number | undefined {
  const epoch = lenientInteger(text)
  return Number.isSafeInteger(epoch) && epoch >= 0 ? epoch : undefined
}

export const BAD_EPOCH = refusal('E_RANGE', 'the epoch must be between 0 and 2^53-1')

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
