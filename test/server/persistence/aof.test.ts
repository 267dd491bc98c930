/** The append-only file written anew: when, how, and what is on disk meanwhile. */
import { describe, expect, test } from 'vitest'
import type { Entry } from '../../../src/server/keyspace/keyspace.ts'
import { keyspaceDigest } from '../../../src/server/values/digest.ts'
import { tableOf } from '../../support/key-tables.ts'
import { NodeHarness, type TestClient } from '../../support/node-harness.ts'
import { SlowDisk } from '../../support/slow-disk.ts'

const ON = { appendonly: 'yes', save: '' }
const STARTED = '+Background append only file rewriting started\r\n'
const SCHEDULED = '+Background append only file rewriting scheduled\r\n'
const RUNNING = '-ERR Background append only file rewriting already in progress\r\n'

function newNode(directives: Record<string, string> = {}): [SlowDisk, TestClient] {
  const node = new SlowDisk({ ...ON, ...directives })
  node.disk.isSlow = true
  return [node, node.client()]
}

function manifest(node: NodeHarness): string[] {
  const text = node.files.read('appendonlydir/appendonly.aof.manifest') ?? ''
  const names = [...text.matchAll(/^file appendonly\.aof\.(\S+) seq \d+ type (.)$/gm)]
  return names.map(([, name, type]) => `${type}:${name}`)
}

function files(node: NodeHarness): string[] {
  return node.files.paths().map((path) => path.replace(/.*\/(appendonly\.aof\.)?/, ''))
}

/** What a node that starts from the same files has. */
function loaded(node: NodeHarness): string {
  const again = new NodeHarness(ON, false, {}, node.files)
  expect(again.logs.filter((line) => line.includes('cannot'))).toEqual([])
  return keyspaceDigest(again.node.keyspace)
}

function digest(node: NodeHarness): string {
  return keyspaceDigest(node.node.keyspace)
}

describe('BGREWRITEAOF', () => {
  test('goes from one increment to the next, then puts a base before it, then cleans up', () => {
    const [node, client] = newNode()
    client.say('SET a 1')
    expect(client.say('BGREWRITEAOF')).toBe(STARTED)
    expect(node.info('aof_rewrite_in_progress')).toBe('1')
    node.advance(1)
    expect(manifest(node)).toEqual(['b:1.base.rdb', 'i:1.incr.aof'])
    const seen: string[] = []
    while (node.asked !== undefined) {
      node.answer()
      client.say('INCR n')
      const line = manifest(node).join(' ')
      if (seen.at(-1) !== line) seen.push(line)
    }
    node.settle()
    expect(seen).toEqual([
      'b:1.base.rdb i:1.incr.aof',
      'b:1.base.rdb i:1.incr.aof i:2.incr.aof',
      'b:2.base.rdb h:1.base.rdb h:1.incr.aof i:2.incr.aof',
      'b:2.base.rdb i:2.incr.aof',
    ])
    expect(files(node)).toEqual(['2.base.rdb', '2.incr.aof', 'manifest'])
    expect(loaded(node)).toBe(digest(node))
    expect(node.info('aof_rewrite_in_progress')).toBe('0')
    expect(node.info('aof_last_bgrewrite_status')).toBe('ok')
    expect(node.info('aof_rewrites')).toBe('1')
  })

  test('keeps history if it is told to', () => {
    const [node, client] = newNode({ 'aof-disable-auto-gc': 'yes' })
    client.say('BGREWRITEAOF')
    node.advance(1)
    node.settle()
    expect(files(node)).toContain('1.base.rdb')
    expect(manifest(node)).toContain('h:1.incr.aof')
  })

  test('history that was kept goes as soon as it is no longer to be kept', () => {
    const [node, client] = newNode({ 'aof-disable-auto-gc': 'yes' })
    client.say('SET a 1')
    client.say('BGREWRITEAOF')
    node.advance(1)
    node.settle()
    client.say('CONFIG SET aof-disable-auto-gc no')
    node.settle()
    expect(files(node)).toEqual(['2.base.rdb', '2.incr.aof', 'manifest'])
    expect(manifest(node)).toEqual(['b:2.base.rdb', 'i:2.incr.aof'])
    expect([node.info('aof_rewrites'), node.info('aof_rewrite_in_progress')]).toEqual(['1', '0'])
    expect([client.say('BGREWRITEAOF'), loaded(node)]).toEqual([STARTED, digest(node)])
  })

  test('runs once at a time, and waits in a transaction or behind a save', () => {
    const [node, client] = newNode()
    expect([client.say('BGREWRITEAOF'), client.say('BGREWRITEAOF')]).toEqual([STARTED, RUNNING])
    node.advance(1)
    expect(client.say('BGREWRITEAOF')).toBe(RUNNING)
    node.settle()
    client.say('BGSAVE')
    expect(client.say('BGREWRITEAOF')).toBe(SCHEDULED)
    expect(node.info('aof_rewrite_scheduled')).toBe('1')
    node.settle()
    expect([node.info('aof_rewrite_scheduled'), node.info('aof_rewrites')]).toEqual(['0', '2'])
    client.say('MULTI')
    client.say('BGREWRITEAOF')
    expect(client.say('EXEC')).toBe(`*1\r\n${SCHEDULED}`)
    node.settle()
    expect(node.info('aof_rewrites')).toBe('3')
  })

  test('works while the file is off: whoever switches it on at the next start finds the data', () => {
    const node = new NodeHarness({ save: '' })
    const client = node.client()
    client.say('SET a 1')
    expect(client.say('BGREWRITEAOF')).toBe(STARTED)
    node.advance(1)
    expect(manifest(node)).toEqual(['b:1.base.rdb'])
    client.say('SET b 1')
    const again = new NodeHarness(ON, false, {}, node.files).client()
    expect([again.say('GET a'), again.say('GET b')]).toEqual(['$1\r\n1\r\n', '$-1\r\n'])
  })

  test('that fails leaves files that can be loaded, and the next one does not use their names', () => {
    const [node, client] = newNode()
    client.say('SET a 1')
    client.say('BGREWRITEAOF')
    node.advance(1)
    for (let answers = 0; answers < 11; answers++) node.answer()
    client.say('SET b 1')
    node.fail('EIO')
    node.settle()
    expect(node.info('aof_last_bgrewrite_status')).toBe('err')
    expect(node.logs.at(-1)).toContain('could not be written anew: EIO')
    expect(loaded(node)).toBe(digest(node))
    client.say('SET c 1')
    client.say('BGREWRITEAOF')
    node.advance(1)
    node.settle()
    expect(node.info('aof_last_bgrewrite_status')).toBe('ok')
    expect(loaded(node)).toBe(digest(node))
  })

  test('that fails at any point leaves files that can be loaded', () => {
    for (let failing = 0; failing < 40; failing++) {
      const [node, client] = newNode({ appendfsync: 'no' })
      client.say('SET a 1')
      client.say('BGREWRITEAOF')
      node.advance(1)
      for (let answers = 0; answers < failing && node.asked !== undefined; answers++) {
        node.answer()
        client.say(`SET key${answers} 1`)
      }
      if (node.asked !== undefined) node.fail('ENOSPC')
      node.settle()
      client.say('SET last 1')
      node.settle()
      expect([failing, loaded(node)]).toEqual([failing, digest(node)])
    }
  })
})

describe('by itself', () => {
  const GROWING = { 'auto-aof-rewrite-min-size': '1000', 'auto-aof-rewrite-percentage': '100' }

  function write(client: TestClient, bytes: number): void {
    client.send('SET', 'a', 'x'.repeat(bytes))
  }

  test('it is written anew when it has doubled and is large enough', () => {
    const node = new NodeHarness({ ...ON, ...GROWING })
    const client = node.client()
    write(client, 700)
    node.advance(10)
    expect(manifest(node)).toEqual(['b:1.base.rdb', 'i:1.incr.aof'])
    write(client, 700)
    node.advance(10)
    expect(manifest(node)).toEqual(['b:2.base.rdb', 'i:2.incr.aof'])
    write(client, 700)
    node.advance(10)
    expect(manifest(node)).toEqual(['b:2.base.rdb', 'i:2.incr.aof'])
    write(client, 700)
    node.advance(10)
    expect(manifest(node)).toEqual(['b:3.base.rdb', 'i:3.incr.aof'])
  })

  test('not with a percentage of 0', () => {
    const node = new NodeHarness({ ...ON, ...GROWING, 'auto-aof-rewrite-percentage': '0' })
    const client = node.client()
    for (let writes = 0; writes < 10; writes++) write(client, 1_000)
    node.advance(100)
    expect(manifest(node)).toEqual(['b:1.base.rdb', 'i:1.incr.aof'])
  })

  test('after three failures it waits a minute, then two, and an order overrides that', () => {
    const node = new NodeHarness({ ...ON, ...GROWING })
    const client = node.client()
    node.files.failWith({ operation: 'sync', code: 'EIO' })
    const startedAtMs: number[] = []
    write(client, 3_000)
    for (let ms = 0; ms < 300_000; ms += 1_000) {
      const before = node.logs.length
      node.advance(1_000)
      const isNew = node.logs
        .slice(before)
        .some((line) => line.includes('could not be written anew'))
      if (isNew) startedAtMs.push(node.monoMs)
    }
    expect(startedAtMs).toEqual([1_000, 2_000, 3_000, 63_000, 183_000])
    client.say('BGREWRITEAOF')
    node.files.failWith(undefined)
    node.advance(10)
    expect(node.logs.at(-1)).toContain('was written anew')
  })
})

describe('switched on while the node runs', () => {
  test('it is complete when its first base is, and only then promises anything', () => {
    const node = new SlowDisk({ save: '', appendfsync: 'always' })
    const client = node.client()
    client.say('SET a 1')
    node.disk.isSlow = true
    expect(client.say('CONFIG SET appendonly yes')).toBe('+OK\r\n')
    expect(node.info('aof_enabled')).toBe('1')
    expect(client.say('SET b 1')).toBe('+OK\r\n')
    node.advance(1)
    node.answerUntil('rename')
    expect(client.say('SET c 1')).toBe('+OK\r\n')
    node.settle()
    expect(manifest(node)).toEqual(['b:1.base.rdb', 'i:1.incr.aof'])
    expect(loaded(node)).toBe(digest(node))
    expect(client.say('SET d 1')).toBe('')
    node.settle()
    expect(client.take()).toBe('+OK\r\n')
  })

  test('older files stay until the new base is there', () => {
    const [node, client] = newNode()
    client.say('SET a old')
    node.answerAll()
    const old = digest(node)
    client.say('CONFIG SET appendonly no')
    node.answerAll()
    client.say('SET a new')
    client.say('CONFIG SET appendonly yes')
    node.advance(1)
    for (;;) {
      const isNamed = manifest(node).includes('b:2.base.rdb')
      const copy = new NodeHarness(ON, false, {}, copyOf(node))
      expect(keyspaceDigest(copy.node.keyspace)).toBe(isNamed ? digest(node) : old)
      if (node.asked === undefined) break
      node.answer()
    }
    node.settle()
    expect(manifest(node)).toEqual(['b:2.base.rdb', 'i:2.incr.aof'])
  })

  test('and off again, it has everything up to then', () => {
    const [node, client] = newNode({ appendfsync: 'always' })
    expect(client.say('SET a 1')).toBe('')
    expect(client.say('CONFIG SET appendonly no')).toBe('')
    node.settle()
    expect(client.take()).toBe('+OK\r\n+OK\r\n')
    const kept = digest(node)
    expect(client.say('SET b 1')).toBe('+OK\r\n')
    expect(node.info('aof_enabled')).toBe('0')
    expect(loaded(node)).toBe(kept)
  })

  test('off in the middle of a rewrite, it has everything up to then', () => {
    for (let point = 0; point < 30; point++) {
      const [node, client] = newNode()
      client.say('SET a 1')
      client.say('BGREWRITEAOF')
      node.advance(1)
      for (let answers = 0; answers < point && node.asked !== undefined; answers++) {
        node.answer()
        client.say(`SET key${answers} 1`)
      }
      client.say('CONFIG SET appendonly no')
      const kept = digest(node)
      client.say('SET late 1')
      node.settle()
      expect([point, loaded(node)]).toEqual([point, kept])
    }
  })
})

test('when all keys are replaced the old files stay as they were until a new base is there', () => {
  for (let point = 0; point < 40; point++) {
    const [node, client] = newNode()
    client.say('SET a old')
    const old = digest(node)
    client.say('BGREWRITEAOF')
    node.advance(1)
    for (let answers = 0; answers < point && node.asked !== undefined; answers++) node.answer()
    const entry: Entry = {
      ...(node.node.keyspace.dbs[0]?.entries.get('a') as Entry),
      value: { type: 'string', bytes: 'new' },
    }
    node.node.keyspace.replaceAll([tableOf([['a', entry]])])
    expect(loadedCopy(node)).toBe(old)
    client.say('SET b 1')
    node.settle()
    expect([point, loadedCopy(node)]).toEqual([point, digest(node)])
  }
})

test('a folder that is in use is not left', () => {
  const node = new NodeHarness({ ...ON, 'enable-protected-configs': 'yes' })
  expect(node.client().say('CONFIG SET dir /elsewhere')).toMatch(/^-ERR CONFIG SET failed/)
})

test('SHUTDOWN keeps what is not synced, and waits while the files are not complete', () => {
  const [node, client] = newNode()
  client.say('SET a 1')
  client.say('SHUTDOWN')
  expect(node.exitStatus).toBe(undefined)
  node.settle()
  expect(node.exitStatus).toBe(0)
  const other = new SlowDisk({ save: '' })
  other.disk.isSlow = true
  const admin = other.client()
  admin.say('CONFIG SET appendonly yes')
  expect(admin.say('SHUTDOWN')).toBe('')
  other.settle()
  expect(other.exitStatus).toBe(0)
  expect(manifest(other)).toEqual(['b:1.base.rdb', 'i:1.incr.aof'])
})

function loadedCopy(node: NodeHarness): string {
  return keyspaceDigest(new NodeHarness(ON, false, {}, copyOf(node)).node.keyspace)
}

/** The files as they are now. */
function copyOf(node: NodeHarness) {
  const copy = new SlowDisk({ save: '' }).files
  for (const path of node.files.paths()) copy.install(path, node.files.read(path) ?? '')
  return copy
}

/** What the client has got when its second answer is there, and no earlier. */
function twoAnswers(node: SlowDisk, client: TestClient): string {
  let answers = ''
  for (let step = 0; step < 1000 && answers.split('\n').length < 3; step++) {
    if (node.asked === undefined) node.advance(1)
    else node.answer()
    answers += client.take()
  }
  return answers
}

describe('the data loaded again', () => {
  test.each(['DEBUG RELOAD', 'DEBUG RELOAD NOSAVE', 'DEBUG LOADAOF'])(
    'by %s: a write that is answered behind it is in the files',
    (reload) => {
      const [node, client] = newNode({ appendfsync: 'always' })
      client.say('SET k 1')
      node.settle()
      client.say('SAVE')
      node.settle()
      client.take()
      client.say(reload)
      client.say('SET k 2')
      expect(twoAnswers(node, client)).toBe('+OK\r\n+OK\r\n')
      expect(loaded(node)).toBe(digest(node))
    },
  )

  test('by DEBUG RELOAD NOSAVE onto a full disk: the answer says that the files lack it', () => {
    const [node, client] = newNode()
    client.say('SET k 1')
    client.say('SAVE')
    node.settle()
    client.take()
    client.say('DEBUG RELOAD NOSAVE')
    node.answerUntil('create')
    while (node.asked !== 'create') node.asked === undefined ? node.advance(1) : node.answer()
    node.fail()
    expect(client.take()).toContain('-ERR Error trying to load the RDB dump: ENOSPC')
  })
})
