/**
 * What the Sentinel machine is told before it starts. `config/` makes it from sentinel.yml or
 * sentinel.conf; defaults live here, beside the meaning, and nowhere else.
 * All durations are whole milliseconds. Names in brackets are those of sentinel.conf.
 */

import { DEFAULT_SETTINGS, type GlobalSettings } from './global-settings.ts'
import type { GroupOption, RenamedCommand } from './group-option-kinds.ts'
import { GROUP_OPTION_ROWS, GROUP_OPTIONS, type GroupOptionValues } from './group-options.ts'

/**
 * Each group costs two connections and one PING a second. Our two largest users together have fewer
 * groups.
 */
export const MAX_GROUPS = 10_000
export const TOO_MANY_GROUPS = `one Sentinel watches at most ${MAX_GROUPS} groups`
export const MANY_GROUPS_HINT = 'let other Sentinels watch a part of them'

/** One monitored group: a master under a name, with the options that group-options.ts describes. */
export interface GroupConfig extends GroupOptionValues {
  /**
   * [monitor] Case-sensitive; no blanks, commas or control characters, or the gossip could not
   * carry it.
   */
  readonly name: string
  readonly host: string
  readonly port: number
}

/**
 * `ping`: a master is down after a down-after of silence, as in C Sentinel. `evidence`: also when
 * there is proof that its process has died, see evidence.ts.
 */
export type Detection = GroupConfig['detection']
export const DETECTIONS = GROUP_OPTIONS.detection.words

/** The periods of the protocol. The names in SENTINEL DEBUG are the same words in kebab-case. */
export interface Periods {
  readonly infoMs: number
  /**
   * Upper bound of the PING interval; a short down-after makes PINGs more frequent, see ping.ts.
   */
  readonly pingMs: number
  /**
   * A Sentinel asks a peer for its opinion again after this long, and believes it for five times as
   * long.
   */
  readonly askMs: number
  readonly helloMs: number
  /** A wall-clock jump or a stall of the event loop longer than this starts TILT. */
  readonly tiltTriggerMs: number
  readonly tiltMs: number
  readonly slaveReconfTimeoutMs: number
  /** A connection younger than this is never closed for being idle. */
  readonly minLinkReconnectMs: number
  readonly electionTimeoutMs: number
  /**
   * [default-down-after] and [default-failover-timeout]: for groups that SENTINEL MONITOR makes
   * from now on.
   */
  readonly defaultDownAfterMs: number
  readonly defaultFailoverTimeoutMs: number
  /** A script that runs longer than this is killed. */
  readonly scriptMaxRuntimeMs: number
  /** The wait before the second run of a script that failed; it doubles with every further run. */
  readonly scriptRetryDelayMs: number
}

export interface SentinelConfig extends GlobalSettings {
  readonly groups: readonly GroupConfig[]
  /**
   * The port on which peers and clients reach us; part of every hello. 0: only `tlsPort` is open.
   */
  readonly port: number
  /** [tls-port] 0: none. */
  readonly tlsPort: number
  /** [tls-replication] All links to instances and peers use TLS. */
  readonly tlsReplication: boolean
  /** [protected-mode] Without a password only clients on this machine are served. */
  readonly protectedMode: boolean
  /** [requirepass] Password of our own port. Empty: none. */
  readonly requirepass: string
  /** [user] The words of each `user` line, the name first. */
  readonly users: readonly (readonly string[])[]
  /** [acl-pubsub-default] What a new user may do with channels. */
  readonly aclPubsubDefault: 'allchannels' | 'resetchannels'
  /** [acllog-max-len] How many refusals ACL LOG remembers. */
  readonly aclLogMaxLength: number
  /**
   * [rename-command] for our own commands: what clients must call them here. Empty: switched off.
   */
  readonly ownRenamedCommands: readonly RenamedCommand[]
  /** [deny-scripts-reconfig] SENTINEL SET may not change which scripts are run. */
  readonly denyScriptsReconfig: boolean
  /**
   * The detection of groups made by SENTINEL MONITOR. A process that was started like C Sentinel
   * keeps to `ping`.
   */
  readonly defaultDetection: Detection
  /** [maxclients] */
  readonly maxClients: number
  readonly periods: Periods
}

/** A group for which the user sets nothing but its master and quorum. */
export const DEFAULT_GROUP = valuesOf((row) => row.default) as Omit<GroupOptionValues, 'quorum'>

/** The options for which redis-sentinel's behaviour differs from our default. */
export const GROUP_AS_IN_REDIS = valuesOf((row) => {
  return row.kind === 'word' ? row.asInRedis : undefined
}) as Pick<GroupOptionValues, 'detection'>

function valuesOf(read: (row: GroupOption) => unknown): unknown {
  const values = GROUP_OPTION_ROWS.map(([key, row]) => [key, read(row)])
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

export const DEFAULT_PERIODS: Periods = {
  infoMs: 10_000,
  pingMs: 1_000,
  askMs: 1_000,
  helloMs: 2_000,
  tiltTriggerMs: 2_000,
  tiltMs: 30_000,
  slaveReconfTimeoutMs: 10_000,
  minLinkReconnectMs: 15_000,
  electionTimeoutMs: 10_000,
  defaultDownAfterMs: DEFAULT_GROUP.downAfterMs,
  defaultFailoverTimeoutMs: DEFAULT_GROUP.failoverTimeoutMs,
  scriptMaxRuntimeMs: 60_000,
  scriptRetryDelayMs: 30_000,
}

export const DEFAULT_SENTINEL: Omit<SentinelConfig, 'groups'> = {
  port: 26_379,
  tlsPort: 0,
  tlsReplication: false,
  protectedMode: false,
  ...DEFAULT_SETTINGS,
  requirepass: '',
  users: [],
  aclPubsubDefault: 'resetchannels',
  aclLogMaxLength: 128,
  ownRenamedCommands: [],
  denyScriptsReconfig: true,
  defaultDetection: DEFAULT_GROUP.detection,
  maxClients: 10_000,
  periods: DEFAULT_PERIODS,
}
