/**
 * Directives that Redis 7.0 does not know: those of Redis 7.2 to 8 and of Valkey 7.2 to 9. A file that
 * starts one of these starts a node too. What has a meaning here is a second name of a directive of ours, or
 * stands in setting-table.ts; what stands in this table is accepted, shown, and without effect, with a note
 * of what does not happen if an operator would notice too late.
 */
import {
  ignored,
  integer,
  MAX_INT,
  MAX_LONG,
  memory,
  oneOf,
  type SettingType,
  text,
  words,
  yesNo,
} from './setting-types.ts'

const MIB = 1024 * 1024

const NO_CLUSTER = 'it is no node of a cluster'
const ONE_THREAD = 'one thread does everything'
const TCP_ONLY = 'it speaks plain TCP and TLS'
const ONE_CONNECTION = 'a full copy comes over the connection that the stream comes over'
const AS_REDIS_7_0 = 'OBJECT ENCODING names what Redis 7.0 would choose'
const NO_INSECURE_API = 'scripts never have these functions'
const TAKEN_AT_ONCE = 'connections are taken as they come'
const NO_DEFRAGMENTATION = 'the collector of garbage moves what it keeps'
const CERTIFICATES_WATCHED = 'certificates are read again when their files change'

export const NEIGHBOUR_INTS = {
  'active-defrag-cycle-us': ignored(integer(500, 0, 100_000), NO_DEFRAGMENTATION),
  'cluster-announce-client-port': ignored(integer(0, 0, 65_535), NO_CLUSTER),
  'cluster-announce-client-tls-port': ignored(integer(0, 0, 65_535), NO_CLUSTER),
  'cluster-blacklist-ttl': ignored(integer(60, 0, MAX_LONG), NO_CLUSTER),
  'cluster-compatibility-sample-ratio': ignored(integer(0, 0, 100), NO_CLUSTER),
  'cluster-databases': ignored(integer(1, 1, MAX_INT, 'immutable'), NO_CLUSTER),
  'cluster-manual-failover-timeout': ignored(integer(5000, 1), NO_CLUSTER),
  'cluster-ping-interval': ignored(integer(1000, 0, MAX_LONG), NO_CLUSTER),
  'cluster-slot-migration-handoff-max-lag-bytes': ignored(memory(MIB), NO_CLUSTER),
  'cluster-slot-migration-log-max-len': ignored(integer(1000, 0, MAX_LONG), NO_CLUSTER),
  'cluster-slot-migration-sync-buffer-drain-timeout': ignored(integer(60_000, 0), NO_CLUSTER),
  'cluster-slot-migration-write-pause-timeout': ignored(integer(10_000, 0), NO_CLUSTER),
  'events-per-io-thread': ignored(integer(2, 0), ONE_THREAD),
  lookahead: ignored(integer(16, 1)),
  'max-new-connections-per-cycle': ignored(integer(10, 1, 1000), TAKEN_AT_ONCE),
  'max-new-tls-connections-per-cycle': ignored(integer(1, 1, 1000), TAKEN_AT_ONCE),
  'min-io-threads-avoid-copy-reply': ignored(integer(7, 0), ONE_THREAD),
  'min-string-size-avoid-copy-reply': ignored(integer(16_384, 0), ONE_THREAD),
  'min-string-size-avoid-copy-reply-threaded': ignored(integer(65_536, 0), ONE_THREAD),
  'prefetch-batch-max-size': ignored(integer(16, 0, 128), ONE_THREAD),
  'rdma-completion-vector': ignored(integer(-1, -1, 1024, 'immutable'), TCP_ONLY),
  'rdma-port': ignored(integer(0, 0, 65_535), TCP_ONLY),
  'rdma-rx-size': ignored(memory(MIB), TCP_ONLY),
  'replica-full-sync-buffer-limit': ignored(memory(0), ONE_CONNECTION),
  'set-max-listpack-entries': ignored(integer(128, 0, MAX_LONG), AS_REDIS_7_0),
  'set-max-listpack-value': ignored(memory(64), AS_REDIS_7_0),
  'slot-migration-max-failover-repl-bytes': ignored(memory(0, -1), NO_CLUSTER),
  'tls-auto-reload-interval': ignored(integer(0, 0), CERTIFICATES_WATCHED),
  'watchdog-period': ignored(integer(0, 0), 'nothing watches the event loop from a thread'),
} as const satisfies Record<string, SettingType<number>>

export const NEIGHBOUR_FLAGS = {
  'cluster-slot-stats-enabled': ignored(yesNo(false), NO_CLUSTER),
  'debug-assert-enabled': ignored(yesNo(false, 'immutable'), 'all assertions are always on'),
  'dual-channel-replication-enabled': ignored(yesNo(false), ONE_CONNECTION),
  'enable-debug-assert': ignored(yesNo(false, 'immutable'), 'all assertions are always on'),
  'extended-redis-compatibility': ignored(yesNo(false), 'it always answers as Redis'),
  'hide-user-data-from-log': ignored(yesNo(true), 'the log never holds keys or values of clients'),
  'import-mode': ignored(yesNo(false), 'keys expire as ever'),
  'io-threads-always-active': ignored(yesNo(false), ONE_THREAD),
  'lazyexpire-nested-arbitrary-keys': ignored(yesNo(true)),
  'lua-enable-deprecated-api': ignored(yesNo(false, 'immutable'), NO_INSECURE_API),
  'lua-enable-insecure-api': ignored(yesNo(false), NO_INSECURE_API),
  'lua.enable-insecure-api': ignored(yesNo(false), NO_INSECURE_API),
  mptcp: ignored(yesNo(false, 'immutable'), TCP_ONLY),
  'repl-mptcp': ignored(yesNo(false), TCP_ONLY),
  'repl-rdb-channel': ignored(yesNo(false), ONE_CONNECTION),
  'use-exit-on-panic': ignored(yesNo(false)),
} as const satisfies Record<string, SettingType<boolean>>

export const NEIGHBOUR_TEXTS = {
  'cluster-announce-client-ipv4': ignored(text(''), NO_CLUSTER),
  'cluster-announce-client-ipv6': ignored(text(''), NO_CLUSTER),
  'cluster-announce-human-nodename': ignored(text(''), NO_CLUSTER),
  'cluster-config-save-behavior': ignored(oneOf('sync', ['sync', 'best-effort']), NO_CLUSTER),
  'hash-seed': ignored(text('', 'immutable'), 'the hash of keys is drawn at each start'),
  'locale-collate': ignored(text(''), 'SORT ALPHA compares bytes'),
  'log-timestamp-format': ignored(
    oneOf('legacy', ['legacy', 'iso8601', 'milliseconds']),
    'log-format says how a line is written',
  ),
  'rdb-version-check': ignored(
    oneOf('strict', ['strict', 'relaxed']),
    'a file of a version that is not known is refused',
  ),
  'rdma-bind': ignored(words(text('')), TCP_ONLY),
  'tls-auth-clients-user': ignored(text('off'), 'clients log in with AUTH or HELLO'),
  unixsocketgroup: ignored(text('', 'immutable'), 'the socket has the group of the process'),
} as const satisfies Record<string, SettingType<string>>

/** What Valkey calls directives that we have. */
export const NEIGHBOUR_ALIASES: readonly (readonly [theirs: string, ours: string])[] = [
  ['primaryauth', 'masterauth'],
  ['primaryuser', 'masteruser'],
  ['commandlog-execution-slower-than', 'slowlog-log-slower-than'],
  ['commandlog-slow-execution-max-len', 'slowlog-max-len'],
  ['server-cpulist', 'server_cpulist'],
  ['bio-cpulist', 'bio_cpulist'],
  ['aof-rewrite-cpulist', 'aof_rewrite_cpulist'],
  ['bgsave-cpulist', 'bgsave_cpulist'],
  ['slave-announced', 'replica-announced'],
]

/**
 * What older versions knew, and Redis 7.0 takes from a file without a look at the value: no settings, so CONFIG does not
 * show them.
 */
export const OBSOLETE_DIRECTIVES: readonly string[] = [
  'list-max-ziplist-entries',
  'list-max-ziplist-value',
  'lua-replicate-commands',
]
