/** Loading the append-only file: what is carried out, what is cut off, and what is refused untouched. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRng } from '../../../src/base/rng.ts'
import { encodeCommand } from '../../../src/resp/encode.ts'
import type { FileAnswer, FileRequest } from '../../../src/server/persistence/files.ts'
import { keyspaceDigest } from '../../../src/server/values/digest.ts'
import { DataFiles } from '../../../src/sim/processes/data-files.ts'
import { NodeHarness } from '../../support/node-harness.ts'
import { SlowDisk, SlowFiles } from '../../support/slow-disk.ts'
import { wireCommands } from '../../support/wire.ts'

const ON = { appendonly: 'yes', save: '' }
const FOLDER = 'appendonlydir'
const MANIFEST = `${FOLDER}/appendonly.aof.manifest`

const POWER_CUT = new Error('the power goes')

/** The power goes after so many changes. */
class DyingFiles extends DataFiles {
  changesLeft: number

  constructor(changesLeft: number) {
    super()
    this.changesLeft = changesLeft
  }

  override ask(request: FileRequest): FileAnswer {
    const isChange = !['size', 'read', 'list'].includes(request.kind)
    if (isChange && this.changesLeft-- <= 0) throw POWER_CUT
    return super.ask(request)
  }
}

/** A base and increments with these contents, as Redis names them. */
function folder(base: string | undefined, ...increments: string[]): DataFiles {
  const files = new DataFiles()
  let manifest = ''
  if (base !== undefined) {
    manifest += 'file appendonly.aof.1.base.aof seq 1 type b\n'
    files.install(`${FOLDER}/appendonly.aof.1.base.aof`, base)
  }
  for (const [at, text] of increments.entries()) {
    const name = `appendonly.aof.${at + 1}.incr.aof`
    manifest += `file ${name} seq ${at + 1} type i\n`
    files.install(`${FOLDER}/${name}`, text)
  }
  files.install(MANIFEST, manifest)
  return files
}

function start(files: DataFiles, directives: Record<string, string> = {}): NodeHarness {
  return new NodeHarness({ ...ON, ...directives }, false, {}, files)
}

function contents(files: DataFiles): Record<string, string | undefined> {
  return Object.fromEntries(files.paths().map((path) => [path, files.read(path)]))
}

/** Asserts that nothing was touched, and gives the reason. */
function refusal(files: DataFiles, directives: Record<string, string> = {}): string {
  const before = contents(files)
  const node = start(files, directives)
  expect([node.exitStatus, node.isReady]).toEqual([1, false])
  expect(contents(files)).toEqual(before)
  return node.logs.at(-1) ?? ''
}

describe('what is loaded', () => {
  test('is what scripts have done, in files of servers before Redis 7.0, on a read-only replica too', () => {
    const script = "redis.call('SET', KEYS[1], '100')"
    const lines = [
      ['SELECT', '9'],
      ['EVAL', script, '1', 'k'],
      ['SCRIPT', 'LOAD', "return redis.call('INCR', KEYS[1])"],
      ['EVALSHA', '61636018f4e6b5817b89791bbed242f93fa089e3', '1', 'k'],
      ['EVAL', "return redis.call('INCR', KEYS[1])", '1', 'k'],
      [
        'EVAL',
        "for i = 1, 300000 do local x = i end; return redis.call('INCR', KEYS[1])",
        '1',
        'k',
      ],
    ]
    const file = lines.map((argv) => encodeCommand(argv)).join('')
    const node = start(folder(undefined, file), { replicaof: '127.0.0.1 1' })
    const client = node.client()
    client.say('SELECT 9')
    expect(client.say('GET k')).toBe('$3\r\n103\r\n')
    expect(node.logs.join()).not.toContain('failed')
  })

  test('is the base and every increment, in their order', () => {
    const files = folder(
      wireCommands('SET a 1', 'SET b 1'),
      wireCommands('INCR a'),
      wireCommands('SELECT 3', 'SET c 1'),
    )
    const client = start(files).client()
    expect([client.say('GET a'), client.say('DBSIZE')]).toEqual(['$1\r\n2\r\n', ':2\r\n'])
    client.say('SELECT 3')
    expect(client.say('KEYS *')).toBe('*1\r\n$1\r\nc\r\n')
  })

  test('begins each file in database 0', () => {
    const client = start(
      folder(wireCommands('SELECT 3', 'SET a 1'), wireCommands('SET b 1')),
    ).client()
    expect(client.say('KEYS *')).toBe('*1\r\n$1\r\nb\r\n')
  })

  test('may be RDB that commands follow', () => {
    const writer = new NodeHarness({ save: '' })
    const client = writer.client()
    client.say('SET a 1')
    client.say('SAVE')
    const rdb = writer.files.read('dump.rdb') as string
    expect(
      start(folder(rdb + wireCommands('INCR a'), wireCommands('INCR a')))
        .client()
        .say('GET a'),
    ).toContain('3')
  })

  test('may be nothing at all', () => {
    expect(
      start(folder('', '', ''))
        .client()
        .say('DBSIZE'),
    ).toBe(':0\r\n')
    expect(start(folder(undefined, '')).client().say('DBSIZE')).toBe(':0\r\n')
  })

  test('is carried out whether it has expired or not, and is deleted by those who ask', () => {
    const files = folder('', wireCommands('SET a 1 PXAT 1', 'PERSIST a', 'SET b 1 PXAT 1'))
    const client = start(files).client()
    expect([client.say('GET a'), client.say('GET b')]).toEqual(['$1\r\n1\r\n', '$-1\r\n'])
    expect(files.read(`${FOLDER}/appendonly.aof.1.incr.aof`)).toMatch(/DEL\r\n\$1\r\nb\r\n$/)
  })

  test('counts for nothing: no change, no command, no hit', () => {
    const files = folder(
      wireCommands('SET a 1', 'GET a', 'GET b', 'MULTI', 'INCR a', 'EXEC', 'BAD'),
    )
    const node = start(
      folder(wireCommands('SET a 1', 'GET a', 'GET b', 'LPUSH a x', 'MULTI', 'INCR a', 'EXEC')),
    )
    const info = node.client().say('INFO everything')
    for (const field of [
      ...['rdb_changes_since_last_save:0', 'total_commands_processed:1', 'keyspace_hits:0'],
      ...['keyspace_misses:0', 'total_error_replies:0', 'rdb_last_load_keys_loaded:0'],
    ]) {
      expect(info).toContain(field)
    }
    expect(info).not.toContain('cmdstat_set')
    expect(refusal(files)).toContain('BAD')
  })

  test('does not change how many keys INFO tells of the base', () => {
    const before = new NodeHarness({ appendonly: 'yes', save: '' })
    for (const line of ['SET a 1', 'SET b 1', 'BGREWRITEAOF']) before.client().say(line)
    before.advance(10)
    for (const line of ['SET c 1', 'DEL a b']) before.client().say(line)
    const info = start(before.files).client().say('INFO persistence')
    expect(info).toContain('rdb_last_load_keys_loaded:2\r\n')
  })

  test('may contain what fails, or has no place there: it is told, and then only counted', () => {
    const wrong = Array.from({ length: 15 }, () => 'LPUSH a x')
    const others = ['MULTI', 'LPUSH a x', 'INCR a', 'EXEC', 'PUBLISH c m', 'SHUTDOWN', 'GET']
    const node = start(folder(wireCommands('SET a 1', ...others, ...wrong)))
    expect(node.client().say('GET a')).toBe('$1\r\n2\r\n')
    expect(node.exitStatus).toBe(undefined)
    const told = node.logs.filter((line) => line.includes('failed'))
    expect(told).toHaveLength(11)
    expect(told[0]).toContain('WRONGTYPE')
    expect(told.at(-1)).toContain('9 more')
  })

  test('is not the dump, and that is said', () => {
    const writer = new NodeHarness({ save: '' })
    writer.client().say('SET a 1')
    writer.client().say('SAVE')
    const node = start(writer.files)
    expect(node.client().say('DBSIZE')).toBe(':0\r\n')
    expect(node.logs.filter((line) => line.includes('dump.rdb'))).toHaveLength(1)
    expect(node.files.paths()).toContain(`${FOLDER}/appendonly.aof.1.base.rdb`)
  })
})

test('while it is loaded nobody says what is loaded', () => {
  const disk = new SlowFiles(true)
  const writer = new NodeHarness(ON)
  for (let n = 0; n < 30; n++) writer.client().send('SET', `k${n}`, 'v'.repeat(100_000))
  for (const path of writer.files.paths()) disk.install(path, writer.files.read(path) ?? '')
  const node = new SlowDisk({ ...ON, 'enable-protected-configs': 'yes' }, disk)
  const client = node.client()
  // Before that nobody is answered.
  while (node.info('loading') === undefined) node.answer()
  for (const line of ['appendonly no', 'APPENDONLY no', 'dir /tmp', 'repl-diskless-load swapdb']) {
    expect(client.say(`CONFIG SET ${line}`)).toMatch(/^-LOADING /)
  }
  expect(client.say('CONFIG SET appendfsync no')).toBe('+OK\r\n')
  node.answerAll()
  expect(client.say('CONFIG SET appendonly no')).toBe('+OK\r\n')
})

describe('an end that is missing', () => {
  const sound = wireCommands('SET a 1')
  const ends = [
    ['a command', '*3\r\n$3\r\nSET\r\n$1\r\nb'],
    ['a transaction', wireCommands('MULTI', 'SET b 1')],
    ['a command of a transaction', `${wireCommands('MULTI', 'SET b 1')}*3\r\n$3\r\nSE`],
    ['a note', '#TS:170'],
  ] as const

  test.each(ends)('in the middle of %s is cut off', (_what, torn) => {
    const files = folder('', sound, sound + torn)
    const node = start(files)
    const client = node.client()
    expect([client.say('GET a'), client.say('EXISTS b')]).toEqual(['$1\r\n1\r\n', ':0\r\n'])
    expect(files.read(`${FOLDER}/appendonly.aof.2.incr.aof`)).toBe(sound)
    expect(node.logs.join()).toContain(`${torn.length} bytes of something incomplete`)
    client.say('SET c 1')
    expect(start(files).client().say('EXISTS a c')).toBe(':2\r\n')
  })

  test.each(ends)('in the middle of %s is refused if it may not be cut off', (_what, torn) => {
    const reason = refusal(folder('', sound + torn), { 'aof-load-truncated': 'no' })
    expect(reason).toContain(`appendonly.aof.1.incr.aof ends in the middle of`)
    expect(reason).toContain(`begins at byte ${sound.length}, and aof-load-truncated is no`)
  })

  test('is a hole if anything follows, and refused', () => {
    const reason = refusal(folder('', `${sound}*3\r\n`, sound))
    expect(reason).toContain('appendonly.aof.1.incr.aof')
    expect(reason).toContain('is not the last file')
    expect(refusal(folder(`${sound}*3\r\n`, sound))).toContain('is not the last file')
  })

  test('is none if only empty files follow', () => {
    const files = folder('', `${sound}*3\r\n`, '', '')
    const client = start(files).client()
    client.say('SET b 1')
    expect(start(files).client().say('EXISTS a b')).toBe(':2\r\n')
  })
})

describe('what is refused', () => {
  test.each([
    [
      'a line that is none',
      `${wireCommands('SET a 1')}hello\r\n`,
      /damaged at byte 27: a command should begin there, with '\*'/,
      'redis-check-aof --fix appendonlydir/appendonly.aof.manifest',
    ],
    [
      'a command nobody knows',
      wireCommands('SET a 1', 'NOSUCH a'),
      /the command 'NOSUCH', which .* before byte 50/,
      'Start it with a server that knows the command',
    ],
    [
      'a database that is not here',
      wireCommands('SELECT 99', 'SET a 1'),
      /selects database 99/,
      'Give databases in the configuration a greater number',
    ],
    [
      'damaged RDB',
      'REDIS0011 nonsense',
      /appendonly\.aof\.1\.base\.aof is damaged at byte \d+/,
      'redis-check-aof cannot mend it',
    ],
    [
      'RDB of a newer Valkey',
      'VALKEY081',
      /base\.aof cannot be read from byte 0 on: it has RDB version 81/,
      'Start it with the server that wrote it',
    ],
    [
      'RDB of a newer server',
      'REDIS0013',
      /base\.aof cannot be read from byte 0 on: it has RDB version 13/,
      'Start it with the server that wrote it',
    ],
  ])('%s', (_what, base, reason, wayOut) => {
    const text = refusal(folder(base, ''))
    expect(text).toMatch(reason)
    expect(text).toContain(wayOut)
  })

  test('damage before the last file, which redis-check-aof does not mend', () => {
    const text = refusal(folder('', `${wireCommands('SET a 1')}hello\r\n`, wireCommands('SET b 1')))
    expect(text).toContain('incr.aof is damaged at byte 27')
    expect(text).toContain('redis-check-aof mends only the last file')
  })

  test('a file that is missing', () => {
    const files = folder('', '')
    files.ask({ kind: 'remove', path: `${FOLDER}/appendonly.aof.1.incr.aof` })
    const text = refusal(files)
    expect(text).toContain('appendonly.aof.1.incr.aof is missing')
    expect(text).toContain('Put it back from a copy')
  })

  test('a damaged manifest, with the line', () => {
    const files = folder('')
    files.install(MANIFEST, 'file appendonly.aof.1.base.aof seq 1 type b\n\n')
    const text = refusal(files)
    expect(text).toContain('manifest is damaged in line 2: it is blank')
    expect(text).toContain('write it anew')
  })

  test('a full disk without an append-only file, and the way out', () => {
    const files = new DataFiles()
    files.failWith({ operation: 'write', code: 'ENOSPC' })
    const node = start(files)
    expect(node.exitStatus).toBe(1)
    expect(node.logs.at(-1)).toMatch(/cannot be written: ENOSPC\. Make room on the disk/)
  })

  test('not: a full disk with files that are complete; the node starts and refuses writes', () => {
    const files = folder(wireCommands('SET a 1'), '')
    files.failWith({ operation: 'write', code: 'ENOSPC' })
    const node = start(files)
    expect([node.exitStatus, node.isReady]).toEqual([undefined, true])
    expect(node.logs.join()).toContain('manifest stays as it is: ENOSPC. Make room on the disk')
    const client = node.client()
    client.say('SET a 2')
    expect(client.say('SET a 3')).toMatch(/^-MISCONF Errors writing to the AOF file/)
    expect(client.say('GET a')).toContain('1')
  })

  test('a folder that cannot be written, although the data are loaded', () => {
    const files = folder(wireCommands('SET a 1'), '')
    files.failWith({ operation: 'sync', code: 'EROFS' })
    const node = start(files)
    expect([node.exitStatus, node.logs.at(-1)]).toEqual([1, expect.stringContaining('EROFS')])
  })
})

describe('the single file of a server before 7.0', () => {
  function single(): DataFiles {
    const files = new DataFiles()
    files.install('appendonly.aof', wireCommands('SELECT 2', 'SET a 1'))
    return files
  }

  function check(files: DataFiles): void {
    const client = start(files).client()
    client.say('SELECT 2')
    expect(client.say('GET a')).toBe('$1\r\n1\r\n')
    expect(files.paths()).toEqual([
      ...['appendonly.aof', 'appendonly.aof.1.incr.aof', 'appendonly.aof.manifest'].map(
        (name) => `${FOLDER}/${name}`,
      ),
    ])
  }

  test('becomes the base', () => {
    const files = single()
    check(files)
    check(files)
  })

  test('is found where it was if the last process did not come to moving it', () => {
    const files = single()
    files.install(MANIFEST, 'file appendonly.aof seq 1 type b\n')
    check(files)
  })

  test('survives a power cut at any moment', () => {
    for (let changes = 0; changes < 12; changes++) {
      const files = new DyingFiles(changes)
      files.install('appendonly.aof', wireCommands('SELECT 2', 'SET a 1'))
      try {
        start(files)
      } catch (problem) {
        expect(problem).toBe(POWER_CUT)
      }
      files.changesLeft = Number.POSITIVE_INFINITY
      files.losePower(createRng(`${changes}`))
      check(files)
    }
  })

  test('stays where it is if it cannot be loaded', () => {
    const files = new DataFiles()
    files.install('appendonly.aof', 'nonsense')
    expect(refusal(files)).toContain('appendonly.aof is damaged at byte 0')
  })
})

test('mutated files are loaded or refused, and never anything else', () => {
  const text = wireCommands(
    'SET a 1',
    'MULTI',
    'RPUSH l a b',
    'EXEC',
    'SELECT 1',
    'ZADD z 1 a',
    'DEL a',
  )
  const change = fc.tuple(fc.nat(text.length - 1), fc.integer({ min: 0, max: 255 }))
  fc.assert(
    fc.property(fc.array(change, { maxLength: 3 }), fc.nat(text.length), (changes, length) => {
      const chars = [...text]
      for (const [at, code] of changes) chars[at] = String.fromCharCode(code)
      const files = folder('', chars.join('').slice(0, length))
      const node = start(files)
      if (node.exitStatus !== undefined) {
        expect(node.exitStatus).toBe(1)
      } else {
        const digest = keyspaceDigest(node.node.keyspace)
        expect(keyspaceDigest(start(files).node.keyspace)).toBe(digest)
      }
    }),
    { numRuns: 60 },
  )
})
