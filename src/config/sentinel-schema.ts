/**
 * The options of sentinel.yml: names, kinds, bounds. Defaults come from the module that gives an
 * option its meaning, options of a group from their table. Every option is in sentinel.yml.example,
 * which a test holds to this list.
 */

import { unreachable } from '../base/assert.ts'
import { LOG_FORMATS } from '../base/log-format.ts'
import { DEFAULT_PERIODS, DEFAULT_SENTINEL } from '../core/config.ts'
import { LOG_LEVELS } from '../core/global-settings.ts'
import type { GroupOption } from '../core/group-option-kinds.ts'
import { GROUP_OPTION_ROWS, GROUP_OPTIONS } from '../core/group-options.ts'
import { LEAST_BLACK_BOX_BYTES, MOST_BLACK_BOX_DAYS } from './black-box-options.ts'
import { NO_HTTP } from './http-options.ts'
import type { ProblemCode } from './problem.ts'
import { PROXY, PROXY_GROUP_OPTIONS, PROXY_OPTIONS } from './proxy-file.ts'
import { DEFAULT_FILE } from './sentinel-file.ts'
import { NO_TLS } from './tls-options.ts'
import { WEBHOOK } from './webhook-schema.ts'
import {
  bind,
  byteList,
  bytes,
  clientAddresses,
  duration,
  durationOrNone,
  flag,
  host,
  hostOrNone,
  hostRules,
  type IssueDetails,
  integer,
  ipOrNone,
  memory,
  memoryFrom,
  oneOf,
  portOfMaster,
  renamedCommands,
  splitAddress,
  text,
  users,
  words,
} from './yml-values.ts'
import { z } from './zod.ts'

const MAX_PORT = 65_535
const MAX_COUNT = 2 ** 31 - 1

const PERIODS = z.strictObject({
  info: duration.default(DEFAULT_PERIODS.infoMs),
  ping: duration.default(DEFAULT_PERIODS.pingMs),
  ask: duration.default(DEFAULT_PERIODS.askMs),
  hello: duration.default(DEFAULT_PERIODS.helloMs),
  'tilt-trigger': duration.default(DEFAULT_PERIODS.tiltTriggerMs),
  tilt: duration.default(DEFAULT_PERIODS.tiltMs),
  'slave-reconf-timeout': duration.default(DEFAULT_PERIODS.slaveReconfTimeoutMs),
  'min-link-reconnect': duration.default(DEFAULT_PERIODS.minLinkReconnectMs),
  'election-timeout': duration.default(DEFAULT_PERIODS.electionTimeoutMs),
  'default-down-after': duration.default(DEFAULT_PERIODS.defaultDownAfterMs),
  'default-failover-timeout': duration.default(DEFAULT_PERIODS.defaultFailoverTimeoutMs),
  'script-max-runtime': duration.default(DEFAULT_PERIODS.scriptMaxRuntimeMs),
  'script-retry-delay': duration.default(DEFAULT_PERIODS.scriptRetryDelayMs),
})

const MASTER = z.strictObject({ host, port: portOfMaster })

const GROUP_SHAPE: Readonly<Record<string, z.ZodType>> = {
  master: z.preprocess(splitAddress, MASTER),
  ...Object.fromEntries(GROUP_OPTION_ROWS.map(([, row]) => [row.yml, groupOption(row)])),
}

/** A group as in sentinel.yml, by the names of its options. */
export type GroupYml = { readonly master: z.output<typeof MASTER> } & Readonly<
  Record<string, unknown>
>

const GROUP = z.preprocess(
  splitPasswords,
  z.strictObject(GROUP_SHAPE),
) as unknown as z.ZodType<GroupYml>

/** A list of passwords means the first of them and the others. */
function splitPasswords(group: unknown): unknown {
  const { authPass, authPassAlso } = GROUP_OPTIONS
  const said = typeof group === 'object' && group !== null ? { ...group } : undefined
  const passwords = (said as Record<string, unknown> | undefined)?.[authPass.yml]
  if (said === undefined || !Array.isArray(passwords) || passwords.length === 0) return group
  const [first, ...others] = passwords
  const also = (said as Record<string, unknown>)[authPassAlso.yml] ?? []
  return { ...said, [authPass.yml]: first, [authPassAlso.yml]: [...others, ...[also].flat()] }
}

/** Whether the option of this name is a number, wherever it stands. */
export function isNumberOption(name: string | undefined): boolean {
  return NUMBERS.has(name ?? '')
}

const NUMBERS: ReadonlySet<string> = new Set([
  ...GROUP_OPTION_ROWS.filter(([, { kind }]) => kind === 'count').map(([, { yml }]) => yml),
  ...['port', 'announce-port', 'maxclients', 'acl-log-max-len', 'sentinels'],
  // Of a Sentinel's own record.
  'black-box-days',
])

export interface GroupOptionFault {
  readonly code: ProblemCode
  readonly message: string
  readonly hint: string
  /** The options there are, if this is none of them. */
  readonly known?: readonly string[]
}

/** What is wrong with an option for all groups; undefined if nothing is. No two groups have one master. */
export function groupOptionFault(option: string, value: unknown): GroupOptionFault | undefined {
  const { master, ...shape } = GROUP_SHAPE
  const isPasswords = option === GROUP_OPTIONS.authPass.yml && Array.isArray(value)
  const schema = isPasswords ? byteList : shape[option]
  if (schema === undefined) {
    const message = option === 'master' ? 'each group has its own master' : 'unknown option'
    return { code: 'E_UNKNOWN', message, hint: '', known: Object.keys(shape) }
  }
  const issue = schema.safeParse(value).error?.issues[0]
  if (issue === undefined) return undefined
  const details = issue.code === 'custom' ? (issue.params as IssueDetails) : undefined
  return { code: details?.fault ?? 'E_TYPE', message: issue.message, hint: details?.hint ?? '' }
}

/** The values that an option of a group may have in sentinel.yml. */
function groupOption(row: GroupOption) {
  const value = valueOfKind(row)
  return row.default === undefined ? value : value.default(row.default)
}

function valueOfKind(row: GroupOption): z.ZodType {
  switch (row.kind) {
    case 'count':
      return integer(row.least, MAX_COUNT)
    case 'duration':
      return row.least === 0 ? durationOrNone : duration
    case 'text':
      return bytes
    case 'script':
    case 'hook':
      return text
    case 'renames':
      return renamedCommands
    case 'rules':
      return hostRules(row)
    case 'addresses':
      return clientAddresses(row)
    case 'texts':
      return byteList
    case 'word':
      return oneOf(row.words)
    default:
      return unreachable(row)
  }
}

const TLS = z.strictObject({
  port: integer(0, MAX_PORT).default(NO_TLS.port),
  replication: flag.default(NO_TLS.replication),
  'cert-file': text.default(NO_TLS.certFile),
  'key-file': text.default(NO_TLS.keyFile),
  'key-file-pass': text.default(NO_TLS.keyFilePass),
  'client-cert-file': text.default(NO_TLS.clientCertFile),
  'client-key-file': text.default(NO_TLS.clientKeyFile),
  'client-key-file-pass': text.default(NO_TLS.clientKeyFilePass),
  'ca-cert-file': text.default(NO_TLS.caCertFile),
  'ca-cert-dir': text.default(NO_TLS.caCertDir),
  'auth-clients': oneOf(['yes', 'no', 'optional']).default(NO_TLS.authClients),
  protocols: words.default(NO_TLS.protocols),
  ciphers: text.default(NO_TLS.ciphers),
  ciphersuites: text.default(NO_TLS.cipherSuites),
  'prefer-server-ciphers': flag.default(NO_TLS.preferServerCiphers),
  'dh-params-file': text.default(NO_TLS.dhParamsFile),
})

const nothingToEmpty = (value: unknown) => value ?? {}

export const SENTINEL_YML = z.strictObject({
  port: integer(0, MAX_PORT).default(DEFAULT_SENTINEL.port),
  bind: bind.default(DEFAULT_FILE.listen.bind),
  'protected-mode': flag.default(DEFAULT_FILE.listen.protectedMode),
  'bind-source-addr': ipOrNone.default(DEFAULT_FILE.bindSourceAddr),
  maxclients: integer(1, MAX_COUNT).default(DEFAULT_SENTINEL.maxClients),
  'output-limit': memory.default(DEFAULT_FILE.outputLimitBytes),
  'announce-ip': hostOrNone.default(DEFAULT_SENTINEL.announceIp),
  'announce-port': integer(0, MAX_PORT).default(DEFAULT_SENTINEL.announcePort),
  'resolve-hostnames': flag.default(DEFAULT_SENTINEL.resolveHostnames),
  'announce-hostnames': flag.default(DEFAULT_SENTINEL.announceHostnames),
  'http-port': integer(0, MAX_PORT).default(NO_HTTP.port),
  'http-bind': bind.default(NO_HTTP.bind),
  'http-token': text.default(NO_HTTP.token),
  'http-token-file': text.default(NO_HTTP.tokenFile),
  'http-tls': flag.default(NO_HTTP.tls),
  'black-box': flag.optional(),
  'black-box-size': memoryFrom(LEAST_BLACK_BOX_BYTES).optional(),
  'black-box-days': integer(1, MOST_BLACK_BOX_DAYS).default(DEFAULT_FILE.blackBox.maxDays),
  requirepass: bytes.default(DEFAULT_SENTINEL.requirepass),
  'sentinel-user': bytes.default(DEFAULT_SENTINEL.sentinelUser),
  'sentinel-pass': bytes.default(DEFAULT_SENTINEL.sentinelPass),
  users: users.default(DEFAULT_SENTINEL.users),
  'acl-file': text.default(DEFAULT_FILE.aclFile),
  'acl-pubsub-default': oneOf(['allchannels', 'resetchannels']).default(
    DEFAULT_SENTINEL.aclPubsubDefault,
  ),
  'acl-log-max-len': integer(0, MAX_COUNT).default(DEFAULT_SENTINEL.aclLogMaxLength),
  'rename-commands': renamedCommands.default(DEFAULT_SENTINEL.ownRenamedCommands),
  'deny-scripts-reconfig': flag.default(DEFAULT_SENTINEL.denyScriptsReconfig),
  'state-dir': text.optional(),
  'state-file': text.optional(),
  'log-level': oneOf(LOG_LEVELS).default(DEFAULT_FILE.logLevel),
  'log-file': text.default(DEFAULT_FILE.logFile),
  'log-format': oneOf(LOG_FORMATS).default(DEFAULT_FILE.logFormat),
  daemonize: flag.default(DEFAULT_FILE.daemonize),
  'pid-file': text.default(DEFAULT_FILE.pidFile),
  supervised: oneOf(['no', 'auto', 'systemd']).default(DEFAULT_FILE.supervised),
  webhooks: z.preprocess((value) => value ?? [], z.array(WEBHOOK)).default([]),
  proxy: PROXY.optional(),
  sentinels: integer(1, MAX_COUNT).optional(),
  groups: z.preprocess(nothingToEmpty, z.record(z.string(), GROUP)),
  tls: z.preprocess(nothingToEmpty, TLS),
  periods: z.preprocess(nothingToEmpty, PERIODS),
})

export type SentinelYml = z.output<typeof SENTINEL_YML>

/** The options allowed in the map at an address of the file, for hints. */
export function optionsAt(path: readonly PropertyKey[]): readonly string[] {
  const [section, , part] = path
  if (section === undefined) return [...Object.keys(SENTINEL_YML.shape), 'defaults']
  if (section === 'tls') return Object.keys(TLS.shape)
  if (section === 'webhooks') return Object.keys(WEBHOOK.shape)
  if (section === 'proxy') return part === undefined ? PROXY_OPTIONS : PROXY_GROUP_OPTIONS
  if (section === 'periods') return Object.keys(PERIODS.shape)
  return Object.keys(part === 'master' ? MASTER.shape : GROUP_SHAPE)
}
