/**
 * The options of sentinel.yml: names, kinds, bounds. Defaults come from where the meaning is.
 * Every option is in sentinel.yml.example, which a test holds to this list.
 */
import { z } from 'zod'
import { DEFAULT_GROUP, DEFAULT_PERIODS, DEFAULT_SENTINEL } from '../core/config.ts'
import { DEFAULT_FILE } from './sentinel-file.ts'
import {
  bind,
  bytes,
  duration,
  flag,
  integer,
  ip,
  ipOrNone,
  oneOf,
  splitAddress,
  text,
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
})

const MASTER = z.strictObject({ host: ip, port: integer(1, MAX_PORT) })

const GROUP = z.strictObject({
  master: z.preprocess(splitAddress, MASTER),
  quorum: integer(1, MAX_COUNT),
  'down-after': duration.default(DEFAULT_GROUP.downAfterMs),
  'failover-timeout': duration.default(DEFAULT_GROUP.failoverTimeoutMs),
  'parallel-syncs': integer(1, MAX_COUNT).default(DEFAULT_GROUP.parallelSyncs),
  'auth-user': bytes.default(DEFAULT_GROUP.authUser),
  'auth-pass': bytes.default(DEFAULT_GROUP.authPass),
})

const nothingToEmpty = (value: unknown) => value ?? {}

export const SENTINEL_YML = z.strictObject({
  port: integer(0, MAX_PORT).default(DEFAULT_SENTINEL.port),
  bind: bind.default(DEFAULT_FILE.listen.bind),
  'protected-mode': flag.default(DEFAULT_FILE.listen.protectedMode),
  'bind-source-addr': ipOrNone.default(DEFAULT_FILE.bindSourceAddr),
  maxclients: integer(1, MAX_COUNT).default(DEFAULT_SENTINEL.maxClients),
  'announce-ip': ipOrNone.default(DEFAULT_SENTINEL.announceIp),
  'announce-port': integer(0, MAX_PORT).default(DEFAULT_SENTINEL.announcePort),
  requirepass: bytes.default(DEFAULT_SENTINEL.requirepass),
  'sentinel-user': bytes.default(DEFAULT_SENTINEL.sentinelUser),
  'sentinel-pass': bytes.default(DEFAULT_SENTINEL.sentinelPass),
  'state-dir': text.optional(),
  'state-file': text.optional(),
  'log-level': oneOf(['debug', 'verbose', 'notice', 'warning', 'nothing']).default(
    DEFAULT_FILE.logLevel,
  ),
  'log-file': text.default(DEFAULT_FILE.logFile),
  sentinels: integer(1, MAX_COUNT).optional(),
  groups: z.preprocess(nothingToEmpty, z.record(z.string(), GROUP)),
  periods: z.preprocess(nothingToEmpty, PERIODS),
})

export type SentinelYml = z.output<typeof SENTINEL_YML>
export type GroupYml = z.output<typeof GROUP>

/** The options allowed in the map at an address of the file, for hints. */
export function optionsAt(path: readonly PropertyKey[]): readonly string[] {
  const [section, , part] = path
  if (section === undefined) return Object.keys(SENTINEL_YML.shape)
  if (section === 'periods') return Object.keys(PERIODS.shape)
  return Object.keys(part === 'master' ? MASTER.shape : GROUP.shape)
}
