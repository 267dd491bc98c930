/**
 * Directives of redis.conf that Redis or Valkey know and that mean nothing to a Sentinel. They are
 * accepted, so that an existing sentinel.conf works; anything else is a typing error.
 */
export function isMeaningless(directive: string): boolean {
  return NAMES.has(directive)
}

const NAMES: ReadonlySet<string> = new Set(
  `
  active-defrag-cycle-max active-defrag-cycle-min active-defrag-cycle-us
  active-defrag-ignore-bytes active-defrag-max-scan-fields active-defrag-threshold-lower
  active-defrag-threshold-upper active-expire-effort activedefrag activerehashing
  always-show-logo aof-disable-auto-gc aof-load-truncated aof-rewrite-incremental-fsync
  aof-timestamp-enabled aof-use-rdb-preamble aof_rewrite_cpulist appenddirname appendfilename
  appendfsync appendonly auto-aof-rewrite-min-size auto-aof-rewrite-percentage availability-zone
  bgsave_cpulist bio_cpulist busy-reply-threshold client-query-buffer-limit
  cluster-allow-pubsubshard-when-down cluster-allow-reads-when-down
  cluster-allow-replica-migration cluster-announce-bus-port cluster-announce-client-ipv4
  cluster-announce-client-ipv6 cluster-announce-hostname cluster-announce-human-nodename
  cluster-announce-ip cluster-announce-port cluster-announce-tls-port cluster-blacklist-ttl
  cluster-config-file cluster-enabled cluster-link-sendbuf-limit cluster-manual-failover-timeout
  cluster-migration-barrier cluster-node-timeout cluster-ping-interval cluster-port
  cluster-preferred-endpoint-type cluster-replica-no-failover cluster-replica-validity-factor
  cluster-require-full-coverage cluster-slave-no-failover cluster-slave-validity-factor
  cluster-slot-migration-log-max-len cluster-slot-stats-enabled commandlog-execution-slower-than
  commandlog-large-reply-max-len commandlog-large-request-max-len commandlog-reply-larger-than
  commandlog-request-larger-than commandlog-slow-execution-max-len crash-log-enabled
  crash-memcheck-enabled databases dbfilename disable-thp dual-channel-replication-enabled
  dynamic-hz enable-debug-command enable-module-command enable-protected-configs
  events-per-io-thread extended-redis-compatibility hash-max-listpack-entries
  hash-max-listpack-value hash-max-ziplist-entries hash-max-ziplist-value hide-user-data-from-log
  hll-sparse-max-bytes hz ignore-warnings import-mode io-threads io-threads-always-active
  io-threads-do-reads jemalloc-bg-thread key-load-delay latency-monitor-threshold
  latency-tracking latency-tracking-info-percentiles lazyexpire-nested-arbitrary-keys
  lazyfree-lazy-eviction lazyfree-lazy-expire lazyfree-lazy-server-del lazyfree-lazy-user-del
  lazyfree-lazy-user-flush lfu-decay-time lfu-log-factor list-compress-depth
  list-max-listpack-size list-max-ziplist-entries list-max-ziplist-size locale-collate
  lua-enable-insecure-api lua-time-limit max-new-connections-per-cycle
  max-new-tls-connections-per-cycle maxmemory maxmemory-clients maxmemory-eviction-tenacity
  maxmemory-policy maxmemory-samples min-replicas-max-lag min-replicas-to-write
  min-slaves-max-lag min-slaves-to-write mptcp no-appendfsync-on-rewrite notify-keyspace-events
  oom-score-adj oom-score-adj-values prefetch-batch-max-size proc-title-template
  propagation-error-behavior proto-max-bulk-len rdb-del-sync-files rdb-save-incremental-fsync
  rdb-version-check rdbchecksum rdbcompression repl-backlog-size repl-backlog-ttl
  repl-disable-tcp-nodelay repl-diskless-load repl-diskless-sync repl-diskless-sync-delay
  repl-diskless-sync-max-replicas repl-mptcp repl-ping-replica-period repl-ping-slave-period
  repl-timeout replica-announce-ip replica-announce-port replica-announced
  replica-full-sync-buffer-limit replica-ignore-disk-write-errors replica-ignore-maxmemory
  replica-lazy-flush replica-priority replica-read-only replica-serve-stale-data replicaof
  sanitize-dump-payload save server_cpulist set-max-intset-entries set-max-listpack-entries
  set-max-listpack-value set-proc-title shutdown-on-sigint shutdown-on-sigterm shutdown-timeout
  slave-announce-ip slave-announce-port slave-announced slave-ignore-maxmemory slave-lazy-flush
  slave-priority slave-read-only slave-serve-stale-data slaveof slowlog-log-slower-than
  slowlog-max-len socket-mark-id stop-writes-on-bgsave-error stream-node-max-bytes
  stream-node-max-entries syslog-facility syslog-ident tcp-backlog tcp-keepalive
  tls-auth-clients-user tls-cluster tls-session-cache-size tls-session-cache-timeout
  tls-session-caching tracking-table-max-keys unixsocketgroup zset-max-listpack-entries
  zset-max-listpack-value zset-max-ziplist-entries zset-max-ziplist-value
`
    .trim()
    .split(/\s+/),
)
