/**
 * Ordinary directives of redis.conf in a sentinel.conf: those that affect a Sentinel, and those
 * that do not, but occur in existing files and must not prevent a start.
 */
import { USERS_AND_ACL_FILE } from '../acl/user-lines.ts'
import { type RenameFault, withRename } from '../base/command-renames.ts'
import { canonicalIp } from '../base/ip.ts'
import { LOG_FORMAT_WORDS, LOG_FORMATS, logFormatOf } from '../base/log-format.ts'
import { utf8Text } from '../base/utf8.ts'
import { checkSentinelUsers } from '../core/access/access-start.ts'
import { COMMANDS } from '../core/commands/table.ts'
import { outputLimits } from '../server/sessions/output-limits.ts'
import { MAX_LONG } from '../server/settings/setting-types.ts'
import { isOfRedis } from '../server/settings/settings.ts'
import { BLACK_BOX_DIRECTIVES } from './black-box-options.ts'
import { within } from './config-filesystem.ts'
import {
  type Apply,
  type DirectiveWords,
  flag,
  integer,
  one,
  oneOf,
  WRONG_NUMBER,
} from './directive-words.ts'
import { addressHint, canonicalHost } from './host-name.ts'
import type { ProblemCode } from './problem.ts'
import { type Draft, EXTENSION, notice, type Objection, refusal } from './sentinel-draft.ts'
import type { SentinelFile } from './sentinel-file.ts'

/** Undefined if neither Redis nor Valkey knows the directive. */
export function serverDirective(name: string): Apply | undefined {
  const apply = MEANINGFUL.get(name)
  if (apply !== undefined) return apply
  const why = WITHOUT_EFFECT.get(name)
  if (why !== undefined) return () => why
  return isOfRedis(name) ? () => notice('has no effect on a Sentinel') : undefined
}

/** The directives that a hint may suggest for a mistyped one. */
export function meaningfulDirectives(): string[] {
  return [...MEANINGFUL.keys(), 'sentinel', 'include']
}

const LOG_LEVELS = ['debug', 'verbose', 'notice', 'warning', 'nothing'] as const
const CHANNELS = ['allchannels', 'resetchannels'] as const
const SUPERVISORS = ['upstart', 'systemd', 'auto', 'no'] as const

const MEANINGFUL: ReadonlyMap<string, Apply> = new Map([
  ['port', integer(0, 65_535, ({ core }, port) => (core.port = port))],
  ['bind', setBind],
  ['bind-source-addr', one(setBindSource)],
  ['protected-mode', flag(({ core }, isOn) => (core.protectedMode = isOn))],
  ['requirepass', one(setRequirepass)],
  ['user', addUser],
  ['aclfile', one(setAclFile)],
  ['acl-pubsub-default', oneOf(CHANNELS, CHANNELS, setPubsubDefault)],
  ['acllog-max-len', integer(0, MAX_LONG, setAclLogLength)],
  ['maxclients', integer(1, 2 ** 32 - 1, ({ core }, count) => (core.maxClients = count))],
  ['client-output-buffer-limit', setOutputLimit],
  ['rename-command', renameOwnCommand],
  ['dir', one(setDir)],
  ['logfile', one(setLogFile)],
  ['log-format', oneOf(LOG_FORMAT_WORDS, LOG_FORMATS, setLogFormat)],
  ['loglevel', oneOf(LOG_LEVELS, LOG_LEVELS.slice(0, 4), setLogLevel)],
  ['daemonize', flag(({ program }, isOn) => (program.daemonize = isOn))],
  ['pidfile', one(setPidFile)],
  ['supervised', oneOf(SUPERVISORS, SUPERVISORS, setSupervised)],
  ['tls-port', integer(0, 65_535, ({ tls }, port) => (tls.port = port))],
  ['tls-replication', flag(({ tls }, isOn) => (tls.replication = isOn))],
  ['tls-cert-file', path(({ tls }, text) => (tls.certFile = text))],
  ['tls-key-file', path(({ tls }, text) => (tls.keyFile = text))],
  ['tls-key-file-pass', path(({ tls }, text) => (tls.keyFilePass = text))],
  ['tls-client-cert-file', path(({ tls }, text) => (tls.clientCertFile = text))],
  ['tls-client-key-file', path(({ tls }, text) => (tls.clientKeyFile = text))],
  ['tls-client-key-file-pass', path(({ tls }, text) => (tls.clientKeyFilePass = text))],
  ['tls-ca-cert-file', path(({ tls }, text) => (tls.caCertFile = text))],
  ['tls-ca-cert-dir', path(({ tls }, text) => (tls.caCertDir = text))],
  [
    'tls-auth-clients',
    oneOf(['no', 'yes', 'optional'], ['no', 'yes', 'optional'], setTlsAuthClients),
  ],
  ['tls-protocols', one(setTlsProtocols)],
  ['tls-ciphers', path(({ tls }, text) => (tls.ciphers = text))],
  ['tls-ciphersuites', path(({ tls }, text) => (tls.cipherSuites = text))],
  ['tls-prefer-server-ciphers', flag(({ tls }, isOn) => (tls.preferServerCiphers = isOn))],
  ['tls-dh-params-file', path(({ tls }, text) => (tls.dhParamsFile = text))],
  ['http-port', extension(integer(0, 65_535, ({ http }, port) => (http.port = port)))],
  ['http-bind', extension(setHttpBind)],
  ['http-token', extension(one(setHttpToken))],
  ['http-token-file', extension(one(setHttpTokenFile))],
  ['http-tls', extension(flag(({ http }, isOn) => (http.tls = isOn)))],
  ...BLACK_BOX_DIRECTIVES,
])

/** Directives that Redis' own Sentinel obeys and we do not, and why. */
const WITHOUT_EFFECT: ReadonlyMap<string, Objection> = new Map([
  ['masterauth', notice('has no effect on a Sentinel', 'sentinel auth-pass is for the data nodes')],
  ['masteruser', notice('has no effect on a Sentinel', 'sentinel auth-user is for the data nodes')],
  [
    'primaryauth',
    notice('has no effect on a Sentinel', 'sentinel auth-pass is for the data nodes'),
  ],
  [
    'primaryuser',
    notice('has no effect on a Sentinel', 'sentinel auth-user is for the data nodes'),
  ],
  ['unixsocket', notice('Unix sockets are not listened on')],
  ['unixsocketperm', notice('Unix sockets are not listened on')],
  ['syslog-enabled', notice('nothing is sent to syslog', 'the log goes to logfile or stdout')],
  ['loadmodule', notice('modules are not loaded')],
  ['timeout', notice('idle clients are not closed')],
])

function setBind(draft: Draft, words: DirectiveWords): Objection | undefined {
  if (words.length === 0) return WRONG_NUMBER
  const addresses = words.filter((word) => word !== '')
  const wrong = addresses.find((word) => !isBindAddress(word.replace(/^-/, '')))
  if (wrong !== undefined) {
    const hint = addressHint(wrong, 'an IPv4 or IPv6 address, a name, * or ::*')
    return refusal('E_VALUE', `${JSON.stringify(wrong)} is no IP address`, hint)
  }
  draft.listen.bind = addresses
  return undefined
}

function isBindAddress(word: string): boolean {
  return word === '*' || word === '::*' || canonicalHost(word) !== undefined
}

function setBindSource(draft: Draft, text: string): Objection | undefined {
  const ip = text === '' ? '' : canonicalIp(text)
  if (ip === undefined) {
    return refusal('E_VALUE', `${JSON.stringify(text)} is no IP address`, addressHint(text))
  }
  draft.program.bindSourceAddr = ip
  return undefined
}

function setRequirepass(draft: Draft, password: string): undefined {
  draft.core.requirepass = password
}

function addUser({ core, program }: Draft, words: DirectiveWords): Objection | undefined {
  if (words.length === 0) return refusal('E_TYPE', 'Bad directive or wrong number of arguments')
  const users = [...core.users, words]
  const fault = checkSentinelUsers(users, core)
  if (fault !== undefined) return refusal('E_VALUE', fault)
  core.users = users
  return program.aclFile === '' ? undefined : BOTH
}

/** Redis notices this only after all lines are read, and ends with a line in its log. */
const BOTH = refusal('E_VALUE', USERS_AND_ACL_FILE)

function setAclFile({ core, program }: Draft, path: string): Objection | undefined {
  program.aclFile = utf8Text(path)
  return path === '' || core.users.length === 0 ? undefined : BOTH
}

function setPubsubDefault({ core }: Draft, word: 'allchannels' | 'resetchannels'): undefined {
  core.aclPubsubDefault = word
}

function setAclLogLength({ core }: Draft, length: number): void {
  core.aclLogMaxLength = length
}

/** The data node's setting parses these values, because it knows Redis' texts. */
const OUTPUT_LIMITS = outputLimits()

function setOutputLimit(draft: Draft, words: DirectiveWords): Objection | undefined {
  const parsed = OUTPUT_LIMITS.parse(words.join(' '), OUTPUT_LIMITS.initial)
  if (!parsed.ok) return refusal('E_VALUE', parsed.reason)
  if (!words.some((word) => word.toLowerCase() === 'pubsub')) return ONLY_PUBSUB
  const { hardBytes, softBytes } = parsed.value.pubsub
  if (hardBytes === 0)
    return notice('without a limit a slow client could take all memory: 32mb it is')
  draft.program.outputLimitBytes = hardBytes
  return softBytes === 0 ? undefined : ONLY_HARD
}

const ONLY_PUBSUB = notice('has no effect on a Sentinel', 'only the class pubsub has')
const ONLY_HARD = notice('the hard limit counts, for every client; the soft one has no effect')

/** Redis changes to the folder at once. */
function setDir(draft: Draft, path: string): Objection | undefined {
  const folder = utf8Text(path)
  const fault = draft.outside.folderFault(within(draft.program.stateDir, folder))
  if (fault !== undefined) return refusal('E_VALUE', fault)
  draft.program.stateDir = within(draft.program.stateDir, folder)
  return undefined
}

function setLogFormat({ program }: Draft, word: string): Objection | undefined {
  program.logFormat = logFormatOf(word) ?? program.logFormat
  return EXTENSION
}

function setLogFile(draft: Draft, path: string): undefined {
  draft.program.logFile = utf8Text(path)
}

function setLogLevel(draft: Draft, level: SentinelFile['logLevel']): undefined {
  draft.core.logLevel = level
}

function setPidFile(draft: Draft, path: string): undefined {
  draft.program.pidFile = utf8Text(path)
}

function setSupervised(
  draft: Draft,
  supervisor: SentinelFile['supervised'],
): Objection | undefined {
  draft.program.supervised = supervisor
  return supervisor === 'upstart' ? notice('upstart is not told that we are ready') : undefined
}

// `rename-command <name> <new name>` in the file itself: the names of our own commands.

/** An empty new name switches the command off. */
function renameOwnCommand({ core }: Draft, words: readonly string[]): Objection | undefined {
  const isCommand = (name: string) => COMMANDS.get(name)?.isOurs === false
  const renames = withRename(core.ownRenamedCommands, words, isCommand)
  if (typeof renames === 'string') return refusal(RENAME_CODES[renames], renames)
  core.ownRenamedCommands = renames
  return undefined
}

const RENAME_CODES: Readonly<Record<RenameFault, ProblemCode>> = {
  'Bad directive or wrong number of arguments': 'E_TYPE',
  'No such command in rename-command': 'E_UNKNOWN',
  'Target command name already exists': 'E_DUPLICATE',
}

/** Whether a file that is named can be used is checked later. */
function path(set: (draft: Draft, text: string) => void): Apply {
  return one((draft, text) => {
    set(draft, utf8Text(text))
    return undefined
  })
}

function setTlsAuthClients({ tls }: Draft, word: 'yes' | 'no' | 'optional'): undefined {
  tls.authClients = word
}

const TLS_PROTOCOLS: readonly string[] = ['tlsv1', 'tlsv1.1', 'tlsv1.2', 'tlsv1.3']

function setTlsProtocols({ tls }: Draft, text: string) {
  const words = text.split(' ').filter((word) => word !== '')
  if (words.every((word) => TLS_PROTOCOLS.includes(word.toLowerCase()))) {
    tls.protocols = words
    return undefined
  }
  const message =
    "Invalid tls-protocols specified. Use a combination of 'TLSv1', 'TLSv1.1', 'TLSv1.2' and 'TLSv1.3'."
  return refusal('E_VALUE', message)
}

/** redis-sentinel does not know these. */
function extension(apply: Apply): Apply {
  return (draft, words) => apply(draft, words) ?? EXTENSION
}

function setHttpToken({ http }: Draft, token: string): undefined {
  http.token = utf8Text(token)
}

function setHttpTokenFile({ http }: Draft, path: string): undefined {
  http.tokenFile = utf8Text(path)
}

/** Whether this machine has such addresses is found out when the port is opened. */
function setHttpBind({ http }: Draft, words: readonly string[]) {
  if (words.length === 0) return WRONG_NUMBER
  http.bind = words.filter((word) => word !== '')
  return undefined
}
