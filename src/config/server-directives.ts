/**
 * Ordinary directives of redis.conf in a sentinel.conf: the few that mean something to a Sentinel, and
 * those that do not but stand in existing files and must not stop a start.
 */

import { parseInt64 } from '../base/decimal.ts'
import { canonicalIp } from '../base/ip.ts'
import { utf8Text } from '../base/utf8.ts'
import { yesOrNo } from './lenient.ts'
import { isMeaningless } from './meaningless-directives.ts'
import { type Draft, notice, type Objection, refusal } from './sentinel-draft.ts'
import type { SentinelFile } from './sentinel-file.ts'

type Words = readonly string[]
type Apply = (draft: Draft, words: Words) => Objection | undefined

/** Undefined: Redis does not know the directive either. */
export function serverDirective(name: string): Apply | undefined {
  const apply = MEANINGFUL.get(name)
  if (apply !== undefined) return apply
  return isMeaningless(name) ? () => notice('has no effect on a Sentinel') : undefined
}

/** The directives worth suggesting for a mistyped one. */
export function meaningfulDirectives(): string[] {
  return [...MEANINGFUL.keys(), 'sentinel']
}

const MEANINGFUL: ReadonlyMap<string, Apply> = new Map([
  ['port', one(setPort)],
  ['bind', setBind],
  ['bind-source-addr', one(setBindSource)],
  ['protected-mode', one(setProtectedMode)],
  ['requirepass', one(setRequirepass)],
  ['maxclients', one(setMaxClients)],
  ['dir', one(setDir)],
  ['logfile', one(setLogFile)],
  ['loglevel', one(setLogLevel)],
  ['daemonize', one(checkDaemonize)],
  ['tls-port', one(checkTlsPort)],
  ['tls-replication', one(checkTlsReplication)],
  ['user', checkUser],
  ['include', refuseInclude],
])

function one(apply: (draft: Draft, word: string) => Objection | undefined): Apply {
  return (draft, [word, ...more]) =>
    word === undefined || more.length > 0
      ? refusal('E_TYPE', 'wrong number of arguments')
      : apply(draft, word)
}

function setPort(draft: Draft, text: string): Objection | undefined {
  const port = readInteger(text, 0, 65_535)
  if (typeof port !== 'number') return port
  draft.core.port = port
  return undefined
}

function setMaxClients(draft: Draft, text: string): Objection | undefined {
  const count = readInteger(text, 1, 2 ** 32 - 1)
  if (typeof count !== 'number') return count
  draft.core.maxClients = count
  return undefined
}

function readInteger(text: string, min: number, max: number): number | Objection {
  const value = parseInt64(text)
  if (value === undefined) return refusal('E_TYPE', "argument couldn't be parsed into an integer")
  return value >= min && value <= max
    ? Number(value)
    : refusal('E_RANGE', `argument must be between ${min} and ${max} inclusive`)
}

function setBind(draft: Draft, words: Words): Objection | undefined {
  if (words.length === 0) return refusal('E_TYPE', 'wrong number of arguments')
  const addresses = words.filter((word) => word !== '')
  const wrong = addresses.find((word) => !isBindAddress(word.replace(/^-/, '')))
  if (wrong !== undefined) {
    const hint = 'a numeric IPv4 or IPv6 address, * or ::*'
    return refusal('E_VALUE', `${JSON.stringify(wrong)} is no IP address`, hint)
  }
  draft.listen.bind = addresses
  return undefined
}

function isBindAddress(word: string): boolean {
  return word === '*' || word === '::*' || canonicalIp(word) !== undefined
}

function setBindSource(draft: Draft, text: string): Objection | undefined {
  const ip = text === '' ? '' : canonicalIp(text)
  if (ip === undefined) return refusal('E_VALUE', `${JSON.stringify(text)} is no IP address`)
  draft.program.bindSourceAddr = ip
  return undefined
}

function setProtectedMode(draft: Draft, text: string): Objection | undefined {
  const isOn = yesOrNo(text)
  if (isOn === undefined) return NOT_YES_OR_NO
  draft.listen.protectedMode = isOn
  return undefined
}

const NOT_YES_OR_NO = refusal('E_TYPE', "argument must be 'yes' or 'no'")

function setRequirepass(draft: Draft, password: string): undefined {
  draft.core.requirepass = password
}

function setDir(draft: Draft, path: string): undefined {
  draft.program.stateDir = utf8Text(path)
}

function setLogFile(draft: Draft, path: string): undefined {
  draft.program.logFile = utf8Text(path)
}

function setLogLevel(draft: Draft, text: string): Objection | undefined {
  const level = LOG_LEVELS.find((candidate) => candidate === text.toLowerCase())
  if (level === undefined) {
    const words = LOG_LEVELS.join(', ')
    return refusal('E_VALUE', `argument(s) must be one of the following: ${words}`)
  }
  draft.program.logLevel = level
  return undefined
}

const LOG_LEVELS: readonly SentinelFile['logLevel'][] = [
  'debug',
  'verbose',
  'notice',
  'warning',
  'nothing',
]

function checkDaemonize(_draft: Draft, text: string): Objection | undefined {
  const isOn = yesOrNo(text)
  if (isOn === undefined) return NOT_YES_OR_NO
  return isOn ? notice('stays in the foreground', 'let a service manager start it') : undefined
}

/** Going on in plain text would show passwords to the network. */
function checkTlsPort(_draft: Draft, text: string): Objection | undefined {
  const port = readInteger(text, 0, 65_535)
  if (typeof port !== 'number') return port
  return port === 0 ? undefined : NO_TLS
}

function checkTlsReplication(_draft: Draft, text: string): Objection | undefined {
  const isOn = yesOrNo(text)
  if (isOn === undefined) return NOT_YES_OR_NO
  return isOn ? NO_TLS : undefined
}

const NO_TLS = refusal('E_UNSUPPORTED', 'TLS is not supported', 'use a tunnel or a private network')

/**
 * Redis writes the default user into every file; any other would be a door left open or shut. Called
 * when the whole file has been read, because requirepass may come later.
 */
function checkUser(draft: Draft, words: Words): Objection | undefined {
  const [name, ...rules] = words
  const isPlain = name === 'default' && rules.includes('on') && rules.includes('+@all')
  if (isPlain && (rules.includes('nopass') || draft.core.requirepass !== '')) return undefined
  return refusal('E_UNSUPPORTED', 'users are not supported', 'use requirepass')
}

function refuseInclude(): Objection {
  return refusal(
    'E_UNSUPPORTED',
    'include is not supported',
    'put the lines of the other file here',
  )
}
