import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Settings } from '../../../src/server/settings/settings.ts'
import { NodeHarness } from '../../support/node-harness.ts'

/** What redis-server 7.0.15 answers to CONFIG GET * if it was started without a file. */
const REDIS_DEFAULTS = new Map(
  readFileSync(new URL('./testdata/redis-7.0.15-defaults.txt', import.meta.url), 'utf8')
    .split('\n')
    .map((line) => [line.split(' ', 1)[0] ?? '', line.slice(line.indexOf(' ') + 1 || line.length)]),
)
/** docs/departures.md: a copy needs no fork here, so nothing is gained by waiting for more replicas. */
const OTHER_DEFAULTS = ['repl-diskless-sync-delay']

describe('a directive', () => {
  test('that Redis has is at first as it is in Redis', () => {
    const known = new Settings().match('*').filter(([name]) => REDIS_DEFAULTS.has(name))
    expect(known.length).toBeGreaterThan(180)
    const others = known.filter(([name, value]) => REDIS_DEFAULTS.get(name) !== value)
    expect(others.map(([name]) => name)).toEqual(OTHER_DEFAULTS)
  })

  test('for tests is shown to who names it, and not among all', () => {
    const settings = new Settings()
    expect(settings.match('key-load-delay')).toEqual([['key-load-delay', '0']])
    const shown = settings.match('*').map(([name]) => name)
    for (const name of [
      'key-load-delay',
      'loading-process-events-interval-bytes',
      'watchdog-period',
    ])
      expect(shown).not.toContain(name)
  })

  test('at the end of its range is shown as it was given', () => {
    const settings = new Settings()
    for (const value of ['9223372036854775807', '9007199254740992', '4294967295']) {
      expect(settings.set('repl-backlog-ttl', value)).toBeUndefined()
      expect(settings.get('repl-backlog-ttl')).toBe(value)
    }
    expect(settings.set('repl-backlog-ttl', '9223372036854775808')).toMatch(
      /must be between|parsed/,
    )
  })

  test('maxclients has the range that it has in Redis', () => {
    const settings = new Settings()
    expect(settings.set('maxclients', '4294967295')).toBeUndefined()
    expect(settings.get('maxclients')).toBe('4294967295')
    expect(settings.set('maxclients', '4294967296')).toMatch(/between 1 and 4294967295 inclusive/)
  })

  test('is known by both names of a pair', () => {
    const settings = new Settings()
    expect(settings.set('slave-priority', '7')).toBeUndefined()
    expect(settings.int('replica-priority')).toBe(7)
    expect(settings.match('*-priority')).toEqual([
      ['replica-priority', '7'],
      ['slave-priority', '7'],
    ])
  })

  test('is shown the way Redis shows it', () => {
    const settings = new Settings()
    settings.set('repl-backlog-size', '2mb')
    settings.set('client-output-buffer-limit', 'replica 1mb 512kb 10')
    settings.set('notify-keyspace-events', 'gKEA')
    expect(settings.get('repl-backlog-size')).toBe('2097152')
    expect(settings.get('client-output-buffer-limit')).toBe(
      'normal 0 0 0 slave 1048576 524288 10 pubsub 33554432 8388608 60',
    )
    expect(settings.get('notify-keyspace-events')).toBe('AKE')
  })

  test('given by several save lines of a file has them all', () => {
    const settings = new Settings()
    settings.load('save', ['900', '1'])
    settings.load('save', ['300', '10'])
    expect(settings.text('save')).toBe('900 1 300 10')
    settings.load('save', [''])
    expect(settings.text('save')).toBe('')
  })

  test('that is nonsense is refused with a reason and keeps its value', () => {
    const settings = new Settings()
    expect(settings.set('port', 'x')).toBe("argument couldn't be parsed into an integer")
    expect(settings.set('port', '70000')).toBe('argument must be between 0 and 65535 inclusive')
    expect(settings.int('port')).toBe(6379)
    expect(settings.knows('nosuch')).toBe(false)
  })

  test('tells who wants to know that it was set', () => {
    const settings = new Settings()
    const seen: number[] = []
    settings.onChange('repl-backlog-size', () => seen.push(settings.int('repl-backlog-size')))
    settings.set('repl-backlog-size', '1mb')
    settings.change([['repl-backlog-size', 'nonsense']], '127.0.0.1')
    settings.change([['REPL-BACKLOG-SIZE', '2mb']], '127.0.0.1')
    expect(seen).toEqual([1_048_576, 2_097_152])
  })
})

describe('a line without a word', () => {
  test('is a list of none where a directive is a list', () => {
    const settings = new Settings()
    expect(settings.load('latency-tracking-info-percentiles', [])).toBeUndefined()
    expect(settings.text('latency-tracking-info-percentiles')).toBe('')
    expect(settings.load('bind', [])).toBeUndefined()
    expect(settings.text('bind')).toBe('')
  })

  test('is refused with what there may be, or with the number of words', () => {
    const settings = new Settings()
    expect(settings.load('shutdown-on-sigterm', [])).toContain('must be one of the following')
    expect(settings.load('oom-score-adj-values', [])).toBe('wrong number of arguments')
    for (const name of ['port', 'requirepass', 'replicaof']) {
      expect(settings.load(name, [])).toBe('wrong number of arguments')
    }
  })
})

describe('CONFIG SET', () => {
  const OPEN = { 'protected-mode': 'no' }

  test('changes everything or nothing', () => {
    const client = new NodeHarness().client()
    expect(client.send('CONFIG', 'SET', 'hz', '50', 'timeout', 'x')).toMatch(
      /^-ERR CONFIG SET failed \(possibly related to argument 'timeout'\)/,
    )
    expect(client.say('CONFIG GET hz')).toContain('10')
    expect(client.say('CONFIG SET hz 50 timeout 7')).toBe('+OK\r\n')
    expect(client.say('CONFIG GET hz')).toContain('50')
  })

  test('of a protected directive is for clients of this machine, if that is local', () => {
    const harness = new NodeHarness({ ...OPEN, 'enable-protected-configs': 'local' })
    const [near, far] = [harness.client(), harness.client('10.0.0.9')]
    expect(far.say('CONFIG SET dbfilename far.rdb')).toMatch(/- can't set protected config/)
    expect(near.say('CONFIG SET dbfilename near.rdb')).toBe('+OK\r\n')
    expect(far.say('CONFIG GET dbfilename')).toContain('near.rdb')
  })

  test('of a protected directive is for any client or for none, if that is yes or no', () => {
    for (const [allowed, answer] of [
      ['yes', '+OK\r\n'],
      ['no', "can't set protected config"],
    ] as const) {
      const harness = new NodeHarness({ ...OPEN, 'enable-protected-configs': allowed })
      for (const host of ['127.0.0.1', '10.0.0.9']) {
        expect(harness.client(host).say('CONFIG SET dbfilename new.rdb')).toContain(answer)
      }
    }
  })

  test('of a password does not throw out who is connected', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    client.say('CONFIG SET requirepass secret')
    expect(client.say('PING')).toBe('+PONG\r\n')
    expect(harness.client().say('PING')).toMatch(/^-NOAUTH/)
  })
})

describe('a guarded directive', () => {
  function guarded(judge: (settings: Settings) => string | undefined) {
    const settings = new Settings()
    const announced: string[] = []
    settings.guard(['tls-cert-file', 'tls-key-file'], () => judge(settings))
    settings.onChange('tls-cert-file', () => announced.push(settings.text('tls-cert-file')))
    return { settings, announced }
  }

  test('is judged with all the new values in place', () => {
    const { settings, announced } = guarded((all) =>
      all.text('tls-key-file') === '/new.key' ? undefined : 'does not fit',
    )
    const pairs = [
      ['tls-cert-file', '/new.crt'],
      ['TLS-KEY-FILE', '/new.key'],
    ] as const
    expect(settings.change(pairs, '127.0.0.1')).toBeUndefined()
    expect(announced).toEqual(['/new.crt'])
  })

  test('that is refused takes the whole change back', () => {
    const { settings, announced } = guarded(() => 'cannot be read')
    const problem = settings.change(
      [
        ['timeout', '7'],
        ['tls-cert-file', '/new.crt'],
      ],
      '127.0.0.1',
    )
    expect(problem).toEqual({ kind: 'refused', name: 'tls-cert-file', reason: 'cannot be read' })
    expect([settings.int('timeout'), settings.text('tls-cert-file')]).toEqual([0, ''])
    expect(announced).toEqual([])
  })

  test('is not judged when another one changes, nor when the file is read', () => {
    const { settings } = guarded(() => 'never')
    expect(settings.change([['timeout', '7']], '127.0.0.1')).toBeUndefined()
    expect(settings.load('tls-cert-file', ['/new.crt'])).toBeUndefined()
  })
})

describe('CONFIG REWRITE', () => {
  test('keeps what differs from the file, the role included, and never the rest', () => {
    const harness = new NodeHarness({ timeout: '5' }, true)
    const client = harness.client()
    client.bytes('CONFIG SET hz 50\r\nREPLICAOF 10.0.0.9 6379\r\n')
    expect(client.say('CONFIG REWRITE')).toBe('+OK\r\n')
    expect(harness.saved).toEqual([
      new Map([
        ['hz', '50'],
        ['replicaof', '10.0.0.9 6379'],
      ]),
    ])
  })

  test('says why it could not be kept', () => {
    const harness = new NodeHarness({}, true)
    harness.saveResult = 'ERR Rewriting config file: disk full'
    expect(harness.client().say('CONFIG REWRITE')).toBe('-ERR Rewriting config file: disk full\r\n')
  })
})

test('a line with more words than its directive takes is refused, and its value stays', () => {
  // The second word is mostly a comment, which would become a part of the password or of the file's name.
  const settings = new Settings()
  const names = [
    'requirepass',
    'masterauth',
    'dbfilename',
    'dir',
    'port',
    'maxmemory',
    'tls-protocols',
  ]
  for (const name of names) {
    const before = settings.get(name)
    expect([name, settings.load(name, ['7', '#', 'the'])]).toEqual([
      name,
      'wrong number of arguments',
    ])
    expect(settings.get(name)).toBe(before)
  }
  expect(settings.load('replicaof', ['10.0.0.1', '6379', '#'])).toBe('wrong number of arguments')
  expect(settings.load('requirepass', ['a quoted secret'])).toBeUndefined()
  expect(settings.text('requirepass')).toBe('a quoted secret')
})

test('directives of several words take them in one line', () => {
  const settings = new Settings()
  for (const line of [
    'bind 127.0.0.1 ::1',
    'replicaof 10.0.0.1 6379',
    'save 60 1 300 10',
    'client-output-buffer-limit normal 0 0 0 replica 1 2 3',
    'oom-score-adj-values 1 2 3',
    'latency-tracking-info-percentiles 50 99',
    'shutdown-on-sigterm now force',
    'http-bind 127.0.0.1 ::1',
    'client-addresses 203.0.113.0/24 10.0.0.1:6379 198.51.100.7:7001',
  ]) {
    const [name = '', ...args] = line.split(' ')
    expect([line, settings.load(name, args)]).toEqual([line, undefined])
  }
})

test('a replicaof without a port in range is refused: the node would start as a master', () => {
  const settings = new Settings()
  for (const port of ['abc', '7100x', '99999', '-1', '1e3']) {
    expect([port, settings.load('replicaof', ['10.0.0.1', port])]).toEqual([
      port,
      'Invalid master port',
    ])
  }
  expect(settings.load('replicaof', ['10.0.0.1'])).toBe('wrong number of arguments')
  for (const empty of [[''], ['', ''], [' ']])
    expect(settings.load('replicaof', empty)).toBe('wrong number of arguments')
  expect(settings.text('replicaof')).toBe('')
  // One word in quotes, as CONFIG REWRITE may write it, and the form of a master.
  for (const [line, value] of [
    ['10.0.0.1 6379', '10.0.0.1 6379'],
    ['No One', ''],
  ] as const) {
    expect([line, settings.load('replicaof', [line])]).toEqual([line, undefined])
    expect(settings.text('replicaof')).toBe(value)
  }
})
