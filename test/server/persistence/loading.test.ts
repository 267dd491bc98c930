/** Loading when the node starts: what works meanwhile, what comes of it, and what is never touched. */
import { describe, expect, test } from 'vitest'
import { SIMULATED_PROCESS } from '../../../src/server/port.ts'
import { spoolPath } from '../../../src/server/replication/serving/spool.ts'
import { keyspaceDigest } from '../../../src/server/values/digest.ts'
import { DataFiles } from '../../../src/sim/processes/data-files.ts'
import { NodeHarness } from '../../support/node-harness.ts'
import { restarted, SlowDisk, SlowFiles } from '../../support/slow-disk.ts'

/** What one turn reads. */
const SLICE_BYTES = 32 * 1024
/** Until so much is loaded nobody is answered. */
const QUIET_BYTES = 2 * 1024 * 1024
const LOADING = '-LOADING Redis is loading the dataset in memory\r\n'

/** What a node leaves behind that was told this. */
function filesOf(...lines: string[]): DataFiles {
  const files = new DataFiles()
  const client = restarted(files, { save: '' }).client()
  for (const line of lines) client.say(line)
  expect(client.say('SAVE')).toBe('+OK\r\n')
  return files
}

function loading(from: DataFiles, directives: Record<string, string> = {}): SlowDisk {
  const disk = new SlowFiles(true)
  for (const path of from.paths()) disk.install(path, from.read(path) ?? '')
  return new SlowDisk({ save: '', ...directives }, disk)
}

function large(): DataFiles {
  const files = new DataFiles()
  const client = restarted(files, { save: '', rdbcompression: 'no' }).client()
  for (let key = 0; key < 3000; key++) client.send('SET', `key ${key}`, `${key}`.repeat(300))
  client.say('SAVE')
  return files
}

describe('a node without files', () => {
  test('starts empty, and is ready', () => {
    const harness = new NodeHarness()
    expect([harness.isReady, harness.exitStatus]).toEqual([true, undefined])
    expect(harness.logs).toEqual(['Ready to accept connections'])
    expect(harness.client().say('DBSIZE')).toBe(':0\r\n')
  })
})

/** It has read so much that it answers, and there is more. */
function half(directives: Record<string, string> = {}): SlowDisk {
  const harness = loading(large(), directives)
  harness.answerUntil('read')
  for (let bytes = 0; bytes < QUIET_BYTES; bytes += SLICE_BYTES) harness.answer()
  expect([harness.asked, harness.isReady]).toEqual(['read', false])
  return harness
}

describe('before two MiB are loaded', () => {
  test('nobody is answered, and everybody is when that is all', () => {
    const harness = loading(filesOf('SET k v'))
    const [first, second] = [harness.client(), harness.client()]
    expect([first.say('PING'), second.say('GET k'), first.say('DBSIZE')]).toEqual(['', '', ''])
    harness.answerAll()
    expect([first.take(), second.take()]).toEqual(['+PONG\r\n:1\r\n', '$1\r\nv\r\n'])
  })

  test('who floods the node meanwhile is sent away', () => {
    const harness = loading(filesOf('SET k v'), { 'client-query-buffer-limit': '1mb' })
    const client = harness.client()
    for (let n = 0; n < 20; n++) client.send('APPEND', 'k', 'x'.repeat(100_000))
    harness.answerAll()
    expect(client.isClosed).toBe(true)
  })
})

describe('while it loads', () => {
  test.each([
    'PING',
    'GET k',
    'SET k 1',
    'DBSIZE',
    'SAVE',
    'BGSAVE',
    'BLPOP k 0',
    'PSYNC ? -1',
    'REPLICAOF 127.0.0.1 1',
    'WAIT 0 0',
  ])('%s is refused', (line) => {
    expect(half().client().say(line)).toBe(LOADING)
  })

  test('connections, AUTH, INFO, CONFIG and MULTI are served', () => {
    const harness = half({ requirepass: 'secret' })
    const client = harness.client()
    expect(client.say('INFO')).toMatch(/^-NOAUTH/)
    expect(client.say('AUTH secret')).toBe('+OK\r\n')
    expect(client.say('CONFIG GET save')).toBe('*2\r\n$4\r\nsave\r\n$0\r\n\r\n')
    expect(client.say('MULTI')).toBe('+OK\r\n')
    expect(harness.isReady).toBe(false)
  })

  test('INFO says how far it is, and how long it will take', () => {
    const harness = half()
    expect(harness.info('loading')).toBe('1')
    expect(harness.info('loading_eta_seconds')).toBe('1')
    const totalBytes = Number(harness.info('loading_total_bytes'))
    const loadedBytes = QUIET_BYTES + SLICE_BYTES
    expect(totalBytes).toBeGreaterThan(loadedBytes)
    harness.advance(3000)
    harness.answer()
    expect(harness.info('loading_loaded_bytes')).toBe(String(loadedBytes))
    expect(harness.info('loading_start_time')).toBe('1700000000')
    const percent = (loadedBytes / totalBytes) * 100
    expect(harness.info('loading_loaded_perc')).toBe(percent.toFixed(2))
    const eta = Math.floor((3 * (totalBytes - loadedBytes)) / (loadedBytes + 1))
    expect(harness.info('loading_eta_seconds')).toBe(String(eta))
    expect(harness.info('async_loading')).toBe('0')
    harness.answerAll()
    expect(harness.info('loading')).toBe('0')
    expect(harness.info('loading_total_bytes')).toBeUndefined()
    expect(harness.info('rdb_last_load_keys_loaded')).toBe('3000')
  })

  test('the log says how far it is every few seconds, and how long it took', () => {
    const harness = loading(large())
    while (harness.asked !== undefined) {
      harness.advance(2000)
      harness.answer()
    }
    const told = harness.logs.filter((line) => /^loading: \d+ % of \d+ bytes$/.test(line))
    expect(told.length).toBeGreaterThan(1)
    expect(harness.logs.at(-2)).toMatch(/^loaded 3000 keys in \d+\.\d{3} seconds$/)
    expect(harness.logs.at(-1)).toBe('Ready to accept connections')
  })

  test('no turn reads more than a quarter of a MiB', () => {
    const harness = loading(large())
    while (harness.asked !== undefined) {
      const request = harness.disk.held[0]?.request
      if (request?.kind === 'read') expect(request.maxBytes).toBeLessThanOrEqual(256 * 1024)
      harness.answer()
    }
    expect(harness.isReady).toBe(true)
  })

  test('SHUTDOWN ends the process and saves nothing', () => {
    const harness = half({ save: '1 1' })
    const before = harness.disk.read('dump.rdb')
    harness.client().say('SHUTDOWN')
    expect(harness.exitStatus).toBe(0)
    expect(harness.disk.read('dump.rdb')).toBe(before)
    expect(harness.asked).not.toBe('create')
  })

  test('so does SIGTERM', () => {
    const harness = loading(filesOf('SET k 1'), { save: '1 1' })
    harness.node.stopRequested(harness.now)
    expect(harness.exitStatus).toBe(0)
  })

  test('a replica does not connect to its master', () => {
    const harness = half({ replicaof: '127.0.0.1 1' })
    harness.advance(10_000)
    expect(harness.info('master_link_status')).toBe('down')
    harness.answerAll()
    expect(harness.isReady).toBe(true)
  })
})

describe('keys that have expired', () => {
  const files = () => filesOf('SET gone 1 PX 100', 'SET here 1 PX 100000', 'SET always 1')
  function startedLater(directives: Record<string, string> = {}): SlowDisk {
    const harness = loading(files(), { save: '', ...directives })
    harness.advance(5000)
    harness.answerAll()
    return harness
  }

  test('are left out by a master', () => {
    const harness = startedLater()
    const db = harness.node.keyspace.dbs[0]
    expect([...(db?.entries.keys() ?? [])].sort()).toEqual(['always', 'here'])
    expect([...(db?.expires.keys() ?? [])]).toEqual(['here'])
    expect(harness.info('rdb_last_load_keys_expired')).toBe('1')
    expect(harness.info('rdb_last_load_keys_loaded')).toBe('2')
    expect(harness.logs.some((line) => line.endsWith(', 1 had expired and were left out'))).toBe(
      true,
    )
  })

  test('are kept by a replica: its master decides', () => {
    const harness = startedLater({ replicaof: '127.0.0.1 1' })
    expect(harness.node.keyspace.dbs[0]?.entries.size).toBe(3)
    expect(harness.info('rdb_last_load_keys_expired')).toBe('0')
  })
})

describe('a file that cannot be used', () => {
  const sound =
    filesOf(
      'SET string 1',
      'RPUSH list a b c',
      'SADD set 1 2 three',
      'HSET hash field value',
      'PEXPIRE hash 100000',
    ).read('dump.rdb') ?? ''

  function startOn(bytes: string): NodeHarness {
    const files = new DataFiles()
    files.install('dump.rdb', bytes)
    return restarted(files, { save: '1 1' })
  }

  test('cut off at any byte is refused with the byte, and stays as it is', () => {
    for (let length = 0; length < sound.length; length++) {
      const harness = startOn(sound.slice(0, length))
      expect([length, harness.exitStatus, harness.isReady]).toEqual([length, 1, false])
      expect(harness.logs.join()).toMatch(/dump\.rdb is damaged at byte \d+: /)
      expect(Number(/at byte (\d+)/.exec(harness.logs.join())?.[1])).toBeLessThanOrEqual(length)
      harness.advance(10_000)
      expect(harness.files.paths()).toEqual(['dump.rdb'])
      expect(harness.files.read('dump.rdb')).toBe(sound.slice(0, length))
    }
  })

  test('with any byte changed is refused, or the checksum did not count', () => {
    for (let at = 0; at < sound.length; at++) {
      const flipped = String.fromCharCode(sound.charCodeAt(at) ^ 0x20)
      const harness = startOn(sound.slice(0, at) + flipped + sound.slice(at + 1))
      expect([at, harness.exitStatus]).toEqual([at, 1])
    }
  })

  test('whoever reads the log knows which file, where, and what to do', () => {
    const harness = startOn(sound.slice(0, -1))
    expect(harness.logs).toEqual([
      // The checksum is what is not all there.
      `the data cannot be loaded: ./dump.rdb is damaged at byte ${sound.length - 8}: it ends early. ` +
        'Nothing was changed. Put a sound copy in its place, or move it away to start without data; ' +
        'redis-check-rdb shows what can be read of it.',
    ])
  })

  test.each([
    [
      'of a newer server',
      'REDIS0013',
      /dump\.rdb cannot be read from byte 0 on: it has RDB version 13, and this/,
      /newer Vedette/,
    ],
    [
      'that is no dump',
      'PK\x03\x04 zip file',
      /from byte 0 on: this is not an RDB payload/,
      /dbfilename and dir/,
    ],
    [
      'with more databases',
      'REDIS0010\xfe\x14',
      /from byte 9 on: it has a database 20, and databases is 16/,
      /Give databases/,
    ],
    [
      'with the value of a module',
      `REDIS0010\x07\x01k${'\x81'}${'\x00'.repeat(8)}`,
      /in the value of key 'k': a value of/,
      /remove this key/,
    ],
  ])('one %s has its own way out', (_what, bytes, reason, wayOut) => {
    const { logs, exitStatus } = startOn(bytes)
    expect(exitStatus).toBe(1)
    expect(logs).toEqual([expect.stringMatching(reason)])
    expect(logs[0]).toMatch(wayOut)
  })

  test.each([
    ['EACCES', 'may not be read by this process', 'chown'],
    ['EISDIR', 'is a folder, not a file', 'Move away what stands in its place'],
    ['EIO', 'cannot be read at byte 0', 'dmesg'],
  ])('%s says what the system has against it, and the way out', (code, reason, wayOut) => {
    const harness = loading(filesOf('SET k 1'))
    harness.answerUntil('read')
    harness.fail(code)
    const text = harness.logs.join()
    expect([text, text]).toEqual([expect.stringContaining(reason), expect.stringContaining(wayOut)])
  })

  test('nobody gets at the data there are not, even if the process stays', () => {
    const harness = startOn('nonsense')
    expect(harness.client().say('SET k 1')).toBe('')
  })

  test('that the disk does not give is refused too', () => {
    const harness = loading(filesOf('SET k 1'))
    harness.answerUntil('read')
    harness.fail('EIO')
    expect(harness.exitStatus).toBe(1)
    expect(harness.logs.join()).toContain('dump.rdb cannot be read at byte 0: EIO')
  })

  test('what follows the checksum is of no concern', () => {
    expect(startOn(`${sound}rest`).isReady).toBe(true)
  })
})

describe('what an earlier process has left', () => {
  const own = `temp-${SIMULATED_PROCESS.processId}.rdb`

  test('halves of saves and of copies for replicas are removed, everything else stays', () => {
    const files = filesOf('SET k 1')
    for (const path of [
      own,
      'temp-77.rdb',
      'temp-sync-77-2.rdb',
      'temp-.rdb',
      'temp-7.rdb.bak',
      'other.rdb',
    ])
      files.install(path, 'x')
    restarted(files)
    expect(files.paths()).toEqual(['dump.rdb', 'other.rdb', 'temp-.rdb', 'temp-7.rdb.bak'])
  })

  test('a save and a copy of a process that runs still are left alone', () => {
    class Neighbour extends NodeHarness {
      override processFacts() {
        return { ...SIMULATED_PROCESS, isRunning: (id: number) => id === 77 }
      }
    }
    const files = filesOf('SET k 1')
    for (const id of [77, 78]) {
      files.install(`temp-${id}.rdb`, 'x')
      files.install(spoolPath(id, 1), 'x')
    }
    new Neighbour({}, false, {}, files)
    expect(files.paths()).toEqual(['dump.rdb', 'temp-77.rdb', 'temp-sync-77-1.rdb'])
  })
})

test('what was saved is loaded: every type, every database, every expiry', () => {
  const files = new DataFiles()
  const first = restarted(files, { save: '' })
  const client = first.client()
  for (const line of [
    'SET string value',
    'SET number 12345678901234567890',
    'SET short 1 PX 5000',
    'RPUSH list a b c',
    'SADD set 1 2 3',
    'SADD words a b c',
    'HSET hash f v g w',
    'PEXPIREAT hash 1800000000000',
    'SELECT 9',
    'SET string of-nine',
  ])
    client.say(line)
  client.send('SET', '\0\xff\r\n', '\x80\0')
  client.say('SAVE')
  const second = restarted(files)
  expect(keyspaceDigest(second.node.keyspace)).toBe(keyspaceDigest(first.node.keyspace))
  expect(second.client().say('INFO persistence')).toContain('rdb_changes_since_last_save:0\r\n')
})

describe('DEBUG RELOAD', () => {
  test('gives back the same data, and others wait meanwhile', () => {
    const harness = new SlowDisk({ save: '' })
    harness.disk.isSlow = true
    const [client, other] = [harness.client(), harness.client()]
    for (const line of ['SET k 1 PX 100000', 'RPUSH l a', 'SELECT 3', 'SADD s 1']) client.say(line)
    const before = keyspaceDigest(harness.node.keyspace)
    expect(client.say('DEBUG RELOAD')).toBe('')
    expect(other.say('INCR k')).toBe('')
    harness.answerAll()
    expect([client.take(), other.take()]).toEqual(['+OK\r\n', ':2\r\n'])
    other.say('DECR k')
    expect(keyspaceDigest(harness.node.keyspace)).toBe(before)
    expect(harness.node.keyspace.dbs[0]?.expires.has('k')).toBe(true)
  })

  test('with NOSAVE goes back to what was saved', () => {
    const client = restarted(filesOf('SET k 1')).client()
    client.say('SET k 2')
    expect(client.say('DEBUG RELOAD NOSAVE')).toBe('+OK\r\n')
    expect(client.say('GET k')).toBe('$1\r\n1\r\n')
    expect(client.say('INFO persistence')).toContain('rdb_changes_since_last_save:0\r\n')
  })

  test('a file that cannot be used costs nothing', () => {
    const harness = restarted(filesOf('SET k 1'))
    const client = harness.client()
    client.say('SET k 2')
    harness.files.install('dump.rdb', 'nonsense')
    expect(client.say('DEBUG RELOAD NOSAVE')).toMatch(
      /^-ERR Error trying to load the RDB dump: .*damaged at byte 0/,
    )
    expect(client.say('GET k')).toBe('$1\r\n2\r\n')
    expect(harness.exitStatus).toBeUndefined()
  })

  test('a save that fails leaves everything as it is', () => {
    const harness = new SlowDisk({ save: '' })
    harness.disk.isSlow = true
    const client = harness.client()
    client.say('SET k 1')
    client.say('DEBUG RELOAD')
    harness.fail()
    harness.answerAll()
    expect(client.take()).toMatch(/^-ERR Error trying to load the RDB dump: ENOSPC/)
    expect(client.say('GET k')).toBe('$1\r\n1\r\n')
  })
})

describe('a place in a replication history', () => {
  /** A master with one replica, and what it saved while that replica was online. */
  function saved() {
    const harness = new SlowDisk({ save: '' })
    harness.replica()
    const client = harness.client()
    client.say('SET short 1 PX 50')
    client.say('SELECT 3')
    client.say('SET k 1')
    const offset = Number(harness.info('master_repl_offset'))
    harness.disk.isSlow = true
    client.say('BGSAVE')
    client.say('SET k 2')
    harness.answerAll()
    return { files: harness.files, id: harness.info('master_replid') ?? '', offset }
  }

  /** What a replica is answered that stands there, up to a second later. */
  function askedBy(harness: NodeHarness, id: string, offset: number): string {
    const replica = harness.client()
    replica.send('REPLCONF', 'capa', 'psync2')
    const answer = replica.send('PSYNC', id, String(offset + 1))
    harness.advance(1000)
    return answer + replica.take()
  }

  test('is that of the moment the save began at, and replicas go on from there', () => {
    const { files, id, offset } = saved()
    const answer = askedBy(restarted(files), id, offset)
    expect(answer).toMatch(/^\+CONTINUE [0-9a-f]{40}\r\n/)
    expect(askedBy(restarted(files), id, offset + 1)).toMatch(/^\n?\+FULLRESYNC /)
  })

  test('replicas are told of the keys that expired meanwhile', () => {
    const { files, id, offset } = saved()
    const harness = loading(files)
    harness.advance(5000)
    harness.answerAll()
    expect(askedBy(harness, id, offset)).toContain('$3\r\nDEL\r\n$5\r\nshort\r\n')
  })

  test('a node that never had a replica has none', () => {
    const files = filesOf('SET k 1')
    expect(files.read('dump.rdb')).not.toContain('repl-id')
  })
})
