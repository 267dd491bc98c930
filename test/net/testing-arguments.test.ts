/** What a test hands to a cluster and it cannot take, in JavaScript too: refused in words, at once. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runScenario } from '../../src/exports/scenario.ts'
import { simulate } from '../../src/exports/simulate.ts'
import {
  type Cluster,
  startCluster,
  startSentinel,
  startServer,
} from '../../src/exports/testing.ts'
import { ask, wordsOf } from '../../src/testing/wire.ts'

/** Calls it as JavaScript would, without types. */
// biome-ignore lint/suspicious/noExplicitAny: that is what is tested.
type Untyped = any

describe('options', () => {
  test.each([
    [null, 'startCluster: an object, not null'],
    [[], 'startCluster: an object, not a list'],
    [{ groups: 'orders' }, "groups: a list of texts, not 'orders'"],
    [{ password: 5 }, 'password: a text, not 5'],
    [{ seed: 7 }, 'seed: a text, not 7'],
    [{ seed: '' }, "seed: a number or a word, such as '7', not ''"],
    [{ directives: { 'rename-command': 'KEYS x' } }, 'rename-command is not for a cluster: a node'],
    [{ users: { app: 'on' } }, 'users: a list of texts, not an object'],
    [{ users: ['default off'] }, 'users: members log in as default; give your users other names'],
    [{ tls: true }, 'tls: an object, not true'],
    [
      { tls: { cert: 'x' } },
      "tls: there is no option 'cert'; did you mean certFile? There are certFile, keyFile, caFile",
    ],
    [{ tls: { certFile: 'x' } }, 'tls: keyFile, the path of a PEM file: a text, not undefined'],
    [{ directives: ['x'] }, 'directives: names with texts, not a list'],
    [{ directives: { maxmemory: 5 } }, 'directives: maxmemory: a text, not 5'],
    [{ directives: { requirepass: 'x' } }, 'requirepass is not for a cluster: the option password'],
    [{ directives: { port: '7000' } }, 'port is not for a cluster: members listen on free ports'],
    [{ directives: { Bind: '0.0.0.0' } }, 'Bind is not for a cluster: members listen on free'],
    [{ directives: { 'tls-port': '7000' } }, 'tls-port is not for a cluster'],
    [{ directives: { aclfile: 'x' } }, 'aclfile is not for a cluster: the option users'],
    [
      { directives: { 'Sync-Replication': 'yes' } },
      'sync-replication is for strict groups, of which the Sentinels of a cluster know nothing',
    ],
    [{ directives: { dir: '/' } }, 'dir is not for a cluster: a member has a folder of its own'],
    [
      { engine: 'process-lite', directives: { daemonize: 'yes' } },
      'daemonize is not for a cluster',
    ],
  ])('startCluster(%j) is refused in words', async (options, text) => {
    await expect(startCluster(options as Untyped)).rejects.toThrow(text)
  })

  test.each([
    [
      { pasword: 'x' },
      "startServer: there is no option 'pasword'; did you mean password? There are password, directives",
    ],
    [{ password: null }, 'password: a text, not null'],
    [{ directives: { port: '7000' } }, 'port is not for a test'],
    [{ directives: { unixsocket: '/tmp/x' } }, 'unixsocket is not for a test: the server takes'],
    [{ directives: { aclfile: 'x' } }, 'aclfile is not for a test: send it ACL SETUSER'],
  ])('startServer(%j) is refused in words', async (options, text) => {
    await expect(startServer(options as Untyped)).rejects.toThrow(text)
  })

  test.each([
    [undefined, 'startSentinel: an object, not undefined'],
    [{}, 'masters: name at least one, with host and port'],
    [{ masters: null }, 'masters: an object, not null'],
    [{ masters: { a: { host: 'h' } } }, 'masters: a: port: a whole number from 1 to 65535'],
    [{ masters: { a: { host: 'h', port: '6379' } } }, "from 1 to 65535, not '6379'"],
    [{ masters: { a: { ip: 'h', port: 1 } } }, "masters: a: there is no option 'ip'"],
    [{ masters: { a: { host: 'h', port: 1 } }, quorum: 0 }, 'quorum: a whole number from 1 on'],
  ])('startSentinel(%j) is refused in words', async (options, text) => {
    await expect(startSentinel(options as Untyped)).rejects.toThrow(text)
  })

  const MASTER = { host: '127.0.0.1', port: 6379 }

  test.each([
    ['', 'masters: a group needs a name'],
    ['my master', "no blanks, commas or control characters, not 'my master'"],
    ['one,two', 'no blanks, commas or control characters'],
    ['one\ntwo', 'no blanks, commas or control characters'],
    ['"orders"', 'a group name has no quotes'],
  ])('startSentinel for a group called %j is refused in words', async (name, text) => {
    await expect(startSentinel({ masters: { [name]: MASTER } })).rejects.toThrow(text)
  })

  test.each([
    ['', "masters: a: host: an address or a name, such as 127.0.0.1 or localhost, not ''"],
    [' 127.0.0.1', "an address or a name, such as 127.0.0.1 or localhost, not ' 127.0.0.1'"],
    ['local\nhost', 'an address or a name'],
    ['[::1]', 'an address or a name, without the brackets'],
    ['127.1', 'as four numbers'],
    ['no.such.host.invalid', "masters: a: host: 'no.such.host.invalid' has no address ("],
  ])('startSentinel for a master at %j is refused in words', async (host, text) => {
    await expect(startSentinel({ masters: { a: { host, port: 6379 } } })).rejects.toThrow(text)
  })

  test('startSentinel takes a name of UTF-8, and a host by its name', async () => {
    const server = await startServer()
    const { port } = server
    const sentinel = await startSentinel({ masters: { größe: { host: 'localhost', port } } })
    try {
      const told = await ask(
        { member: sentinel.sentinel, login: {}, isCut: false },
        'SENTINEL',
        'GET-MASTER-ADDR-BY-NAME',
        'größe',
      )
      expect(wordsOf(told)[1]).toBe(`${port}`)
      expect(sentinel.masterOf('größe')).toEqual({ host: 'localhost', port })
    } finally {
      await sentinel.stop()
      await server.stop()
    }
  })

  const CONFIG = 'groups: { mymaster: { master: 10.0.0.1:6379, quorum: 2 } }'

  test.each([
    [null, 'simulate: an object, not null'],
    [{ seed: 1 }, "simulate: there is no option 'seed'; did you mean seeds? There are"],
    [{ file: 5 }, 'file: a text, not 5'],
    [{ seeds: '2' }, "seeds: a whole number from 1 to 1000000, not '2'"],
    [{ seeds: 1e9 }, 'seeds: a whole number from 1 to 1000000, not 1000000000'],
    [{ profile: 'LAN' }, "profile: one of lan, cross-zone, wan, not 'LAN'"],
    [{ profile: 'constructor' }, 'profile: one of lan, cross-zone, wan'],
    [{ sentinels: '3' }, "sentinels: a whole number from 1 to 256, not '3'"],
    [{ sentinels: 0 }, 'sentinels: a whole number from 1 to 256, not 0'],
    [{ replicas: -1 }, 'replicas: a whole number from 0 to 100, not -1'],
    [{ writesPerSecond: 0 }, 'writesPerSecond: a whole number from 1 to 1000, not 0'],
    [{ directives: null }, 'directives: names with texts, not null'],
    [{ directives: { maxmemory: 5 } }, 'directives: maxmemory: a text, not 5'],
    [{ directives: { save: 'x' } }, 'directives: save x: '],
    [{ directives: { Port: '7000' } }, 'Port 7000: the configuration says where the master is'],
    [{ directives: { replicaof: '10.0.0.2 6379' } }, 'and its replicas follow it; leave this out'],
    [{ directives: { requirepass: 'x' } }, 'ask each other for no password; leave this out'],
    [{ directives: { appendonyl: 'yes' } }, 'no such directive; did you mean appendonly?'],
  ])('simulate(config, %j) is refused in words', async (options, text) => {
    await expect(simulate(CONFIG, options as Untyped)).rejects.toThrow(text)
    await expect(simulate(CONFIG, options as Untyped)).rejects.toThrow(TypeError)
  })

  test('simulate lets others run between two histories: a runner can end it', async () => {
    let histories = 0
    const playing = simulate(CONFIG, { seeds: 3 }).then(() => histories)
    const count = () => {
      histories++
      setImmediate(count).unref()
    }
    setImmediate(count)
    expect(await playing).toBeGreaterThanOrEqual(2)
  })

  test.each([
    [[], 'runScenario: an object, not a list'],
    [{ sed: '1' }, "runScenario: there is no option 'sed'; did you mean seed? There are file"],
    [{ seed: 5 }, 'seed: a text, not 5'],
    [{ seed: '' }, "seed: a number or a word, such as '7', not ''"],
    [{ file: 7 }, 'file: a text, not 7'],
    [{ engine: 'tpc' }, "engine: one of sim, tcp, not 'tpc'"],
    [{ graceMs: '5' }, "graceMs: milliseconds from 0 to 2147483647, not '5'"],
    [{ engine: 'tcp', graceMs: Number.NaN }, 'graceMs: milliseconds'],
  ])('runScenario(text, %j) is refused in words', async (options, text) => {
    await expect(runScenario('', options as Untyped)).rejects.toThrow(text)
  })

  test('runScenario and simulate take what stands in a file, and say so of its name', async () => {
    await expect(runScenario('test/kill.yml')).rejects.toThrow(
      "the text of a scenario: what stands in the file, readFileSync('test/kill.yml', 'utf8'), not its name",
    )
    await expect(simulate('sentinel.conf')).rejects.toThrow("readFileSync('sentinel.conf', 'utf8')")
  })

  test('runScenario and simulate refuse what is no text', async () => {
    const { run, play }: { run: Untyped; play: Untyped } = { run: runScenario, play: simulate }
    await expect(run()).rejects.toThrow('the text of a scenario: a text, not undefined')
    await expect(play()).rejects.toThrow('the text of a configuration: a text, not undefined')
  })

  test('an option that is undefined is as one that is left out', async () => {
    const options: Untyped = { seeds: 1, profile: undefined, replicas: undefined }
    expect(await simulate(CONFIG, options)).toMatchObject({ ok: true })
  })
})

describe('what is done to a cluster', () => {
  let cluster: Untyped

  beforeAll(async () => {
    cluster = await startCluster({ replicas: 1, clock: 'manual' })
  })
  afterAll(() => cluster.stop())

  test.each<[string, (one: Untyped) => unknown, string]>([
    ['partition()', (one) => one.partition(), 'partition: an object, not undefined'],
    ['a partition of nobody', (one) => one.partition({}), 'there is no party undefined; there are'],
    ['a mistyped end', (one) => one.partition({ form: 'n1' }), "there is no option 'form'"],
    ['a partition of a text', (one) => one.partition('n1'), "partition: an object, not 'n1'"],
    [
      'cut off from a text',
      (one) => one.master.partition('n2'),
      "as in { to: 'n2' }, not 'n2' alone",
    ],
    ['cut off from a member', (one) => one.master.partition(one.replicas[0]), 'not n2 alone'],
    [
      'slow to a list',
      (one) => one.master.slow(5, ['n2']),
      "slow: the others, as in { to: 'n2' }, not a list alone",
    ],
    ['cut off on both sides', (one) => one.master.partition({ from: 'n2' }), "no option 'from'"],
    ['a note of nothing', (one) => one.note(), 'note: a text, not undefined'],
    ['an empty note', (one) => one.note(''), 'note: a text of one character at least'],
    [
      'a way to itself',
      (one) => one.partition({ from: 'n1', to: 'n1' }),
      'there is no way from n1 to n1',
    ],
    ['slow as a text', (one) => one.slow({ from: 'n1', ms: '5' }), "not '5'"],
    ['slow for ever', (one) => one.slow({ from: 'n1', ms: 1e12 }), 'from 0 to 2147483647'],
    ['a stall for ever', (one) => one.master.stall(Infinity), 'stall: milliseconds'],
    ['a jump to nowhere', (one) => one.master.clock.jump(Number.NaN), 'clock.jump: milliseconds'],
    ['a jump as a text', (one) => one.master.clock.jump('5'), "negative ones for back, not '5'"],
    ['a jump beyond all calendars', (one) => one.master.clock.jump(1e18), 'up to 36000000000'],
    ['a load of nothing', (one) => one.writes().start({ perSecond: 0 }), 'perSecond: a number'],
    ['a load of too much', (one) => one.writes().start({ perSecond: 5_000 }), 'up to 1000'],
    ['a load as a text', (one) => one.writes().start({ perSecond: '5' }), "up to 1000, not '5'"],
    [
      'one way as a text',
      (one) => one.partition({ from: 'n1', oneWay: 'no' }),
      "oneWay: true or false, not 'no'",
    ],
    ['a format alone', (one) => one.timeline('html'), "timeline: an object, not 'html'"],
    ['a mistyped format', (one) => one.timeline({ html: true }), "there is no option 'html'"],
    ['logs as a text', (one) => one.timeline({ withLogs: 'no' }), "true or false, not 'no'"],
    ['a write without a value', (one) => one.writes().note('key'), 'note: the value: a text'],
    ['a write by a name', (one) => one.writes().note('key', 'x', 'n1'), 'such as cluster.master'],
  ])('%s is refused in words', (_, act, text) => {
    expect(() => act(cluster)).toThrow(text)
  })

  test.each<[string, (one: Untyped) => Promise<unknown>, string]>([
    ['to a name', (one) => one.failover({ to: 'n2' }), 'such as cluster.replicas[0]'],
    ['a mistyped failover', (one) => one.failover({ coordinate: true }), "no option 'coordinate'"],
    [
      'a switch from a name',
      (one) => one.until.switched({ from: 'n1' }),
      "switched: from is a node of mymaster, such as cluster.master, not 'n1'",
    ],
    [
      'a switch from a Sentinel',
      (one) => one.until.switched({ from: one.sentinels[0] }),
      'such as cluster.master, not an object',
    ],
    [
      'a handover as a text',
      (one) => one.failover({ coordinated: 'no' }),
      "failover: coordinated: true or false, not 'no'",
    ],
    ['a seed in a Map', (one) => one.seed(new Map([['key', 'x']])), 'seed: names with texts'],
    ['no scenario', (one) => one.scenario(), 'the path of a file, or its URL, not undefined'],
    ['a scenario by number', (one) => one.scenario(0), 'the path of a file, or its URL, not 0'],
    ['a scenario that is a folder', (one) => one.scenario('/'), 'scenario: cannot read /: '],
    [
      'a step of the simulated world',
      (one) => one.at([{ at: '0s', 'clock-drift': { process: 'n1', rate: 2 } }]),
      'clock-drift cannot be done to a cluster in a test; there are kill, pause,',
    ],
    [
      'a step of an unknown action, with those there are for a cluster alone',
      (one) => one.at([{ at: '0s', frobnicate: 'n1' } as never]),
      'exactly one of kill, pause, resume, start, restart, stall, partition, cut, hold, heal, release, clock-jump, disk-failure, disk-repair, repeat; it has none',
    ],
    ['a seed of numbers', (one) => one.seed({ key: 5 }), 'seed: key: a text, not 5'],
    ['an endless advance', (one) => one.advance(Infinity), 'advance: milliseconds from 0'],
    ['a bound of another name', (one) => one.until.settled({ timeout: 5 }), "no option 'timeout'"],
    ['a bound below 0', (one) => one.until.settled({ withinMs: -1 }), 'withinMs: milliseconds'],
    ['a wait for a text', (one) => one.until.true('it', 'that'), "not 'that'"],
    ['a wait for a truth', (one) => one.until.true('it', () => true), 'not one that returns true'],
  ])('%s is refused in words', async (_, act, text) => {
    await expect(act(cluster)).rejects.toThrow(text)
  })
})

describe.each(['running', 'manual'] as const)('after the end of a cluster, clock %s', (clock) => {
  let cluster: Cluster

  beforeAll(async () => {
    cluster = await startCluster({ replicas: 1, sentinels: 1, clock })
  })

  test('a wait that was under way ends, and nothing can be waited for or started', async () => {
    const waiting = cluster.until.true('what never comes', () => ['it']).catch((error) => error)
    await cluster.stop()
    expect(String(await waiting)).toContain('the cluster is stopped: await')
    await expect(cluster.until.switched()).rejects.toThrow('the cluster is stopped')
    await expect(cluster.reset()).rejects.toThrow('the cluster is stopped')
    const { master } = cluster
    const acts: (() => unknown)[] = [
      () => master.restart(),
      () => master.stall(5),
      () => master.partition(),
      () => master.slow(5),
      () => master.clock.jump(5),
      () => cluster.partition({ from: 'n1' }),
      () => cluster.slow({ from: 'n1', ms: 5 }),
      () => cluster.writes().start(),
    ]
    for (const act of acts) expect(act).toThrow('the cluster is stopped')
    const orders: (() => Promise<unknown>)[] = [
      () => cluster.at([]),
      () => cluster.scenario('x.yml'),
      () => cluster.failover(),
      () => cluster.seed({}),
      () => cluster.writes().lost(),
    ]
    for (const order of orders) await expect(order()).rejects.toThrow('the cluster is stopped')
  })
})
