/**
 * What the Sentinel machine is told before it starts. `config/` makes it out of sentinel.yml or
 * sentinel.conf; defaults live here, beside the meaning, and nowhere else.
 * All durations are whole milliseconds. Names in brackets are those of sentinel.conf.
 */

import type { LogLevel } from './log-level.ts'

/** One monitored group: a master under a name, with the rules for it. */
export interface GroupConfig {
  /** [monitor] Case-sensitive; no blanks, commas or control characters, or the gossip could not carry it. */
  readonly name: string
  readonly host: string
  readonly port: number
  /** [monitor] Sentinels that must agree that the master is down; the majority still has to elect. */
  readonly quorum: number
  /** [down-after-milliseconds] */
  readonly downAfterMs: number
  /** [failover-timeout] */
  readonly failoverTimeoutMs: number
  /** [parallel-syncs] Replicas sent to the new master at the same time. */
  readonly parallelSyncs: number
  /** [auth-user] Empty: none. */
  readonly authUser: string
  /** [auth-pass] Empty: none. */
  readonly authPass: string
  /** [notification-script] Path of a program that is run for every warning event. Empty: none. */
  readonly notificationScript: string
  /** [client-reconfig-script] Path of a program that is run when the master changes. Empty: none. */
  readonly clientReconfigScript: string
  /** [rename-command] What the instances of this group, peers included, call a command. */
  readonly renamedCommands: readonly RenamedCommand[]
  /** [master-reboot-down-after-period] 0: a master that was restarted is judged like any other. */
  readonly rebootDownAfterMs: number
  /** By what a dead master is recognised. */
  readonly detection: Detection
  /** With `evidence`: how long a master that is proven dead may take to come back before it is S_DOWN. */
  readonly refusedAfterMs: number
  /** A master that refuses writes for so long is S_DOWN although it answers. 0: it is only reported. */
  readonly grayAfterMs: number
}

/**
 * `ping`: by a down-after of silence, as C Sentinel does. `evidence`: also by proof that its process has
 * died, see evidence.ts.
 */
export type Detection = (typeof DETECTIONS)[number]
export const DETECTIONS = ['ping', 'evidence'] as const

/** The command's own name in lower case, and the name it is sent under. */
export type RenamedCommand = readonly [name: string, sentAs: string]

/** The periods of the protocol. SENTINEL DEBUG names are the same words in kebab-case. */
export interface Periods {
  readonly infoMs: number
  /** Upper bound of the PING interval; a short down-after makes PINGs more frequent, see ping.ts. */
  readonly pingMs: number
  /** A peer's opinion is asked for again after this long, and believed for five times as long. */
  readonly askMs: number
  readonly helloMs: number
  /** A wall-clock jump or a stall of the event loop longer than this starts TILT. */
  readonly tiltTriggerMs: number
  readonly tiltMs: number
  readonly slaveReconfTimeoutMs: number
  /** A connection younger than this is never closed for being idle. */
  readonly minLinkReconnectMs: number
  readonly electionTimeoutMs: number
  /** [default-down-after] and [default-failover-timeout]: of groups made by SENTINEL MONITOR from now on. */
  readonly defaultDownAfterMs: number
  readonly defaultFailoverTimeoutMs: number
  /** A script that runs longer is killed. */
  readonly scriptMaxRuntimeMs: number
  /** Before the second run of a script that failed; doubles with every further one. */
  readonly scriptRetryDelayMs: number
}

/** What SENTINEL CONFIG SET can change at run time, beside the groups. */
export interface GlobalSettings {
  /** [announce-ip] Empty: the local address of the connection the hello goes out on. */
  readonly announceIp: string
  /** [announce-port] 0: `tlsPort` where links use TLS, else `port`. */
  readonly announcePort: number
  /** [resolve-hostnames] Hosts may be names. */
  readonly resolveHostnames: boolean
  /** [announce-hostnames] Names are told on and shown where one is known, instead of addresses. */
  readonly announceHostnames: boolean
  /** [sentinel-user] and [sentinel-pass]: what we show to peers; without them, `requirepass`. */
  readonly sentinelUser: string
  readonly sentinelPass: string
  /** [loglevel] */
  readonly logLevel: LogLevel | 'nothing'
}

export interface SentinelConfig extends GlobalSettings {
  readonly groups: readonly GroupConfig[]
  /** The port peers and clients reach us on; part of every hello. 0: none but `tlsPort`. */
  readonly port: number
  /** [tls-port] 0: none. */
  readonly tlsPort: number
  /** [tls-replication] All links to instances and peers use TLS. */
  readonly tlsReplication: boolean
  /** [protected-mode] Without a password only clients on this machine are served. */
  readonly protectedMode: boolean
  /** [requirepass] Password of our own port. Empty: none. */
  readonly requirepass: string
  /** [user] Each the words of a `user` line, the name first. */
  readonly users: readonly (readonly string[])[]
  /** [acl-pubsub-default] What a new user may do with channels. */
  readonly aclPubsubDefault: 'allchannels' | 'resetchannels'
  /** [acllog-max-len] How many refusals ACL LOG remembers. */
  readonly aclLogMaxLength: number
  /** [rename-command] of the file itself: what our own commands are called here. Empty: switched off. */
  readonly ownRenamedCommands: readonly RenamedCommand[]
  /** [deny-scripts-reconfig] SENTINEL SET may not change which scripts are run. */
  readonly denyScriptsReconfig: boolean
  /** Of groups made by SENTINEL MONITOR: a process that was started like C Sentinel goes on like one. */
  readonly defaultDetection: Detection
  /** [maxclients] */
  readonly maxClients: number
  readonly periods: Periods
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
  defaultDownAfterMs: 30_000,
  defaultFailoverTimeoutMs: 180_000,
  scriptMaxRuntimeMs: 60_000,
  scriptRetryDelayMs: 30_000,
}

export const DEFAULT_GROUP: Omit<GroupConfig, 'name' | 'host' | 'port' | 'quorum'> = {
  downAfterMs: DEFAULT_PERIODS.defaultDownAfterMs,
  failoverTimeoutMs: DEFAULT_PERIODS.defaultFailoverTimeoutMs,
  parallelSyncs: 1,
  authUser: '',
  authPass: '',
  notificationScript: '',
  clientReconfigScript: '',
  renamedCommands: [],
  rebootDownAfterMs: 0,
  detection: 'evidence',
  refusedAfterMs: 250,
  grayAfterMs: 0,
}

export const DEFAULT_SENTINEL: Omit<SentinelConfig, 'groups'> = {
  port: 26_379,
  tlsPort: 0,
  tlsReplication: false,
  protectedMode: false,
  announceIp: '',
  announcePort: 0,
  resolveHostnames: false,
  announceHostnames: false,
  sentinelUser: '',
  sentinelPass: '',
  logLevel: 'notice',
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
