/** What becomes of files nobody can go on with: taken away, half made, or without a manifest. */
import { describe, expect, test } from 'vitest'
import { keyspaceDigest } from '../../../src/server/values/digest.ts'
import { NodeHarness, type TestClient } from '../../support/node-harness.ts'
import { SlowDisk, SlowFiles } from '../../support/slow-disk.ts'

const ON = { appendonly: 'yes', save: '' }
const FOLDER = 'appendonlydir/appendonly.aof'
const STARTED = '+Background append only file rewriting started\r\n'
const TAKEN =
  "-ERR Another child process is active (AOF?): can't BGSAVE right now. Use BGSAVE SCHEDULE in order to " +
  'schedule a BGSAVE whenever possible.\r\n'

function newNode(directives: Record<string, string> = ON): SlowDisk {
  const node = new SlowDisk(directives)
  node.disk.isSlow = true
  return node
}

/** What a node that starts from the same files has. */
function loaded(node: NodeHarness): string {
  return keyspaceDigest(new NodeHarness(ON, false, {}, node.files).node.keyspace)
}

const digest = (node: NodeHarness) => keyspaceDigest(node.node.keyspace)

describe('a file that was taken away', () => {
  test('is no end of the road: the data are written anew, and writes are taken again', () => {
    const node = newNode()
    const client = node.client()
    client.say('SET a 1')
    node.advance(1000)
    node.answerUntil('sync')
    node.fail('ENOENT')
    expect(client.say('SET b 1')).toBe(
      '-MISCONF Errors writing to the AOF file: No such file or directory\r\n',
    )
    expect(node.logs.join('\n')).toContain('its file has disappeared')
    node.settle()
    expect(client.say('SET c 1')).toBe('+OK\r\n')
    expect(loaded(node)).toBe(digest(node))
  })

  test('while it was being left for the next one, too', () => {
    const node = newNode()
    const client = node.client()
    client.say('SET a 1')
    client.say('BGREWRITEAOF')
    node.advance(1)
    // The manifest's, then the file's.
    node.answerUntil('sync')
    node.answer()
    node.answerUntil('sync')
    node.fail('ENOENT')
    node.settle()
    expect(client.say('SET b 1')).toBe('+OK\r\n')
    expect(loaded(node)).toBe(digest(node))
  })

  describe('with appendfsync always', () => {
    function deletedUnder(client: TestClient, node: SlowDisk): void {
      expect(client.say('SET a 1')).toBe('')
      node.answerUntil('sync')
      node.disk.takeAway('appendonlydir')
      node.answer()
    }

    test('whoever waits is answered when the data are in new files, and not before', () => {
      const node = newNode({ ...ON, appendfsync: 'always' })
      const client = node.client()
      deletedUnder(client, node)
      let answer = ''
      while (answer === '') {
        expect(node.files.read(`${FOLDER}.manifest`)).toBeUndefined()
        if (node.asked === undefined) node.advance(1)
        else node.answer()
        answer = client.take()
      }
      expect(answer).toBe('+OK\r\n')
      expect(loaded(node)).toBe(digest(node))
      expect(node.exitStatus).toBeUndefined()
    })

    test('the node ends if those cannot be written either', () => {
      const node = newNode({ ...ON, appendfsync: 'always' })
      const client = node.client()
      deletedUnder(client, node)
      node.advance(1)
      node.fail('EROFS')
      expect([node.exitStatus, client.take()]).toEqual([1, ''])
    })

    test('nobody waits any more once the file is switched off', () => {
      const node = newNode({ ...ON, appendfsync: 'always' })
      const client = node.client()
      deletedUnder(client, node)
      node.client().say('CONFIG SET appendonly no')
      expect(client.take()).toBe('+OK\r\n')
    })
  })
})

describe('the folder deleted', () => {
  const POLICIES = ['always', 'everysec', 'no']
  const WHAT = ['after a restart', 'without a restart']
  const cases = POLICIES.flatMap((policy) => WHAT.map((when) => [policy, when] as const))

  test.each(cases)(
    'with appendfsync %s, %s, while nothing is written: made anew',
    (policy, when) => {
      const directives = { ...ON, appendfsync: policy }
      const first = new NodeHarness(directives)
      first.client().say('SET a 1')
      const isAgain = when === 'after a restart'
      const node = isAgain ? new NodeHarness(directives, false, {}, first.files) : first
      node.advance(5000)
      node.files.takeAway('appendonlydir')
      node.advance(1100)
      expect(node.logs.join('\n')).toContain('appendonly.aof.manifest has been deleted while')
      expect(loaded(node)).toBe(digest(node))
      expect(node.client().say('PING')).toBe('+PONG\r\n')
      expect(node.client().say('SET b 1')).toBe('+OK\r\n')
    },
  )

  test.each(['manifest', '1.base.rdb', '1.incr.aof'])('only the %s of it: made anew', (name) => {
    const node = new NodeHarness(ON)
    node.client().say('SET a 1')
    node.files.ask({ kind: 'remove', path: `${FOLDER}.${name}` })
    node.advance(2000)
    expect(loaded(node)).toBe(digest(node))
  })

  test('its last file cut off or replaced by an older copy: made anew', () => {
    const node = new NodeHarness(ON)
    const client = node.client()
    client.say('SET a 1')
    const older = node.files.read(`${FOLDER}.1.incr.aof`) as string
    client.say('SET b 1')
    node.files.install(`${FOLDER}.1.incr.aof`, older)
    node.advance(1100)
    expect(node.logs.join('\n')).toContain(
      '1.incr.aof has been replaced or cut off while the node runs: it has 50 bytes, and 77 were written',
    )
    expect(loaded(node)).toBe(digest(node))
    expect(client.say('SET c 1')).toBe('+OK\r\n')
  })

  test('under a write after a restart: PING and writes get MISCONF until it is there again', () => {
    const before = new NodeHarness(ON)
    before.client().say('SET a 1')
    const disk = new SlowFiles(false)
    for (const path of before.files.paths()) disk.install(path, before.files.read(path) as string)
    const node = new SlowDisk(ON, disk)
    disk.isSlow = true
    disk.takeAway('appendonlydir')
    const client = node.client()
    // As with any disk that fails: what was done is answered, what is to come is refused.
    expect(client.say('SET b 1')).toBe('+OK\r\n')
    for (const line of ['PING', 'SET c 1']) {
      expect(client.say(line)).toBe(
        '-MISCONF Errors writing to the AOF file: No such file or directory\r\n',
      )
    }
    expect(disk.paths()).toEqual([])
    node.settle()
    expect(client.say('PING')).toBe('+PONG\r\n')
    expect(loaded(node)).toBe(digest(node))
  })
})

describe('the folder deleted, and the node is to end before it has noticed', () => {
  /** It has noticed now, and is about to make the folder. */
  function ending() {
    const node = newNode()
    node.disk.takeAway('appendonlydir')
    const client = node.client()
    client.say('SHUTDOWN')
    node.answer()
    node.advance(1)
    return { node, client }
  }

  test.each(['always', 'everysec', 'no'])('with appendfsync %s: made anew first', (appendfsync) => {
    const node = newNode({ ...ON, appendfsync })
    node.client().say('SET a 1')
    node.answerAll()
    node.disk.takeAway('appendonlydir')
    node.node.stopRequested(node.now, 'SIGTERM')
    node.settle()
    expect(node.exitStatus).toBe(0)
    expect(loaded(node)).toBe(digest(node))
  })

  test('while it is made anew the node does not end, and does if ordered to do so by force', () => {
    const { node } = ending()
    expect(node.asked).toBe('makeFolder')
    expect(node.exitStatus).toBeUndefined()
    expect(node.client().say('SHUTDOWN ABORT')).toBe('+OK\r\n')
    expect(node.client().say('SHUTDOWN FORCE')).toBe('')
    node.settle()
    expect(node.exitStatus).toBe(0)
  })

  test('if it cannot be made anew the node stays, and says why', () => {
    const { node, client } = ending()
    node.fail('ENOSPC')
    expect(client.take()).toBe('-ERR Errors trying to SHUTDOWN. Check logs.\r\n')
    expect(node.logs).toContain('shutdown: it goes on: the append-only file cannot be kept: ENOSPC')
    node.settle()
    node.advance(1000)
    node.settle()
    expect(loaded(node)).toBe(digest(node))
  })
})

test('increments of rewrites that failed do not fill the disk further', () => {
  const node = newNode({ save: '' })
  node.client().say('SET a 1')
  node.client().say('CONFIG SET appendonly yes')
  for (let attempt = 0; attempt < 3; attempt++) {
    node.advance(1000)
    node.answerUntil('append')
    node.client().send('SET', 'b', 'x'.repeat(1000))
    node.fail('ENOSPC')
    node.answerAll()
    expect(node.disk.paths()).toEqual([])
  }
  node.advance(3_600_000)
  node.settle()
  expect(loaded(node)).toBe(digest(node))
})

test('without a manifest nothing that lies in the folder is loaded, or written over', () => {
  const before = new NodeHarness(ON)
  before.client().say('SET a 1')
  const { files } = before
  const kept = ['1.base.rdb', '1.incr.aof'].map((name) => `${FOLDER}.${name}`)
  const bytes = kept.map((path) => files.read(path))
  files.ask({ kind: 'remove', path: `${FOLDER}.manifest` })
  const node = new NodeHarness(ON, false, {}, files)
  expect(node.client().say('DBSIZE')).toBe(':0\r\n')
  expect(node.client().say('SET b 1')).toBe('+OK\r\n')
  expect(kept.map((path) => files.read(path))).toEqual(bytes)
  expect(node.logs.join('\n')).toContain('appendonly.aof.1.base.rdb, appendonly.aof.1.incr.aof in')
  expect(loaded(node)).toBe(digest(node))
})

describe('whoever is told that a rewrite has started', () => {
  test('is not overtaken by a save', () => {
    const node = newNode()
    const client = node.client()
    expect(client.say('BGREWRITEAOF')).toBe(STARTED)
    expect(client.say('BGSAVE')).toBe(TAKEN)
    expect(node.info('aof_rewrite_in_progress')).toBe('1')
    node.settle()
    expect(node.info('aof_rewrites')).toBe('1')
    expect(client.say('BGSAVE')).toBe('+Background saving started\r\n')
  })

  test('nor by one when the file is switched on, which waits for one that runs', () => {
    const node = newNode({ save: '' })
    const client = node.client()
    client.say('CONFIG SET appendonly yes')
    expect(client.say('BGSAVE')).toBe(TAKEN)
    node.settle()
    client.say('CONFIG SET appendonly no')
    client.say('BGSAVE')
    client.say('CONFIG SET appendonly yes')
    expect(node.info('aof_rewrite_scheduled')).toBe('1')
    node.settle()
    expect(loaded(node)).toBe(digest(node))
  })

  test('does not get it when the file is switched off before', () => {
    const node = newNode({ save: '' })
    const client = node.client()
    client.say('CONFIG SET appendonly yes')
    client.say('CONFIG SET appendonly no')
    node.settle()
    expect(node.disk.paths()).toEqual([])
    expect(client.say('BGSAVE')).toBe('+Background saving started\r\n')
  })
})

describe('SHUTDOWN while the first files are being written', () => {
  function half(): SlowDisk {
    const node = newNode({ save: '' })
    node.client().say('SET a 1')
    node.client().say('CONFIG SET appendonly yes')
    node.advance(1)
    node.answerUntil('append')
    return node
  }

  test('waits for them, and asking again and again does not keep them from being written', () => {
    const node = half()
    for (let steps = 0; node.exitStatus === undefined && steps < 100; steps++) {
      expect(node.client().say('SHUTDOWN')).toBe('')
      if (node.asked !== undefined) node.answer()
      node.advance(1)
    }
    expect(node.exitStatus).toBe(0)
    expect(node.logs.filter((line) => line.includes('was written anew'))).toHaveLength(1)
    expect(loaded(node)).toBe(digest(node))
  })

  test('SIGTERM waits for them too: its sender does not ask twice', () => {
    const node = half()
    node.node.stopRequested(node.now, 'SIGTERM')
    node.answerAll()
    expect(node.exitStatus).toBe(0)
    expect(loaded(node)).toBe(digest(node))
  })

  test('SHUTDOWN ABORT ends the waiting', () => {
    const node = half()
    const client = node.client()
    client.send('SHUTDOWN')
    expect(node.client().say('SHUTDOWN ABORT')).toBe('+OK\r\n')
    node.answerAll()
    expect(node.exitStatus).toBeUndefined()
    expect(node.client().say('SET b 1')).toBe('+OK\r\n')
  })

  test('works with FORCE', () => {
    const node = half()
    node.client().say('SHUTDOWN FORCE')
    node.answerAll()
    expect(node.exitStatus).toBe(0)
  })
})

test.each([
  ['BGREWRITEAOF', 'SHUTDOWN NOSAVE'],
  ['BGREWRITEAOF', 'SHUTDOWN SAVE'],
])('%s, then %s: it does not begin on the way out', (order, end) => {
  const node = newNode({ ...ON, 'auto-aof-rewrite-min-size': '1' })
  const client = node.client()
  client.say('SET a 1')
  client.say(order)
  client.say(end)
  for (let steps = 0; node.asked !== undefined && steps < 100; steps++) {
    node.advance(1)
    node.answer()
  }
  expect(node.exitStatus).toBe(0)
  expect(node.logs.join('\n')).not.toContain('written anew')
  expect(node.disk.paths().filter((path) => path.includes('.2.'))).toEqual([])
})
