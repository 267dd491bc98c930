/** Saving: who is answered what and when, what is left of a save that does not succeed, and what follows. */
import { describe, expect, test } from 'vitest'
import type { FileRequest } from '../../../src/server/persistence/files.ts'
import { keyspaceDigest } from '../../../src/server/values/digest.ts'
import { tableOf } from '../../support/key-tables.ts'
import { restarted, SlowDisk, SlowFiles } from '../../support/slow-disk.ts'

const OK = '+OK\r\n'
const STARTED = '+Background saving started\r\n'
const SCHEDULED = '+Background saving scheduled\r\n'
const RUNS = '-ERR Background save already in progress\r\n'
const MISCONF = /^-MISCONF Redis is configured to save RDB snapshots/

function slow(directives: Record<string, string> = {}): SlowDisk {
  const harness = new SlowDisk({ save: '', ...directives })
  harness.disk.isSlow = true
  return harness
}

describe('SAVE', () => {
  test('is answered when the file is safe, and blocks nobody but its client', () => {
    const harness = slow()
    const [saver, other] = [harness.client(), harness.client()]
    saver.say('SET k 1')
    expect(saver.say('SAVE')).toBe('')
    expect(saver.say('GET k')).toBe('')
    expect(other.say('SET k 2')).toBe(OK)
    harness.answerUntil('rename')
    expect([saver.take(), harness.disk.read('dump.rdb')]).toEqual(['', undefined])
    harness.answer()
    expect(saver.take()).toBe(`${OK}$1\r\n2\r\n`)
    expect(restarted(harness.files).client().say('GET k')).toBe('$1\r\n1\r\n')
  })

  test('is refused while a save runs, and inside MULTI', () => {
    const harness = slow()
    const client = harness.client()
    client.say('BGSAVE')
    expect(client.say('SAVE')).toBe(RUNS)
    client.say('MULTI')
    expect(client.say('SAVE')).toBe('-ERR Command not allowed inside a transaction\r\n')
  })

  test('waits until a transfer to a replica is over', () => {
    const harness = slow()
    harness.node.services.snapshotTurn.take('transfer')
    const client = harness.client()
    expect(client.say('SAVE')).toBe('')
    harness.advance(10_000)
    expect(harness.asked).toBeUndefined()
    harness.node.services.snapshotTurn.release('transfer')
    harness.advance(1)
    harness.answerAll()
    expect(client.take()).toBe(OK)
  })

  test('a client that is unblocked waits no longer, and the save goes on', () => {
    const harness = slow()
    const [saver, other] = [harness.client(), harness.client()]
    saver.say('SAVE')
    expect(other.say(`CLIENT UNBLOCK ${saver.id}`)).toBe(':1\r\n')
    expect(saver.take()).toMatch(/^-ERR /)
    saver.say('BLPOP list 0')
    harness.answerAll()
    expect(saver.take()).toBe('')
    expect(harness.disk.paths()).toEqual(['dump.rdb'])
  })
})

describe('BGSAVE', () => {
  test('is answered at once, and LASTSAVE moves when it is done', () => {
    const harness = slow()
    const client = harness.client()
    const before = client.say('LASTSAVE')
    harness.advance(5000)
    expect(client.say('BGSAVE')).toBe(STARTED)
    expect(client.say('BGSAVE')).toBe(RUNS)
    expect(client.say('BGSAVE SCHEDULE')).toBe(RUNS)
    expect(harness.info('rdb_bgsave_in_progress')).toBe('1')
    expect(client.say('LASTSAVE')).toBe(before)
    harness.advance(2000)
    expect(harness.info('rdb_current_bgsave_time_sec')).toBe('2')
    harness.answerAll()
    expect(harness.info('rdb_bgsave_in_progress')).toBe('0')
    expect(harness.info('rdb_current_bgsave_time_sec')).toBe('-1')
    expect(harness.info('rdb_last_bgsave_time_sec')).toBe('2')
    expect(harness.info('rdb_saves')).toBe('1')
    expect(client.say('LASTSAVE')).toBe(`:${Math.floor(harness.wallMs / 1000)}\r\n`)
  })

  test.each(['BGSAVE now', 'BGSAVE SCHEDULE now'])('%s is a syntax error', (line) => {
    expect(slow().client().say(line)).toBe('-ERR syntax error\r\n')
  })

  test('with SCHEDULE waits for its turn, without it does not', () => {
    const harness = slow()
    const client = harness.client()
    harness.node.services.snapshotTurn.take('rewrite')
    expect(client.say('BGSAVE')).toMatch(/^-ERR Another child process is active \(AOF\?\): can't/)
    expect(client.say('BGSAVE SCHEDULE')).toBe(SCHEDULED)
    harness.advance(1000)
    expect(harness.asked).toBeUndefined()
    harness.node.services.snapshotTurn.release('rewrite')
    harness.advance(1)
    expect(harness.asked).toBe('create')
    harness.answerAll()
    harness.advance(60_000)
    expect(harness.info('rdb_saves')).toBe('1')
  })

  test('inside EXEC is scheduled, and takes the data as EXEC leaves them', () => {
    const harness = slow()
    const client = harness.client()
    for (const line of ['MULTI', 'SET k 1', 'BGSAVE', 'SET k 2']) client.say(line)
    expect(client.say('EXEC')).toBe(`*3\r\n${OK}${SCHEDULED}${OK}`)
    harness.answerAll()
    expect(restarted(harness.files).client().say('GET k')).toBe('$1\r\n2\r\n')
  })

  test('never has more than one request at the disk, and none above a MiB', () => {
    const harness = slow()
    const client = harness.client()
    client.send('SET', 'large', 'x'.repeat(5 * 1024 * 1024))
    for (let key = 0; key < 2000; key++) client.send('SET', `key ${key}`, 'y'.repeat(500))
    client.say('BGSAVE')
    let appended = 0
    while (harness.asked !== undefined) {
      expect(harness.disk.held.length).toBe(1)
      const request = harness.disk.held[0]?.request as FileRequest
      if (request.kind === 'append') {
        expect(request.bytes.length).toBeLessThanOrEqual(1024 * 1024)
        appended++
      }
      harness.answer()
    }
    expect(appended).toBeGreaterThan(10)
    const loaded = restarted(harness.files)
    expect(keyspaceDigest(loaded.node.keyspace)).toBe(keyspaceDigest(harness.node.keyspace))
  })
})

describe('changes since the last save', () => {
  test('are those since the snapshot began', () => {
    const harness = slow()
    const client = harness.client()
    for (const key of ['a', 'b', 'c']) client.say(`SET ${key} 1`)
    client.say('BGSAVE')
    client.say('SET d 1')
    expect(harness.info('rdb_changes_since_last_save')).toBe('4')
    harness.answerAll()
    expect(harness.info('rdb_changes_since_last_save')).toBe('1')
  })

  test('are all there still when the save fails', () => {
    const harness = slow()
    const client = harness.client()
    client.say('SET a 1')
    client.say('BGSAVE')
    client.say('SET b 1')
    harness.fail()
    harness.answerAll()
    expect(harness.info('rdb_changes_since_last_save')).toBe('2')
  })
})

describe.each<FileRequest['kind']>(['create', 'append', 'sync', 'rename'])('%s fails', (kind) => {
  function failed(): SlowDisk {
    const harness = slow({ save: '3600 1' })
    const client = harness.client()
    client.say('SET k old')
    client.say('BGSAVE')
    harness.answerAll()
    client.say('SET k new')
    client.say('BGSAVE')
    harness.answerUntil(kind)
    harness.fail()
    harness.answerAll()
    return harness
  }

  test('the old file stays, nothing else does, and the next save may begin', () => {
    const harness = failed()
    expect(harness.disk.paths()).toEqual(['dump.rdb'])
    expect(restarted(harness.files).client().say('GET k')).toBe('$3\r\nold\r\n')
    expect(harness.node.services.snapshotTurn.isFree).toBe(true)
    expect(harness.node.keyspace.beforeChange).toBeUndefined()
  })

  test('writes and PING are refused until a save succeeds', () => {
    const harness = failed()
    const client = harness.client()
    expect(client.say('SET k newer')).toMatch(MISCONF)
    expect(client.say('PING')).toMatch(MISCONF)
    expect(client.say('GET k')).toBe('$3\r\nnew\r\n')
    expect(harness.info('rdb_last_bgsave_status')).toBe('err')
    client.say('BGSAVE')
    harness.answerAll()
    expect(client.say('SET k newer')).toBe(OK)
    expect(harness.info('rdb_last_bgsave_status')).toBe('ok')
  })

  test('the reason is logged once, however often it is tried', () => {
    const harness = failed()
    harness.client().say('BGSAVE')
    harness.answerUntil(kind)
    harness.fail()
    harness.answerAll()
    expect(harness.logs.filter((line) => line.includes('ENOSPC'))).toEqual([
      'cannot save dump.rdb: ENOSPC',
    ])
  })

  test('SAVE says so, and does not stop writes by that alone', () => {
    const harness = slow({ save: '3600 1' })
    const client = harness.client()
    client.say('SAVE')
    harness.answerUntil(kind)
    harness.fail()
    harness.answerAll()
    expect(client.take()).toBe('-ERR\r\n')
    expect(client.say('SET k 1')).toBe(OK)
  })
})

describe('MISCONF', () => {
  function stopped(): SlowDisk {
    const harness = slow({ save: '3600 1' })
    harness.client().say('BGSAVE')
    harness.fail()
    harness.answerAll()
    return harness
  }

  test('comes before NOREPLICAS and READONLY, and after NOAUTH', () => {
    const harness = stopped()
    const client = harness.client()
    client.say('CONFIG SET min-replicas-to-write 3')
    expect(client.say('SET k 1')).toMatch(MISCONF)
    client.say('REPLICAOF 127.0.0.1 1')
    expect(client.say('SET k 1')).toMatch(MISCONF)
    expect(client.say('PING')).toMatch(MISCONF)
    client.say('CONFIG SET requirepass secret')
    expect(harness.client().say('SET k 1')).toMatch(/^-NOAUTH/)
  })

  test('ends by itself when the disk has room, though no save point is due', () => {
    const harness = stopped()
    const client = harness.client()
    expect(client.say('SET k 1')).toMatch(MISCONF)
    harness.advance(5000)
    expect(harness.asked).toBeUndefined()
    harness.advance(1)
    harness.answerAll()
    expect(client.say('SET k 1')).toBe(OK)
  })

  test('that does not stop writes leaves the next save to the save points', () => {
    const harness = stopped()
    harness.client().say('CONFIG SET stop-writes-on-bgsave-error no')
    harness.advance(60_000)
    expect(harness.asked).toBeUndefined()
  })

  test('breaks a transaction that was to write', () => {
    const harness = stopped()
    const client = harness.client()
    client.say('MULTI')
    expect(client.say('SET k 1')).toMatch(MISCONF)
    expect(client.say('EXEC')).toMatch(/^-EXECABORT/)
  })

  test.each(['stop-writes-on-bgsave-error no', 'save '])('ends with CONFIG SET %s', (setting) => {
    const client = stopped().client()
    client.bytes(`*4\r\n$6\r\nCONFIG\r\n$3\r\nSET\r\n`)
    const [name = '', value = ''] = setting.split(' ')
    client.bytes(`$${name.length}\r\n${name}\r\n$${value.length}\r\n${value}\r\n`)
    expect(client.say('SET k 1')).toBe(OK)
  })
})

describe('save points', () => {
  test('are reached when both the changes and the time are there', () => {
    const harness = slow({ save: '10 2' })
    const client = harness.client()
    client.say('SET a 1')
    harness.advance(60_000)
    expect(harness.asked).toBeUndefined()
    client.say('SET b 1')
    harness.advance(1)
    expect(harness.asked).toBe('create')
    harness.answerAll()
    client.say('MSET a 2 b 2')
    client.say('SET a 3')
    harness.advance(10_000)
    expect(harness.asked).toBeUndefined()
    harness.advance(1)
    expect(harness.asked).toBe('create')
  })

  test('nothing is woken for them while nothing changes', () => {
    const harness = slow({ save: '10 1' })
    const idleMs = harness.node.nextWakeUpMs() ?? Number.POSITIVE_INFINITY
    harness.client().say('SET a 1')
    expect(harness.node.nextWakeUpMs()).toBeLessThanOrEqual(10_001)
    expect(idleMs).not.toBe(10_001)
  })

  test('after a failure the next try comes after five seconds', () => {
    const harness = slow({ save: '1 1' })
    harness.client().say('SET a 1')
    harness.advance(1001)
    harness.fail()
    harness.answerAll()
    harness.advance(5000)
    expect(harness.asked).toBeUndefined()
    harness.advance(1)
    expect(harness.asked).toBe('create')
  })

  test.each([
    ['BGSAVE', STARTED],
    ['SAVE', ''],
  ])('%s during such a try is no second save at once, but the next one', (request, answer) => {
    const harness = slow({ save: '1 1' })
    const client = harness.client()
    client.say('SET a 1')
    harness.advance(1001)
    harness.fail()
    harness.answerAll()
    harness.advance(5001)
    expect(client.say(request)).toBe(answer)
    harness.fail()
    harness.answerUntil('remove')
    harness.answer()
    expect(harness.disk.read('dump.rdb')).toBeUndefined()
    harness.advance(1)
    harness.answerAll()
    expect(client.take()).toBe(answer === '' ? OK : '')
    expect(harness.info('rdb_last_bgsave_status')).toBe('ok')
    expect(harness.disk.read('dump.rdb')).toBeDefined()
  })

  test('wait for the turn without asking again and again', () => {
    const harness = slow({ save: '1 1' })
    harness.client().say('SET a 1')
    harness.node.services.snapshotTurn.take('transfer')
    harness.advance(1001)
    expect(harness.asked).toBeUndefined()
    expect(harness.node.nextWakeUpMs()).toBeGreaterThan(harness.monoMs)
    harness.node.services.snapshotTurn.release('transfer')
    harness.advance(1)
    expect(harness.asked).toBe('create')
  })
})

describe('FLUSHALL', () => {
  test('with save points is answered when the empty file is safe', () => {
    const harness = slow({ save: '3600 1' })
    const client = harness.client()
    client.say('SET k 1')
    expect(client.say('FLUSHALL')).toBe('')
    harness.answerAll()
    expect(client.take()).toBe(OK)
    expect(restarted(harness.files).client().say('DBSIZE')).toBe(':0\r\n')
    expect(harness.info('rdb_changes_since_last_save')).toBe('0')
  })

  test('a client that sent more behind it goes on at once', () => {
    const harness = new SlowDisk({ save: '3600 1' }, new SlowFiles())
    const client = harness.client()
    expect(client.bytes('FLUSHALL\r\nSET k 1\r\nFLUSHALL\r\nDBSIZE\r\n')).toBe(
      `${OK}${OK}${OK}:0\r\n`,
    )
  })

  test('was carried out, and its client is told so, if the node becomes a replica meanwhile (seed 34067)', () => {
    const harness = slow({ save: '3600 1' })
    const client = harness.client()
    client.say('SET k 1')
    expect(client.say('FLUSHALL')).toBe('')
    harness.client().say('REPLICAOF 127.0.0.1 1')
    expect(client.take()).toBe(OK)
  })

  test('without save points writes nothing', () => {
    const harness = slow()
    expect(harness.client().say('FLUSHALL')).toBe(OK)
    expect(harness.asked).toBeUndefined()
  })

  test.each<FileRequest['kind']>(['create', 'append', 'sync', 'rename'])(
    'gives up a save that is at its %s, and whoever waited for it is served by the next',
    (kind) => {
      const harness = slow({ save: '3600 1' })
      const [saver, client] = [harness.client(), harness.client()]
      client.say('SET k 1')
      saver.say('SAVE')
      harness.answerUntil(kind)
      client.say('FLUSHALL')
      harness.answerAll()
      expect([saver.take(), client.take()]).toEqual([OK, OK])
      expect(harness.disk.paths()).toEqual(['dump.rdb'])
      expect(restarted(harness.files).client().say('DBSIZE')).toBe(':0\r\n')
    },
  )

  test('inside EXEC waits for nothing, and is saved all the same', () => {
    const harness = slow({ save: '3600 1' })
    const client = harness.client()
    for (const line of ['SET k 1', 'MULTI', 'FLUSHALL', 'SET l 1']) client.say(line)
    expect(client.say('EXEC')).toBe(`*2\r\n${OK}${OK}`)
    harness.answerAll()
    expect(restarted(harness.files).client().say('KEYS *')).toBe('*1\r\n$1\r\nl\r\n')
  })
})

test('a save under way when a full resynchronisation replaces everything keeps its moment', () => {
  const harness = slow()
  const client = harness.client()
  for (let key = 0; key < 3000; key++) client.send('SET', `key ${key}`, 'x'.repeat(200))
  const before = keyspaceDigest(harness.node.keyspace)
  client.say('BGSAVE')
  harness.answer()
  const { keyspace } = harness.node
  const value = { type: 'string', bytes: 'new' } as const
  // Read by a transfer that began before the save did, and so with an older serial.
  const entry = { value, expireAtMs: undefined, serial: keyspace.serial - 1, usage: 0, bytes: 0 }
  keyspace.replaceAll([tableOf([['key 2999', entry]])])
  client.say('SET key 1')
  client.send('APPEND', 'key 2999', 'er')
  harness.answerAll()
  expect(keyspaceDigest(restarted(harness.files).node.keyspace)).toBe(before)
  // What came so is not in the file: the next save point has a reason.
  expect(Number(harness.info('rdb_changes_since_last_save'))).toBeGreaterThan(0)
})

test('dbfilename counts from the next save on', () => {
  const harness = slow({ 'enable-protected-configs': 'yes' })
  const client = harness.client()
  client.say('BGSAVE')
  client.say('CONFIG SET dbfilename other.rdb')
  harness.answerAll()
  client.say('BGSAVE')
  harness.answerAll()
  expect(harness.disk.paths()).toEqual(['dump.rdb', 'other.rdb'])
})

test('the time a save took is told of those in the background only', () => {
  const node = new SlowDisk({ save: '' })
  node.disk.isSlow = true
  const client = node.client()
  client.say('SAVE')
  node.advance(2000)
  node.answerAll()
  expect([client.take(), node.info('rdb_last_bgsave_time_sec')]).toEqual(['+OK\r\n', '-1'])
  client.say('BGSAVE')
  node.advance(3000)
  node.answerAll()
  expect(node.info('rdb_last_bgsave_time_sec')).toBe('3')
})

test('two clients may SAVE at once: one is served after the other', () => {
  const node = new SlowDisk({ save: '' })
  node.disk.isSlow = true
  const [first, second] = [node.client(), node.client()]
  first.say('SET k 1')
  expect([first.say('SAVE'), second.say('SAVE')]).toEqual(['', ''])
  expect(node.info('rdb_bgsave_in_progress')).toBe('0')
  node.answerUntil('rename')
  node.answer()
  expect([first.take(), second.take()]).toEqual(['+OK\r\n', ''])
  node.advance(1)
  node.answerAll()
  expect([second.take(), node.info('rdb_saves')]).toEqual(['+OK\r\n', '2'])
})
