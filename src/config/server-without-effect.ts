/**
 * Directives of redis.conf that a data node takes and shows, but does nothing with: it forks no process,
 * and keeps its values in no packed form. [maxmemory-policy] only decides what is remembered of the use of keys. Who sets them should know.
 */
export function hasNoEffect(directive: string): boolean {
  return NAMES.has(directive)
}

/** Under their first names and their second ones. */
const NAMES: ReadonlySet<string> = new Set(
  `
  rdb-del-sync-files rdb-save-incremental-fsync sanitize-dump-payload
  aof-rewrite-incremental-fsync maxmemory maxmemory-samples maxmemory-eviction-tenacity
  maxmemory-clients active-expire-effort replica-ignore-maxmemory lazyfree-lazy-eviction
  lazyfree-lazy-server-del lazyfree-lazy-user-flush replica-lazy-flush
  replica-ignore-disk-write-errors repl-diskless-load repl-disable-tcp-nodelay
  slowlog-log-slower-than slowlog-max-len latency-monitor-threshold latency-tracking
  latency-tracking-info-percentiles notify-keyspace-events tracking-table-max-keys
  list-max-listpack-size list-max-ziplist-size list-compress-depth busy-reply-threshold
  lua-time-limit activerehashing activedefrag active-defrag-cycle-min active-defrag-cycle-max
  active-defrag-threshold-lower active-defrag-threshold-upper active-defrag-max-scan-fields
  active-defrag-ignore-bytes dynamic-hz io-threads io-threads-do-reads jemalloc-bg-thread
  cluster-enabled cluster-port cluster-node-timeout cluster-migration-barrier
  cluster-replica-validity-factor cluster-slave-validity-factor cluster-require-full-coverage
  cluster-allow-replica-migration cluster-allow-reads-when-down cluster-allow-pubsubshard-when-down
  cluster-announce-ip cluster-announce-hostname cluster-announce-port cluster-announce-bus-port
  cluster-announce-tls-port cluster-preferred-endpoint-type cluster-link-sendbuf-limit
  cluster-config-file cluster-replica-no-failover
  cluster-slave-no-failover tls-cluster tls-session-caching tls-session-cache-size
  tls-session-cache-timeout tcp-backlog tcp-keepalive socket-mark-id unixsocket unixsocketperm
  always-show-logo set-proc-title proc-title-template crash-log-enabled crash-memcheck-enabled
  disable-thp oom-score-adj oom-score-adj-values server_cpulist bio_cpulist aof_rewrite_cpulist
  bgsave_cpulist syslog-enabled syslog-ident
  syslog-facility enable-module-command propagation-error-behavior ignore-warnings
`
    .trim()
    .split(/\s+/),
)
