/**
 * Which of Redis' tests do not pass over our programs, and why; docs/redis-suite.md tells the kinds. `ends early` is no
 * test: its unit does not come to its end.
 */

const NO_CHILD = 'Inside: nothing is forked, so there is no child process to be killed or counted.'
const LOG = 'Inside: it waits for a text of the log of redis-server.'
const LISTENERS = 'Ours: what a node listens on does not change while it runs.'
const PLAIN_DEBUG = 'Inside: a subcommand of DEBUG that is not offered.'
const ENCODING = 'Ours: the encoding that is told follows the present content.'
const RESYNCS =
  'Ours: a replica that is offered another history asks for INFO first, and so the resynchronisations are counted otherwise.'
const NO_DEBUGGER =
  'Ours: SCRIPT DEBUG is not offered. What asks for it stands in no test, and ends the unit.'
const NO_BUFFER = 'Inside: there is no such buffer.'
const MORE_COMMANDS = 'Ours: it counts the commands of Sentinel, and there are more.'
const STATE_FILE =
  'Ours: it makes sentinel.conf unwritable, and Vedette writes a file of its own. Where that one cannot be written, the same error is given.'

/** That one ends in the middle, and leaves behind what these do not expect. */
const after = (name, tests) => because(`Follows from *${name}*.`, tests)

const because = (why, tests) => Object.fromEntries(tests.map((test) => [test, why]))

export const KNOWN = {
  'unit/auth': { 'MASTERAUTH test with binary password': LOG },
  'unit/type/set': {
    'SINTER with same integer elements but different encoding': ENCODING,
    'SRANDMEMBER with a dict containing long chain': NO_CHILD,
    ...after('SRANDMEMBER with a dict containing long chain', [
      'SMOVE basics - from regular set to intset',
      'SMOVE basics - from intset to regular set',
      'SMOVE non existing key',
      'SMOVE non existing src set',
      'SMOVE from regular set to non existing destination set',
      'SMOVE from intset to non existing destination set',
    ]),
  },
  'unit/other': {
    "Don't rehash if redis has child process": NO_CHILD,
    'Process title set as expected': 'Ours: the title begins with `vedette-server`.',
  },
  'unit/multi': {
    'MULTI with BGREWRITEAOF': NO_CHILD,
    'MULTI with config set appendonly': LOG,
  },
  'unit/aofrw': {
    'Turning off AOF kills the background writing child if any': LOG,
  },
  'unit/acl': because(
    'Ours: ACL LOAD closes the connections of users that have changed, as Redis 7.2 does.',
    ['ACL load and save', 'ACL load and save with restricted channels'],
  ),
  'unit/latency-monitor': {
    'LATENCY of expire events are correctly collected':
      'Ours: a set of a million members is freed too fast to be an event.',
  },
  'integration/replication': {
    'Slave is able to detect timeout during handshake': LOG,
    'ends early':
      'Ours: a script of three thousand million steps takes minutes here, and a unit is ended after six.',
  },
  'integration/replication-3': {
    'PFCOUNT updates cache on readonly replica': 'Ours: a replica changes nothing by itself.',
    ...after('PFCOUNT updates cache on readonly replica', [
      "PFCOUNT doesn't use expired key on readonly replica",
    ]),
  },
  'integration/replication-4': {
    'Data divergence can happen under default conditions': LOG,
  },
  'integration/replication-buffer': because('Ours: a full copy is no save in INFO.', [
    'Executing test client: assertion:fail to sync with replicas.',
    'ends early',
  ]),
  'integration/shutdown': because(LOG, [
    'Shutting down master waits for replica to catch up (sigterm)',
    'Shutting down master waits for replica to catch up (shutdown)',
    'Shutting down master waits for replica then fails',
  ]),
  'integration/aof': {
    'AOF fsync always barrier issue': PLAIN_DEBUG,
    'EVAL timeout with slow verbatim Lua script from AOF':
      'Ours: a script of a file runs in one go while the file is loaded.',
  },
  'integration/aof-multi-part': {
    'AOF multiple rewrite failures will open multiple INCR AOFs': NO_CHILD,
    // It leaves behind a rewrite that takes hours, as it was told.
    ...after('AOF multiple rewrite failures will open multiple INCR AOFs', ['ends early']),
  },
  'integration/rdb': because(NO_CHILD, [
    'Test child sending info',
    'failed bgsave prevents writes',
  ]),
  'integration/logging': because('Inside: there is no crash report of a C program.', [
    'Crash report generated on SIGABRT',
    'Crash report generated on DEBUG SEGFAULT',
  ]),
  'integration/psync2-pingoff': {
    'test various edge cases of repl topology changes with missing pings at the end': RESYNCS,
  },
  'integration/psync2-master-restart': {
    'PSYNC2: Full resync after Master restart when too many key expired': RESYNCS,
  },
  'unit/scripting': {
    'Binary code loading failed': 'Ours: `string.dump` is refused.',
    'SHUTDOWN NOSAVE can kill a timedout script anyway':
      'Ours: for some milliseconds a connection is taken and closed, not refused.',
    ...because(NO_DEBUGGER, [
      'ata node has no debugger for scripts',
      'Executing test client: key "pid" not known in dictionary.',
      'ends early',
    ]),
    'EVAL does not leak in the Lua stack': 'Ours: `used_memory_lua` counts garbage, too.',
  },
  'unit/functions': {
    ...because('Ours: DEBUG RELOAD knows no MERGE and no NOFLUSH.', [
      'FUNCTION - test debug reload different options',
      'FUNCTION - test debug reload with nosave and noflush',
    ]),
    ...because('Ours: DEBUG LOADAOF is refused on a replica.', [
      'FUNCTION can processes create, delete and flush commands in AOF when doing "debug loadaof" in read-only slaves',
      'RELOAD and LOADAOF on a replica would lose what its master sends meanwhile',
    ]),
  },
  'unit/introspection': because(LISTENERS, ['CONFIG sanity', 'CONFIG SET rollback on apply error']),
  'unit/obuf-limits': because('Ours: long replies are written in slices, and counts are bounded.', [
    'No response for multi commands in pipeline if client output buffer limit is enforced',
    'Obuf limit, HRANDFIELD with huge count stopped mid-run',
    'Obuf limit, KEYS stopped mid-run',
  ]),
  'unit/memefficiency': because('Ours: objects of JavaScript are larger.', [
    'Memory efficiency with values in range 32',
    'Memory efficiency with values in range 64',
    'Memory efficiency with values in range 128',
  ]),
  'unit/lazyfree': {
    'lazy free a stream with all types of metadata': 'Ours: `lazyfreed_objects` stays 0.',
  },
  'unit/pause': {
    'Test when replica paused, offset would not grow':
      'Ours: CLIENT PAUSE holds back clients, and not the stream of the master.',
  },
  'unit/querybuf': because(NO_BUFFER, [
    'query buffer resized correctly',
    'query buffer resized correctly when not idle',
  ]),
  'unit/replybufsize': { 'verify reply buffer limits': NO_BUFFER },
  'unit/oom-score-adj': { 'CONFIG SET oom-score-adj works as expected': NO_CHILD },
  'unit/shutdown': {
    'Temp rdb will be deleted if we use bg_unlink when shutdown': NO_CHILD,
    'Temp rdb will be deleted in signal handle':
      'Ours: a second SIGINT ends the wait for replicas, and never the save.',
  },
  'unit/tls': { 'TLS: switch between tcp and tls ports': LISTENERS },
  'unit/networking': because(LISTENERS, [
    " SET failed (possibly related to argument 'port') - can't set immutable config",
    'CONFIG SET port number',
    'CONFIG SET bind address',
    'Default bind address configuration handling',
    'Protected mode works as expected',
  ]),
  'unit/client-eviction': {
    'client evicted due to large argv':
      'Ours: a command that has ended keeps no memory of its words.',
    'avoid client eviction when client is freed by output buffer limit': NO_BUFFER,
  },
  sentinel: {
    'Sentinel commands sanity check': MORE_COMMANDS,
    'Sentinel Set with other error situations': STATE_FILE,
  },
  'sentinel/nodes': {
    'Sentinel commands sanity check': MORE_COMMANDS,
    'Sentinel Set with other error situations': STATE_FILE,
    '(init) Create a master-slaves cluster of 5 instances':
      'Ours: a master that is told to end hands over first, so that the test before is over while a node still loads slowly, as it was told.',
  },
}

const ACKNOWLEDGED =
  'Ours: a replica counts from its first acknowledgement, which comes within a second.'
const TOO_EARLY = 'Inside: it looks before the bytes are there.'

/** Those that pass in one run and fail in another. */
export const SOMETIMES = {
  // How far this unit comes before its time is over depends on the machine.
  'integration/replication': {
    ...because(
      'Ours: a copy is taken beside the old data, and INFO does not call that loading; or Inside: a text of the log of that.',
      [
        'Diskless load swapdb (different replid): replica enter loading',
        'Diskless load swapdb (different replid): old database is exposed after replication fails',
        'Diskless load swapdb (async_loading): replica enter async_loading',
        'Diskless load swapdb (async_loading): old database is exposed while async replication is in progress',
        'Blocked commands and configs during async-loading',
        'diskless loading short read',
        'diskless no replicas drop during rdb pipe',
        'diskless slow replicas drop during rdb pipe',
        'diskless fast replicas drop during rdb pipe',
        'diskless all replicas drop during rdb pipe',
        'diskless timeout replicas drop during rdb pipe',
      ],
    ),
    ...because(
      'Ours: a transaction lies in the backlog as one piece, longer than `repl-backlog-size`, and the replica goes on before it.',
      [
        'Diskless load swapdb (async_loading): new database is exposed after swapping',
        'Diskless load swapdb (async_loading): old database is exposed after async replication fails',
      ],
    ),
  },
  'integration/replication-4': because(ACKNOWLEDGED, [
    'With min-slaves-to-write (1,3): master should be writable',
    'With min-slaves-to-write function without no-write flag',
  ]),
  'unit/client-eviction': because(TOO_EARLY, [
    'client evicted due to percentage of maxmemory',
    'client evicted due to large multi buf',
  ]),
  'sentinel/nodes': {
    'Sentinels (re)connection following master ACL change':
      'Ours: our Sentinels take longer to start, and where that takes longer than down-after on a busy machine, there is a failover.',
  },
}

const NO_CLUSTER = 'Ours: there is no cluster.'

/** Units that are not run, and why. */
export const LEFT_OUT = {
  'integration/corrupt-dump':
    'Inside: half of it waits for the crash of redis-server, or for texts of its log. `npm run test:hostile` does such things to our node.',
  ...because(NO_CLUSTER, [
    'unit/cluster',
    'unit/cluster-scripting',
    'unit/cluster/misc',
    'unit/cluster/links',
  ]),
}
