/** DEBUG subcommands that change how the node behaves; the replies are compared in test/diff/commands/debug.txt. */
import { describe, expect, test } from 'vitest'
import { DataFiles } from '../../../src/sim/processes/data-files.ts'
import { NodeHarness } from '../../support/node-harness.ts'
import { restarted } from '../../support/slow-disk.ts'

describe('DEBUG LOADAOF', () => {
  const WITH_FILE = { save: '', appendonly: 'yes', 'enable-debug-command': 'yes' }

  test('puts back what the file says, and only that', () => {
    const node = restarted(new DataFiles(), WITH_FILE)
    const client = node.client()
    client.say('SET kept 1')
    client.say('RPUSH list a b c')
    client.say('DEBUG POPULATE 5 untold')
    const before = client.say('DEBUG DIGEST-VALUE list')
    expect(client.say('DEBUG LOADAOF')).toBe('+OK\r\n')
    expect(client.say('DBSIZE')).toBe(':2\r\n')
    expect(client.say('DEBUG DIGEST-VALUE list')).toBe(before)
    client.say('SET later 1')
    expect(client.say('DEBUG LOADAOF')).toBe('+OK\r\n')
    expect(client.say('DBSIZE')).toBe(':3\r\n')
    expect(client.say('INFO persistence')).toContain('aof_rewrite_in_progress:0\r\n')
  })

  test('puts back the functions of the file, and only those', () => {
    const node = restarted(new DataFiles(), { ...WITH_FILE, 'aof-use-rdb-preamble': 'no' })
    const client = node.client()
    const library = (name: string, result: string) =>
      `#!lua name=${name}\nredis.register_function('${name}', function() return '${result}' end)`
    client.send('FUNCTION', 'LOAD', library('kept', 'old'))
    client.send('FUNCTION', 'LOAD', 'REPLACE', library('kept', 'new'))
    client.send('FUNCTION', 'LOAD', library('gone', 'x'))
    client.send('FUNCTION', 'DELETE', 'gone')
    expect(client.say('DEBUG LOADAOF')).toBe('+OK\r\n')
    expect(client.say('FCALL kept 0')).toBe('$3\r\nnew\r\n')
    expect(client.say('FUNCTION LIST')).not.toContain('gone')
    expect(node.logs.join('\n')).not.toContain("'FUNCTION' failed")
  })

  test('without a file is refused, and nothing is lost', () => {
    const client = new NodeHarness().client()
    client.say('SET k v')
    expect(client.say('DEBUG LOADAOF')).toContain('append-only file: there is none')
    expect(client.say('GET k')).toBe('$1\r\nv\r\n')
  })

  test('loads what BGREWRITEAOF wrote while appendonly is no', () => {
    const disk = new DataFiles()
    const OFF = { save: '', 'enable-debug-command': 'yes' }
    for (const preamble of ['yes', 'no']) {
      const node = restarted(disk, { ...OFF, 'aof-use-rdb-preamble': preamble })
      const client = node.client()
      client.bytes('SET kept 1\r\nRPUSH list a b c\r\n')
      const before = client.say('DEBUG DIGEST')
      expect(client.say('BGREWRITEAOF')).toContain('rewriting started')
      node.advance(1)
      client.bytes('SET later 1\r\nDEL list\r\n')
      expect(client.say('DEBUG LOADAOF')).toBe('+OK\r\n')
      expect(client.say('DEBUG DIGEST')).toBe(before)
    }
    // Another process finds the files, too.
    const client = restarted(disk, OFF).client()
    expect(client.say('DEBUG LOADAOF')).toBe('+OK\r\n')
    expect(client.say('GET kept')).toBe('$1\r\n1\r\n')
  })

  test('in a transaction is refused', () => {
    const client = restarted(new DataFiles(), WITH_FILE).client()
    client.say('MULTI')
    client.say('DEBUG LOADAOF')
    expect(client.say('EXEC')).toContain('which a transaction has not')
  })
})

test('DEBUG PAUSE-CRON stops what is done by the clock, and the end of it catches up', () => {
  const node = new NodeHarness()
  const client = node.client()
  client.say('DEBUG PAUSE-CRON 1')
  client.say('SET k v PX 10')
  node.advance(60_000)
  expect(client.say('INFO keyspace')).toContain('keys=1')
  client.say('DEBUG PAUSE-CRON 0')
  node.advance(1000)
  expect(client.say('INFO keyspace')).not.toContain('keys=1')
})

test('DEBUG SLEEP counts as the time of the command, and of what runs it', () => {
  const node = new NodeHarness({ 'latency-monitor-threshold': '1' })
  const client = node.client()
  client.say('MULTI')
  client.say('DEBUG SLEEP 0.5')
  client.say('EXEC')
  node.advance(500)
  expect(client.take()).toContain('+OK\r\n')
  expect(client.say('SLOWLOG LEN')).toBe(':1\r\n')
  expect(client.say('LATENCY LATEST')).toContain('\r\n:500\r\n:500\r\n')
  const stats = client.say('INFO commandstats')
  expect(stats).toMatch(/cmdstat_debug:calls=1,usec=500000,/)
  expect(stats).toMatch(/cmdstat_exec:calls=1,usec=500000,/)
})

test('DEBUG SLEEP in a transaction holds up whom it would serve, and what expires meanwhile is not served', () => {
  const node = new NodeHarness()
  const [client, waiting] = [node.client(), node.client()]
  const replica = node.replica()
  waiting.say('BRPOP k kept 0')
  const transaction = [
    'MULTI',
    'RPUSH k x',
    'PEXPIRE k 100',
    'RPUSH kept y',
    'DEBUG SLEEP 0.2',
    'EXEC',
  ]
  for (const line of transaction) client.say(line)
  expect(waiting.take()).toBe('')
  node.advance(200)
  expect(waiting.take()).toBe('*2\r\n$4\r\nkept\r\n$1\r\ny\r\n')
  expect(replica.told().slice(-2)).toEqual(['DEL k', 'RPOP kept'])
})

test('DEBUG SET-DISABLE-DENY-SCRIPTS lets scripts and functions call commands that are not for them', () => {
  const client = new NodeHarness().client()
  const ask = () => client.send('EVAL', "return redis.call('DEBUG', 'PROTOCOL', 'integer')", '0')
  expect(ask()).toMatch(/^-ERR This Redis command is not allowed from script/)
  expect(client.say('DEBUG SET-DISABLE-DENY-SCRIPTS 1')).toBe('+OK\r\n')
  expect(ask()).toBe(':12345\r\n')
  client.send(
    'FUNCTION',
    'LOAD',
    "#!lua name=f\nredis.register_function('f', function() return redis.call('CLIENT', 'LIST') end)",
  )
  expect(client.say('FCALL f 0')).toContain('cmd=fcall')
  expect(client.say('DEBUG SET-DISABLE-DENY-SCRIPTS 0')).toBe('+OK\r\n')
  expect(ask()).toMatch(/^-ERR This Redis command is not allowed from script/)
})

test('DEBUG SET-SKIP-CHECKSUM-VALIDATION lets RESTORE take any checksum, and nothing else', () => {
  const client = new NodeHarness().client()
  client.say('SET k v')
  const dumped = client.say('DUMP k').split('\r\n').slice(1).join('\r\n').slice(0, -2)
  const damaged = `${dumped.slice(0, -1)}${String.fromCharCode(dumped.charCodeAt(dumped.length - 1) ^ 1)}`
  expect(client.send('RESTORE', 'l', '0', damaged)).toContain(
    'payload version or checksum are wrong',
  )
  client.say('DEBUG SET-SKIP-CHECKSUM-VALIDATION 1')
  expect(client.send('RESTORE', 'l', '0', damaged)).toBe('+OK\r\n')
  expect(client.send('RESTORE', 'm', '0', `\xff${damaged}`)).toContain('Bad data format')
  client.say('DEBUG SET-SKIP-CHECKSUM-VALIDATION 0')
  expect(client.send('RESTORE', 'n', '0', damaged)).toContain(
    'payload version or checksum are wrong',
  )
})

test('DEBUG CONFIG-REWRITE-FORCE-ALL is CONFIG REWRITE', () => {
  const node = new NodeHarness({}, true)
  node.client().say('CONFIG SET hz 20')
  expect(node.client().say('DEBUG CONFIG-REWRITE-FORCE-ALL')).toBe('+OK\r\n')
  expect(node.saved.at(-1)?.get('hz')).toBe('20')
})

test('DEBUG POPULATE tells no replica', () => {
  const node = new NodeHarness()
  const replica = node.replica()
  node.client().say('DEBUG POPULATE 10')
  node.client().say('DEBUG REPLICATE SET only there')
  expect(replica.told()).toEqual(['SELECT 0', 'SET only there'])
})

test('DEBUG SEGFAULT and its kin end the process without saving', () => {
  for (const word of ['SEGFAULT', 'panic', 'ASSERT', 'oom']) {
    const node = new NodeHarness({ save: '1 1' })
    const client = node.client()
    client.say('SET k v')
    client.say(`DEBUG ${word}`)
    expect([node.exitStatus, node.files.paths()]).toEqual([1, []])
  }
})

test('DEBUG CHANGE-REPL-ID begins a history under another id', () => {
  const client = new NodeHarness().client()
  const id = () => /master_replid:(\w+)/.exec(client.say('INFO replication'))?.[1]
  const before = id()
  client.say('DEBUG CHANGE-REPL-ID')
  expect(id()).not.toBe(before)
  expect(client.say('INFO replication')).toContain(`master_replid2:${'0'.repeat(40)}`)
})

test('DEBUG STRINGMATCH-LEN says whether so many letters match, in time', () => {
  const client = new NodeHarness().client()
  expect(client.say('DEBUG STRINGMATCH-LEN 100000 a*a')).toBe(':1\r\n')
  expect(client.say('DEBUG STRINGMATCH-LEN 50000 a*a*b')).toBe(':0\r\n')
  expect(client.say('DEBUG STRINGMATCH-LEN 9999999999 a')).toMatch(/^-ERR/)
})

test('DEBUG HTSTATS and SDSLEN have what programs look for', () => {
  const client = new NodeHarness().client()
  client.say('SET key value PX 100000')
  client.say('HSET h f v')
  expect(client.say('DEBUG HTSTATS 0')).toMatch(
    /\[Dictionary HT\].*elements: 2.*\[Expires HT\].*: 1/s,
  )
  expect(client.say('DEBUG HTSTATS-KEY h')).toMatch(/not represented/)
  client.say('CONFIG SET hash-max-listpack-entries 0')
  expect(client.say('DEBUG HTSTATS-KEY h')).toMatch(/number of elements: 1/)
  expect(client.say('DEBUG SDSLEN key')).toMatch(/key_sds_len:3, .*val_sds_len:5, /)
})
