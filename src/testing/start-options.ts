/** What a test may say about its cluster or its server. Whatever is undefined was not said. */

export interface StartClusterOptions {
  /**
   * What the members are. `tcp`, by default: the programs of production in this process. `process-lite`: a process for
   * each, without root. `redis`: redis-server and redis-sentinel, where they are installed. Processes start in a
   * second or so, their clocks are the machine's and their disks are files; the network is ours with all of them.
   */
  readonly engine?: 'tcp' | 'process-lite' | 'redis' | undefined
  /** Names of the groups; `['mymaster']` by default. Each has nodes of its own, all have the same Sentinels. */
  readonly groups?: readonly string[] | undefined
  /** Replicas of each group; 2 by default. */
  readonly replicas?: number | undefined
  /** 3 by default. */
  readonly sentinels?: number | undefined
  /** By default the majority of the Sentinels. */
  readonly quorum?: number | undefined
  /**
   * How long a master must be silent to be taken for down, in milliseconds, at least 20; 250 by default, and 1 000
   * with processes, which a busy machine may make stand still one by one. A
   * killed master is found sooner, by refused connections, unless `detection` is `ping`.
   */
  readonly downAfterMs?: number | undefined
  /** How long a failover may take, in milliseconds; 3 000 by default. */
  readonly failoverTimeoutMs?: number | undefined
  /** `evidence` by default; `ping` is what redis-sentinel does. */
  readonly detection?: 'evidence' | 'ping' | undefined
  /** Password of all nodes and Sentinels; none by default. */
  readonly password?: string | undefined
  /**
   * Users of all nodes beside the default one, by which the Sentinels log in: lines as in redis.conf, without `user`.
   *
   * @example
   * users: ['app on >secret ~app:* +@all']
   */
  readonly users?: readonly string[] | undefined
  /** TLS on every connection; without, none. Clients need no certificate of their own. */
  readonly tls?: ClusterCertificates | undefined
  /** Directives of redis.conf for all nodes, as in `{ 'min-replicas-to-write': '1' }`. */
  readonly directives?: Readonly<Record<string, string>> | undefined
  /**
   * `running` by default. With `manual` no time passes in the cluster but by `cluster.advance(ms)` and while
   * `cluster.until` waits: expiry, down-after and failovers come as soon as they are asked for.
   */
  readonly clock?: 'running' | 'manual' | undefined
  /** Decides what the members draw (run ids, votes at the same moment); drawn by default. */
  readonly seed?: string | undefined
}

/** Paths of PEM files. The certificate has to be one that the authority has signed; names in it are not looked at. */
export interface ClusterCertificates {
  readonly certFile: string
  readonly keyFile: string
  readonly caFile: string
}

export interface StartServerOptions extends Pick<StartClusterOptions, 'password' | 'directives'> {}

/** Nodes that run already: only the masters are named, the Sentinel finds their replicas. */
export interface StartSentinelOptions {
  /** The masters to watch, by the names of their groups. */
  readonly masters: Readonly<Record<string, { readonly host: string; readonly port: number }>>
  /** How many Sentinels must see a master down; 1 by default, since there is one. */
  readonly quorum?: number | undefined
  /** How long a master must be silent to be taken for down, in milliseconds; 250 by default. */
  readonly downAfterMs?: number | undefined
  /** How long a failover may take, in milliseconds; 3 000 by default. */
  readonly failoverTimeoutMs?: number | undefined
  /** Password of the nodes; none by default. */
  readonly password?: string | undefined
  /** Password of the Sentinel itself; none by default. */
  readonly sentinelPassword?: string | undefined
}
