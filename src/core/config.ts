/**
 * What the Sentinel machine is told before it starts. `config/` makes it out of sentinel.yml or
 * sentinel.conf; defaults live here, beside the meaning, and nowhere else.
 * All durations are whole milliseconds. Names in brackets are those of sentinel.conf.
 */

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
}

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
}

export interface SentinelConfig {
  readonly groups: readonly GroupConfig[]
  /** The port peers and clients reach us on; part of every hello. */
  readonly port: number
  /** [announce-ip] Empty: the local address of the connection the hello goes out on. */
  readonly announceIp: string
  /** [announce-port] 0: `port`. */
  readonly announcePort: number
  /** [requirepass] Password of our own port. Empty: none. */
  readonly requirepass: string
  /** [sentinel-user] and [sentinel-pass]: what we show to peers; without them, `requirepass`. */
  readonly sentinelUser: string
  readonly sentinelPass: string
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
}

export const DEFAULT_GROUP = {
  downAfterMs: 30_000,
  failoverTimeoutMs: 180_000,
  parallelSyncs: 1,
  authUser: '',
  authPass: '',
} as const

export const DEFAULT_SENTINEL: Omit<SentinelConfig, 'groups'> = {
  port: 26_379,
  announceIp: '',
  announcePort: 0,
  requirepass: '',
  sentinelUser: '',
  sentinelPass: '',
  maxClients: 10_000,
  periods: DEFAULT_PERIODS,
}
