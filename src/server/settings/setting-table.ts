/**
 * Every directive of redis.conf that the node knows, with Redis 7.0's defaults unless a comment
 * says why not. Directives that mean nothing here (packing thresholds, fork matters) are accepted
 * and shown all the same, so that an existing file works: they are `ignored`, with a note of what
 * does not happen if that matters. Directives that Redis does not know are `ours`.
 */
import { LOG_FORMAT_WORDS } from '../../base/log-format.ts'
import { ADDRESSES_DIRECTIVE } from '../../base/network-addresses.ts'
import { outputLimits } from '../sessions/output-limits.ts'
import {
  NEIGHBOUR_ALIASES,
  NEIGHBOUR_FLAGS,
  NEIGHBOUR_INTS,
  NEIGHBOUR_TEXTS,
} from './neighbour-settings.ts'
import {
  accepted,
  clamped,
  eventClasses,
  ignored,
  integer,
  MAX_INT,
  MAX_LONG,
  memory,
  memoryOrShare,
  nameInFolder,
  octal,
  oneOf,
  ours,
  type ParsedSetting,
  password,
  refused,
  type SettingType,
  savePoints,
  text,
  words,
  yesNo,
} from './setting-types.ts'
import {
  addressTable,
  hostName,
  masterAddress,
  oomScores,
  percentiles,
  processTitle,
} from './text-checks.ts'

const KIB = 1024
const MIB = 1024 * KIB

// Notes on what does not happen, for directives whose absence an operator would notice too late.
const LOCAL_FACILITIES = [0, 1, 2, 3, 4, 5, 6, 7].map((number) => `local${number}`)
const FACILITIES = ['user', ...LOCAL_FACILITIES]
const NO_CLUSTER = 'it is no node of a cluster'
const ONE_THREAD = 'one thread does everything'
const SET_BY_SERVICE = 'set it for the service'

export const USUAL_TCP_BACKLOG = 511

/** Times are in the unit of the directive, mostly seconds; sizes are in bytes. */
export const INT_SETTINGS = {
  // The listener cannot move while it runs.
  port: integer(6379, 0, 65_535, 'immutable'),
  databases: integer(16, 1, MAX_INT, 'immutable'),
  maxclients: integer(10_000, 1, 2 ** 32 - 1),
  timeout: integer(0, 0),
  'tcp-keepalive': ignored(integer(300, 0)),
  /** 511 stands in every file that Redis ships, so it is nobody's choice: the listener has a better one. */
  'tcp-backlog': integer(USUAL_TCP_BACKLOG, 0, MAX_INT, 'immutable'),
  hz: clamped(integer(10, 0), 1, 500),
  'proto-max-bulk-len': memory(512 * MIB, MIB),
  'client-query-buffer-limit': memory(1024 * MIB, MIB),
  'shutdown-timeout': integer(10, 0),
  maxmemory: memory(0),
  'maxmemory-clients': memoryOrShare(0),
  'maxmemory-samples': integer(5, 1),
  'maxmemory-eviction-tenacity': integer(10, 0, 100),
  'min-replicas-to-write': integer(0, 0),
  'min-replicas-max-lag': integer(10, 0),
  'replica-priority': integer(100, 0),
  'replica-announce-port': integer(0, 0, 65_535),
  'repl-backlog-size': clamped(memory(MIB, 1), 16 * KIB, MAX_LONG),
  'repl-backlog-ttl': integer(3600, 0, MAX_LONG),
  'repl-timeout': integer(60, 1),
  // See docs/http.md. -1: the majority of the Sentinels that spoke lately, and two at least.
  'http-port': ours(integer(0, 0, 65_535, 'immutable')),
  'http-primary-sentinels': ours(integer(-1, -1, 1_000)),
  // What the node puts on record of itself, see docs/blackbox.md.
  'black-box-size': ours({ ...memory(256 * MIB, MIB), access: 'immutable' }),
  'black-box-days': ours(integer(14, 1, 3_650, 'immutable')),
  // The files, see ledger/, that keep the writes a resynchronisation discards.
  'ledger-max-files': ours(integer(16, 0)),
  'ledger-max-bytes': ours(memory(64 * MIB, MIB)),
  // Strict replication, see docs/strict.md. The names are those Valkey means to use.
  'min-sync-replicas': ours(integer(1, 1, 64, 'immutable')),
  // In ms.
  'sync-replication-timeout': ours(integer(5_000, 1)),
  'repl-ping-replica-period': integer(10, 1),
  // No process is forked for a snapshot, so waiting for more replicas to share it saves nothing.
  'repl-diskless-sync-delay': integer(0, 0),
  'repl-diskless-sync-max-replicas': integer(0, 0),
  'slowlog-log-slower-than': integer(10_000, -1, MAX_LONG),
  'slowlog-max-len': integer(128, 0, MAX_LONG),
  // Of Valkey 8.1, in bytes.
  'commandlog-request-larger-than': integer(MIB, -1, MAX_LONG),
  'commandlog-large-request-max-len': integer(128, 0, MAX_LONG),
  'commandlog-reply-larger-than': integer(MIB, -1, MAX_LONG),
  'commandlog-large-reply-max-len': integer(128, 0, MAX_LONG),
  'latency-monitor-threshold': integer(0, 0, MAX_LONG),
  'active-expire-effort': ignored(integer(1, 1, 10)),
  'lfu-log-factor': integer(10, 0),
  'lfu-decay-time': integer(1, 0),
  'hash-max-listpack-entries': integer(512, 0, MAX_LONG),
  'hash-max-listpack-value': memory(64),
  'list-max-listpack-size': ignored(integer(-2, -MAX_INT - 1)),
  'list-compress-depth': ignored(integer(0, 0)),
  'set-max-intset-entries': integer(512, 0, MAX_LONG),
  'zset-max-listpack-entries': integer(128, 0, MAX_LONG),
  'zset-max-listpack-value': memory(64),
  'hll-sparse-max-bytes': memory(3000),
  'stream-node-max-bytes': memory(4096),
  'stream-node-max-entries': integer(100, 0, MAX_LONG),
  'auto-aof-rewrite-percentage': integer(100, 0),
  'auto-aof-rewrite-min-size': memory(64 * MIB),
  'tracking-table-max-keys': integer(1_000_000, 0, MAX_LONG),
  'acllog-max-len': integer(128, 0, MAX_LONG),
  'busy-reply-threshold': integer(5000, 0, MAX_LONG),
  // Three for tests, which Redis knows too and CONFIG GET * there does not show.
  'key-load-delay': integer(0, -MAX_INT - 1),
  'loading-process-events-interval-bytes': integer(2 * MIB, 1024),
  'rdb-key-save-delay': integer(0, -MAX_INT - 1),
  'io-threads': ignored(integer(1, 1, 128, 'immutable'), ONE_THREAD),
  'active-defrag-cycle-min': ignored(integer(1, 1, 99)),
  'active-defrag-cycle-max': ignored(integer(25, 1, 99)),
  'active-defrag-threshold-lower': ignored(integer(10, 0, 1000)),
  'active-defrag-threshold-upper': ignored(integer(100, 0, 1000)),
  'active-defrag-max-scan-fields': ignored(integer(1000, 1, MAX_LONG)),
  'active-defrag-ignore-bytes': ignored(memory(100 * MIB, 1)),
  'cluster-node-timeout': ignored(integer(15_000, 0, MAX_LONG), NO_CLUSTER),
  'cluster-port': ignored(integer(0, 0, 65_535, 'immutable'), NO_CLUSTER),
  'cluster-announce-port': ignored(integer(0, 0, 65_535), NO_CLUSTER),
  'cluster-announce-bus-port': ignored(integer(0, 0, 65_535), NO_CLUSTER),
  'cluster-announce-tls-port': ignored(integer(0, 0, 65_535), NO_CLUSTER),
  'cluster-link-sendbuf-limit': ignored(memory(0), NO_CLUSTER),
  'cluster-migration-barrier': ignored(integer(1, 0), NO_CLUSTER),
  'cluster-replica-validity-factor': ignored(integer(10, 0), NO_CLUSTER),
  'tls-port': integer(0, 0, 65_535, 'immutable'),
  // Sessions are resumed by tickets, which need no memory here.
  'tls-session-cache-size': ignored(integer(20_480, 0)),
  'tls-session-cache-timeout': ignored(integer(300, 0)),
  unixsocketperm: octal(0, 'immutable'),
  'socket-mark-id': ignored(integer(0, 0, MAX_LONG, 'immutable')),
  ...NEIGHBOUR_INTS,
} as const satisfies Record<string, SettingType<number>>

export const FLAG_SETTINGS = {
  'protected-mode': yesNo(true),
  'replica-read-only': yesNo(true),
  'replica-serve-stale-data': yesNo(true),
  'replica-announced': yesNo(true),
  // See replication/following/empty-master-guard.ts.
  'replica-empty-master-guard': ours(yesNo(true)),
  'black-box': ours(yesNo(false, 'immutable')),
  // See replication/strict/.
  'sync-replication': ours(yesNo(false, 'immutable')),
  'replica-ignore-maxmemory': yesNo(true),
  'replica-lazy-flush': ignored(yesNo(false)),
  // See client-disconnects.ts: a connection that works tells no client to look elsewhere.
  'demotion-closes-clients': ours(yesNo(true)),
  'fenced-closes-clients': ours(yesNo(true)),
  // See persistence/handover.ts.
  'shutdown-failover': ours(yesNo(true)),
  'replica-ignore-disk-write-errors': ignored(yesNo(false)),
  'repl-diskless-sync': yesNo(true),
  'repl-disable-tcp-nodelay': ignored(yesNo(false)),
  'rdb-del-sync-files': ignored(yesNo(false)),
  appendonly: yesNo(false),
  'aof-use-rdb-preamble': yesNo(true),
  'aof-load-truncated': yesNo(true),
  'aof-timestamp-enabled': yesNo(false),
  'aof-disable-auto-gc': yesNo(false),
  'aof-rewrite-incremental-fsync': ignored(yesNo(true)),
  'no-appendfsync-on-rewrite': yesNo(false),
  'rdb-save-incremental-fsync': ignored(yesNo(true)),
  'stop-writes-on-bgsave-error': yesNo(true),
  rdbcompression: yesNo(true),
  rdbchecksum: yesNo(true, 'immutable'),
  'lazyfree-lazy-eviction': yesNo(false),
  'lazyfree-lazy-expire': yesNo(false),
  'lazyfree-lazy-server-del': ignored(yesNo(false)),
  'lazyfree-lazy-user-del': yesNo(false),
  'lazyfree-lazy-user-flush': ignored(yesNo(false)),
  'latency-tracking': yesNo(true),
  activerehashing: ignored(yesNo(true)),
  activedefrag: ignored(yesNo(false)),
  'dynamic-hz': ignored(yesNo(true)),
  daemonize: yesNo(false, 'immutable'),
  'always-show-logo': ignored(yesNo(false, 'immutable')),
  'set-proc-title': yesNo(true, 'immutable'),
  'crash-log-enabled': ignored(yesNo(true)),
  'crash-memcheck-enabled': ignored(yesNo(true)),
  'syslog-enabled': yesNo(false, 'immutable'),
  'disable-thp': ignored(yesNo(true, 'immutable'), SET_BY_SERVICE),
  'jemalloc-bg-thread': ignored(yesNo(true)),
  'io-threads-do-reads': ignored(yesNo(false, 'immutable'), ONE_THREAD),
  'cluster-enabled': ignored(yesNo(false, 'immutable'), NO_CLUSTER),
  'cluster-require-full-coverage': ignored(yesNo(true), NO_CLUSTER),
  'cluster-allow-replica-migration': ignored(yesNo(true), NO_CLUSTER),
  'cluster-allow-reads-when-down': ignored(yesNo(false), NO_CLUSTER),
  'cluster-allow-pubsubshard-when-down': ignored(yesNo(true), NO_CLUSTER),
  'cluster-replica-no-failover': ignored(yesNo(false), NO_CLUSTER),
  'tls-cluster': ignored(yesNo(false)),
  'tls-replication': yesNo(false),
  'tls-prefer-server-ciphers': yesNo(false),
  'http-tls': ours(yesNo(false, 'immutable')),
  'tls-session-caching': ignored(yesNo(true)),
  ...NEIGHBOUR_FLAGS,
} as const satisfies Record<string, SettingType<boolean>>

export const TEXT_SETTINGS = {
  bind: words(text('* -::*', 'immutable')),
  'bind-source-addr': text(''),
  requirepass: password(),
  masterauth: password(),
  masteruser: text(''),
  // What a master says to its Sentinels, see persistence/handover.ts.
  'sentinel-user': ours(text('')),
  'sentinel-pass': ours(password()),
  /** `host port` of the master, empty on a master. REPLICAOF changes it. */
  replicaof: words(masterAddress(), 2),
  'replica-announce-ip': text(''),
  // What handoffs name members by, see sessions/handoffs.ts. Sentinels set it.
  [ADDRESSES_DIRECTIVE]: ours(words(addressTable())),
  'repl-diskless-load': ignored(
    oneOf('disabled', ['disabled', 'on-empty-db', 'swapdb'], 'mutable', ['flush-before-load']),
    'a copy is always taken beside the old data',
  ),
  save: words(savePoints('3600 1 300 100 60 10000')),
  dir: text('.', 'protected'),
  dbfilename: nameInFolder('dump.rdb', 'protected', "dbfilename can't be a path, just a filename"),
  appendfilename: nameInFolder(
    'appendonly.aof',
    'immutable',
    "appendfilename can't be a path, just a filename",
  ),
  appenddirname: nameInFolder(
    'appendonlydir',
    'immutable',
    "appenddirname can't be a path, just a dirname",
  ),
  appendfsync: oneOf('everysec', ['everysec', 'always', 'no']),
  'maxmemory-policy': oneOf('noeviction', [
    'volatile-lru',
    'volatile-lfu',
    'volatile-random',
    'volatile-ttl',
    'allkeys-lru',
    'allkeys-lfu',
    'allkeys-random',
    'noeviction',
  ]),
  'notify-keyspace-events': eventClasses(),
  loglevel: oneOf('notice', ['debug', 'verbose', 'notice', 'warning']),
  logfile: text('', 'immutable'),
  'log-format': ours(oneOf('auto', LOG_FORMAT_WORDS, 'immutable')),
  pidfile: text('', 'immutable'),
  'enable-debug-command': oneOf('no', ['no', 'yes', 'local'], 'immutable'),
  'enable-protected-configs': oneOf('no', ['no', 'yes', 'local'], 'immutable'),
  'enable-module-command': ignored(oneOf('no', ['no', 'yes', 'local'], 'immutable')),
  'propagation-error-behavior': ignored(oneOf('ignore', ['ignore', 'panic', 'panic-on-replicas'])),
  'sanitize-dump-payload': ignored(oneOf('no', ['no', 'yes', 'clients'])),
  'acl-pubsub-default': oneOf('resetchannels', ['allchannels', 'resetchannels']),
  aclfile: text('', 'immutable'),
  /** Empty: where the node listens. */
  'http-bind': ours(words(text('', 'immutable'))),
  'http-token': ours(password('immutable')),
  'http-token-file': ours(text('', 'immutable')),
  'tls-cert-file': text(''),
  'tls-key-file': text(''),
  'tls-key-file-pass': text(''),
  'tls-client-cert-file': text(''),
  'tls-client-key-file': text(''),
  'tls-client-key-file-pass': text(''),
  'tls-ca-cert-file': text(''),
  'tls-ca-cert-dir': text(''),
  'tls-dh-params-file': text(''),
  'tls-auth-clients': oneOf('yes', ['no', 'yes', 'optional']),
  'tls-protocols': text(''),
  'tls-ciphers': text(''),
  'tls-ciphersuites': text(''),
  'cluster-announce-ip': ignored(text(''), NO_CLUSTER),
  'cluster-announce-hostname': ignored(hostName(), NO_CLUSTER),
  'cluster-config-file': ignored(text('nodes.conf', 'immutable'), NO_CLUSTER),
  'cluster-preferred-endpoint-type': ignored(
    oneOf('ip', ['ip', 'hostname', 'unknown-endpoint']),
    NO_CLUSTER,
  ),
  unixsocket: text('', 'immutable'),
  supervised: oneOf('no', ['upstart', 'systemd', 'auto', 'no'], 'immutable'),
  'syslog-ident': text('redis', 'immutable'),
  'syslog-facility': oneOf('local0', FACILITIES, 'immutable'),
  'proc-title-template': processTitle('{title} {listen-addr} {server-mode}'),
  'latency-tracking-info-percentiles': words(percentiles('50 99 99.9')),
  'oom-score-adj': oneOf('no', ['no', 'yes', 'relative', 'absolute']),
  'oom-score-adj-values': words(oomScores('0 200 800')),
  'shutdown-on-sigint': words(shutdownWords()),
  'shutdown-on-sigterm': words(shutdownWords()),
  server_cpulist: ignored(text('', 'immutable'), SET_BY_SERVICE),
  bio_cpulist: ignored(text('', 'immutable'), SET_BY_SERVICE),
  aof_rewrite_cpulist: ignored(text('', 'immutable'), SET_BY_SERVICE),
  bgsave_cpulist: ignored(text('', 'immutable'), SET_BY_SERVICE),
  'ignore-warnings': ignored(text('')),
  /** For clients that read from a replica nearby; shown in INFO and HELLO, as Valkey does. */
  'availability-zone': text(''),
  ...NEIGHBOUR_TEXTS,
} as const satisfies Record<string, SettingType<string>>

export const LIMIT_SETTINGS = {
  'client-output-buffer-limit': words(outputLimits()),
} as const

/** The second name of a directive → its first. */
export const SETTING_ALIASES: ReadonlyMap<string, string> = new Map([
  ['slaveof', 'replicaof'],
  ['min-slaves-to-write', 'min-replicas-to-write'],
  ['min-slaves-max-lag', 'min-replicas-max-lag'],
  ['slave-priority', 'replica-priority'],
  ['slave-read-only', 'replica-read-only'],
  ['slave-serve-stale-data', 'replica-serve-stale-data'],
  ['slave-announce-ip', 'replica-announce-ip'],
  ['slave-announce-port', 'replica-announce-port'],
  ['slave-ignore-maxmemory', 'replica-ignore-maxmemory'],
  ['slave-lazy-flush', 'replica-lazy-flush'],
  ['repl-ping-slave-period', 'repl-ping-replica-period'],
  ['hash-max-ziplist-entries', 'hash-max-listpack-entries'],
  ['hash-max-ziplist-value', 'hash-max-listpack-value'],
  ['list-max-ziplist-size', 'list-max-listpack-size'],
  ['zset-max-ziplist-entries', 'zset-max-listpack-entries'],
  ['zset-max-ziplist-value', 'zset-max-listpack-value'],
  ['lua-time-limit', 'busy-reply-threshold'],
  ['cluster-slave-no-failover', 'cluster-replica-no-failover'],
  ['cluster-slave-validity-factor', 'cluster-replica-validity-factor'],
  ...NEIGHBOUR_ALIASES,
])

/** A setting of Valkey, which uses it only in a cluster: without one it has no effect there either. */
const FAILOVER = 'failover'

// A directive of several words at once, each of which says one thing: `save now`.

/**
 * `none`: the word for an empty choice, shown when there is no other. `others`: the others, in the
 * order they are shown. `conflict`: why some of them exclude each other; undefined: they do not.
 */
function flagWords(
  none: string,
  others: readonly string[],
  conflict: (given: ReadonlySet<string>) => string | undefined,
): SettingType<string> {
  const parse = (text: string): ParsedSetting<string> => {
    const given = new Set(text.toLowerCase().split(' '))
    const known = [none, ...others]
    for (const word of given) {
      if (known.includes(word) || word === FAILOVER) continue
      return refused(`argument(s) must be one of the following: ${known.join(', ')}`)
    }
    const reason = conflict(given)
    if (reason !== undefined) return refused(reason)
    return accepted(others.filter((word) => given.has(word)).join(' ') || none)
  }
  return { initial: none, access: 'mutable', parse, format: String }
}

/** What SIGINT or SIGTERM does besides ending the process. */
function shutdownWords(): SettingType<string> {
  return flagWords('default', ['save', 'nosave', 'now', 'force'], (given) =>
    given.has('save') && given.has('nosave')
      ? "shutdown options SAVE and NOSAVE can't be used simultaneously"
      : undefined,
  )
}
