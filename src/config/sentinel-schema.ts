/**
 * The options of sentinel.yml: names, kinds, bounds. Defaults come from where the meaning is.
 * Every option is in sentinel.yml.example, which a test holds to this list.
 */
import { z } from 'zod'
import { DEFAULT_GROUP, DEFAULT_PERIODS, DEFAULT_SENTINEL, DETECTIONS } from '../core/config.ts'
import { DEFAULT_FILE } from './sentinel-file.ts'
import { NO_TLS } from './tls-options.ts'
import {
  bind,
  bytes,
  duration,
  durationOrNone,
  flag,
  host,
  hostOrNone,
  integer,
  ipOrNone,
  memory,
  oneOf,
  renamedCommands,
  splitAddress,
  text,
  users,
  words,
} from './yml-values.ts'

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

const MASTER = z.strictObject({ host, port: integer(1, MAX_PORT) })

const GROUP = z.strictObject({
  master: z.preprocess(splitAddress, MASTER),
  quorum: integer(1, MAX_COUNT),
  'down-after': duration.default(DEFAULT_GROUP.downAfterMs),
  'failover-timeout': duration.default(DEFAULT_GROUP.failoverTimeoutMs),
  'parallel-syncs': integer(1, MAX_COUNT).default(DEFAULT_GROUP.parallelSyncs),
  'auth-user': bytes.default(DEFAULT_GROUP.authUser),
  'auth-pass': bytes.default(DEFAULT_GROUP.authPass),
  'notification-script': text.default(DEFAULT_GROUP.notificationScript),
  'client-reconfig-script': text.default(DEFAULT_GROUP.clientReconfigScript),
  'rename-commands': renamedCommands.default(DEFAULT_GROUP.renamedCommands),
  'reboot-down-after': durationOrNone.default(DEFAULT_GROUP.rebootDownAfterMs),
  detection: oneOf(DETECTIONS).default(DEFAULT_GROUP.detection),
  'refused-after': duration.default(DEFAULT_GROUP.refusedAfterMs),
  'gray-after': durationOrNone.default(DEFAULT_GROUP.grayAfterMs),
})

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
  'log-level': oneOf(['debug', 'verbose', 'notice', 'warning', 'nothing']).default(
    DEFAULT_FILE.logLevel,
  ),
  'log-file': text.default(DEFAULT_FILE.logFile),
  daemonize: flag.default(DEFAULT_FILE.daemonize),
  'pid-file': text.default(DEFAULT_FILE.pidFile),
  supervised: oneOf(['no', 'auto', 'systemd']).default(DEFAULT_FILE.supervised),
  sentinels: integer(1, MAX_COUNT).optional(),
  groups: z.preprocess(nothingToEmpty, z.record(z.string(), GROUP)),
  tls: z.preprocess(nothingToEmpty, TLS),
  periods: z.preprocess(nothingToEmpty, PERIODS),
})

export type SentinelYml = z.output<typeof SENTINEL_YML>
export type GroupYml = z.output<typeof GROUP>

/** The options allowed in the map at an address of the file, for hints. */
export function optionsAt(path: readonly PropertyKey[]): readonly string[] {
  const [section, , part] = path
  if (section === undefined) return Object.keys(SENTINEL_YML.shape)
  if (section === 'tls') return Object.keys(TLS.shape)
  if (section === 'periods') return Object.keys(PERIODS.shape)
  return Object.keys(part === 'master' ? MASTER.shape : GROUP.shape)
}
