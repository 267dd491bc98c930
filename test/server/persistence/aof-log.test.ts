/** What is appended to the append-only file, when it is synced, who waits for it, and a disk that fails. */
import { describe, expect, test } from 'vitest'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { NodeHarness, type TestClient } from '../../support/node-harness.ts'
import { SlowDisk } from '../../support/slow-disk.ts'

const INCREMENT = 'appendonlydir/appendonly.aof.1.incr.aof'
const MISCONF = '-MISCONF Errors writing to the AOF file: No space left on device\r\n'

function newNode(directives: Record<string, string> = {}): SlowDisk {
  const node = new SlowDisk({ appendonly: 'yes', save: '', ...directives })
  node.disk.isSlow = true
  return node
}

function kept(node: NodeHarness): string[] {
  const text = node.files.read(INCREMENT) ?? ''
  const lines = text.split(/\*\d+\r\n/).map((command) => command.split('\r\n'))
  return lines.slice(1).map((parts) => parts.filter((_, at) => at % 2 === 1).join(' '))
}

function syncs(node: SlowDisk): number {
  return node.disk.held.filter(({ request }) => request.kind === 'sync').length
}

describe('what is appended', () => {
  test('is what replicas are told, without messages', () => {
    const node = newNode()
    const client = node.client()
    for (const line of [
      ...['SET a 1 EX 10', 'INCRBYFLOAT a 0.5', 'GET a', 'PUBLISH c m', 'SELECT 2', 'SADD s x'],
      ...['SPOP s', 'DEL nothing', 'MULTI', 'SET b 1', 'PUBLISH c m', 'EXEC', 'MULTI', 'SET c 1'],
      ...['SET d 1', 'EXEC'],
    ]) {
      client.say(line)
    }
    const atMs = 1_700_000_010_000
    expect(kept(node)).toEqual([
      ...['SELECT 0', `SET a 1 PXAT ${atMs}`, 'SET a 1.5 KEEPTTL', 'SELECT 2', 'SADD s x'],
      ...['SREM s x', 'SET b 1', 'MULTI', 'SET c 1', 'SET d 1', 'EXEC'],
    ])
  })

  test('says when a key has run out of time', () => {
    const node = newNode()
    const client = node.client()
    client.say('SET a 1 PX 10')
    node.advance(11)
    client.say('GET a')
    expect(kept(node).at(-1)).toBe('DEL a')
  })

  test('messages are no changes', () => {
    const node = newNode()
    node.client().say('PUBLISH c m')
    expect(node.info('rdb_changes_since_last_save')).toBe('0')
  })

  test('is in the file before the first byte of an answer leaves, however long the answer', () => {
    const node = newNode({ appendfsync: 'no' })
    const client = node.client()
    client.send('SET', 'long', 'x'.repeat(400_000))
    const seen: boolean[] = []
    const receive = client.receive.bind(client)
    client.receive = (bytes) => {
      seen.push(kept(node).includes('SET after 1'))
      receive(bytes)
    }
    const words = [['MULTI'], ['SET', 'after', '1'], ['GET', 'long'], ['GET', 'long'], ['EXEC']]
    client.bytes(words.map(encodeCommand).join(''))
    expect(seen.length).toBeGreaterThan(1)
    expect(seen).not.toContain(false)
  })

  test('carries the time if it is to', () => {
    const node = newNode({ 'aof-timestamp-enabled': 'yes' })
    node.client().say('SET a 1')
    expect(node.files.read(INCREMENT)).toMatch(/^#TS:1700000000\r\n\*2\r\n\$6\r\nSELECT/)
  })

  test('carries it in a base of commands, too', () => {
    const timed = { 'aof-timestamp-enabled': 'yes', 'aof-use-rdb-preamble': 'no' }
    const node = new NodeHarness({ appendonly: 'yes', save: '', ...timed })
    node.client().say('SET a 1')
    node.client().say('BGREWRITEAOF')
    node.advance(1)
    const base = node.files.read('appendonlydir/appendonly.aof.2.base.aof')
    expect(base).toMatch(/^#TS:1700000000\r\n\*2\r\n\$6\r\nSELECT/)
  })

  test('is nothing while the file is off', () => {
    const node = new NodeHarness({ save: '' })
    node.client().say('SET a 1')
    expect(node.files.paths()).toEqual([])
  })
})

describe('appendfsync always', () => {
  test('an answer waits for the sync, and so does what others have read meanwhile', () => {
    const node = newNode({ appendfsync: 'always' })
    const [writer, reader] = [node.client(), node.client()]
    expect(writer.say('SET a 1')).toBe('')
    expect(reader.say('GET a')).toBe('')
    expect(syncs(node)).toBe(1)
    node.answer()
    expect([writer.take(), reader.take()]).toEqual(['+OK\r\n', '$1\r\n1\r\n'])
    expect(reader.say('GET a')).toBe('$1\r\n1\r\n')
    expect(syncs(node)).toBe(0)
  })

  test('one sync serves everybody who wrote before it began, the next one the others', () => {
    const node = newNode({ appendfsync: 'always' })
    const clients = Array.from({ length: 5 }, () => node.client())
    const answers = () => clients.map((client) => client.take())
    for (const client of clients) client.say('INCR n')
    expect(syncs(node)).toBe(1)
    node.answer()
    expect(answers()).toEqual([':1\r\n', '', '', '', ''])
    expect(syncs(node)).toBe(1)
    node.answer()
    expect(answers()).toEqual(['', ':2\r\n', ':3\r\n', ':4\r\n', ':5\r\n'])
    expect(syncs(node)).toBe(0)
  })

  test('replicas are told nothing that could still be lost', () => {
    const node = new SlowDisk({ appendonly: 'yes', appendfsync: 'always', save: '' })
    const replica = node.replica()
    const client = node.client()
    node.disk.isSlow = true
    client.say('SET a 1')
    expect(replica.told()).toEqual([])
    node.answer()
    expect(replica.told()).toEqual(['SELECT 0', 'SET a 1'])
  })

  test('a connection is closed behind its last answer', () => {
    const node = newNode({ appendfsync: 'always' })
    const client = node.client()
    client.say('SET a 1')
    client.say('QUIT')
    expect(client.isClosed).toBe(false)
    node.answer()
    expect([client.take(), client.isClosed]).toEqual(['+OK\r\n+OK\r\n', true])
  })

  test.each([
    ['a write', (node: SlowDisk) => node.files.failWith({ operation: 'write', code: 'ENOSPC' })],
    ['a sync', () => undefined],
  ])('%s that fails ends the process, and nobody was told that it is safe', (what, prepare) => {
    const node = newNode({ appendfsync: 'always' })
    const client = node.client()
    prepare(node)
    expect(client.say('SET a 1')).toBe('')
    if (what === 'a sync') node.fail('EIO')
    expect(node.exitStatus).toBe(1)
    expect(client.say('PING')).toBe('')
    expect(node.logs.at(-1)).toMatch(/append-only file cannot be (written|synced)/)
  })

  test('who waits for a sync gets it, even if it is not always any more', () => {
    const node = newNode({ appendfsync: 'always' })
    const [writer, admin] = [node.client(), node.client()]
    writer.say('SET a 1')
    expect(admin.say('CONFIG SET appendfsync no')).toBe('')
    writer.say('SET b 1')
    node.answer()
    expect(writer.take()).toBe('+OK\r\n')
    node.answerAll()
    expect([writer.take(), admin.take()]).toEqual(['+OK\r\n', '+OK\r\n'])
    expect(writer.say('SET c 1')).toBe('+OK\r\n')
    expect(syncs(node)).toBe(0)
  })

  test('no-appendfsync-on-rewrite: while a snapshot is written nobody waits for syncs', () => {
    const node = newNode({ appendfsync: 'always', 'no-appendfsync-on-rewrite': 'yes' })
    const client = node.client()
    client.say('BGSAVE')
    expect(client.say('SET a 1')).toBe('+OK\r\n')
    node.answerAll()
    node.advance(1)
    node.answerAll()
    expect(client.say('SET b 1')).toBe('')
  })
})

describe('appendfsync everysec', () => {
  test('while a sync hangs replies wait, before more than two seconds could be lost', () => {
    const node = newNode()
    const client = node.client()
    client.say('SET a 1')
    node.advance(999)
    expect(client.say('SET a 2')).toBe('+OK\r\n')
    node.advance(1)
    expect(client.say('SET a 3')).toBe('')
    expect(client.say('GET a')).toBe('')
    node.answer()
    node.advance(1)
    node.answer()
    expect(client.take()).toBe('+OK\r\n$1\r\n3\r\n')
  })

  test('nobody waits, and there is a sync a second as long as something is written', () => {
    const node = newNode()
    const client = node.client()
    expect(client.say('SET a 1')).toBe('+OK\r\n')
    expect(syncs(node)).toBe(1)
    node.answer()
    client.say('SET a 2')
    node.advance(999)
    expect(syncs(node)).toBe(0)
    node.advance(1)
    expect(syncs(node)).toBe(1)
    node.answer()
    node.advance(5_000)
    expect(syncs(node)).toBe(0)
  })

  test('a sync that takes long is waited for, and counted after two seconds', () => {
    const node = newNode()
    const client = node.client()
    client.say('SET a 1')
    for (const _ of [1, 2, 3]) {
      node.advance(1_000)
      client.say('SET a 2')
      expect(syncs(node)).toBe(1)
    }
    node.answer()
    node.advance(1)
    node.answer()
    expect(node.info('aof_delayed_fsync')).toBe('1')
  })
})

test('appendfsync no: nothing is ever synced', () => {
  const node = newNode({ appendfsync: 'no' })
  node.client().say('SET a 1')
  node.advance(10_000)
  expect(syncs(node)).toBe(0)
})

describe('a disk that cannot be written', () => {
  function fullDisk(): [SlowDisk, TestClient] {
    const node = newNode()
    const client = node.client()
    client.say('SET a 1')
    node.answerAll()
    node.files.failWith({ operation: 'write', code: 'ENOSPC' })
    client.say('SET a 2')
    return [node, client]
  }

  test('refuses writes and PING, not reads, and says so', () => {
    const [node, client] = fullDisk()
    expect([client.say('SET a 3'), client.say('PING')]).toEqual([MISCONF, MISCONF])
    expect(client.say('GET a')).toBe('$1\r\n2\r\n')
    expect(node.info('aof_last_write_status')).toBe('err')
    expect(node.info('aof_buffer_length')).not.toBe('0')
    expect(node.logs.filter((line) => line.includes('cannot be written'))).toHaveLength(1)
  })

  test('does not keep the node from ending, which says what the file lacks', () => {
    for (const words of ['SHUTDOWN', 'SHUTDOWN NOSAVE', 'SHUTDOWN NOW']) {
      const [node, client] = fullDisk()
      expect(client.say(words)).toBe('')
      node.answerAll()
      expect(node.exitStatus).toBe(0)
      expect(node.logs.join('\n')).toMatch(/the append-only file lacks its last \d+ bytes: ENOSPC/)
    }
  })

  test('keeps it from ending where the data cannot be saved either', () => {
    const [node, client] = fullDisk()
    client.say('SHUTDOWN SAVE')
    node.answerAll()
    expect(node.exitStatus).toBeUndefined()
    expect(node.logs.join('\n')).toMatch(/it goes on: the data cannot be saved: ENOSPC/)
  })

  test('is tried again every second, and nothing is lost', () => {
    const [node, client] = fullDisk()
    node.advance(3_000)
    expect(client.say('SET a 3')).toBe(MISCONF)
    node.files.failWith(undefined)
    node.advance(1_000)
    expect(client.say('SET a 3')).toBe('+OK\r\n')
    expect(kept(node).slice(-3)).toEqual(['SET a 1', 'SET a 2', 'SET a 3'])
    expect(node.info('aof_last_write_status')).toBe('ok')
    expect(node.logs.at(-1)).toContain('written again')
  })

  test('a sync that fails does the same, and afterwards the file is written anew', () => {
    const node = newNode()
    const client = node.client()
    client.say('SET a 1')
    node.fail('ENOSPC')
    expect(client.say('SET a 2')).toBe(MISCONF)
    node.advance(1_000)
    expect(syncs(node)).toBe(1)
    node.answer()
    expect(client.say('SET a 2')).toBe('+OK\r\n')
    node.disk.isSlow = false
    node.answerAll()
    node.advance(10)
    expect(node.files.paths()).toContain('appendonlydir/appendonly.aof.2.base.rdb')
  })

  test('what a master sends cannot be refused: too much of it, and the file is given up', () => {
    const node = newNode()
    const client = node.client()
    node.files.failWith({ operation: 'write', code: 'ENOSPC' })
    client.send('SET', 'a', 'x'.repeat(65 * 1024 * 1024))
    expect(node.info('aof_buffer_length')).toBe('0')
    expect(client.say('SET b 1')).toBe(MISCONF)
    node.files.failWith(undefined)
    node.disk.isSlow = false
    node.answerAll()
    node.advance(2_000)
    expect(client.say('SET b 1')).toBe('+OK\r\n')
    const again = new NodeHarness({ appendonly: 'yes', save: '' }, false, {}, node.files).client()
    expect([again.say('STRLEN a'), again.say('GET b')]).toEqual([':68157440\r\n', '$1\r\n1\r\n'])
  })
})
