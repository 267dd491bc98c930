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
    [{ users: { app: 'on' } }, 'users: a list of texts, not an object'],
    [{ tls: true }, 'tls: an object, not true'],
    [{ tls: { cert: 'x' } }, "tls: there is no option 'cert'; there are certFile, keyFile, caFile"],
    [{ tls: { certFile: 'x' } }, 'tls: keyFile, the path of a PEM file: a text, not undefined'],
    [{ directives: ['x'] }, 'directives: names with texts, not a list'],
    [{ directives: { maxmemory: 5 } }, 'directives: maxmemory: a text, not 5'],
    [{ directives: { requirepass: 'x' } }, 'requirepass is not for a cluster: the option password'],
    [{ directives: { port: '7000' } }, 'port is not for a cluster: members listen on free ports'],
  ])('startCluster(%j) is refused in words', async (options, text) => {
    await expect(startCluster(options as Untyped)).rejects.toThrow(text)
  })

  test.each([
    [{ pasword: 'x' }, "startServer: there is no option 'pasword'; there are password, directives"],
    [{ password: null }, 'password: a text, not null'],
    [{ directives: { port: '7000' } }, 'port is not for a test'],
  ])('startServer(%j) is refused in words', async (options, text) => {
    await expect(startServer(options as Untyped)).rejects.toThrow(text)
  })

  test.each([
    [undefined, 'startSentinel: an object, not undefined'],
    [{}, 'masters: name at least one, with host and port'],
    [{ masters: { a: { host: 'h' } } }, 'masters: a: port: a whole number from 1 to 65535'],
    [{ masters: { a: { host: 'h', port: '6379' } } }, "from 1 to 65535, not '6379'"],
    [{ masters: { a: { ip: 'h', port: 1 } } }, "masters: a: there is no option 'ip'"],
    [{ masters: { a: { host: 'h', port: 1 } }, quorum: 0 }, 'quorum: a whole number from 1 on'],
  ])('startSentinel(%j) is refused in words', async (options, text) => {
    await expect(startSentinel(options as Untyped)).rejects.toThrow(text)
  })

  test('runScenario and simulate refuse what is no text, and options that they do not know', async () => {
    const { run, play }: { run: Untyped; play: Untyped } = { run: runScenario, play: simulate }
    await expect(run()).rejects.toThrow('the text of a scenario: a text, not undefined')
    await expect(run('', { sed: '1' })).rejects.toThrow("runScenario: there is no option 'sed'")
    await expect(play()).rejects.toThrow('the text of a configuration: a text, not undefined')
    await expect(play('', { seed: 1 })).rejects.toThrow("simulate: there is no option 'seed'")
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
    [
      'a way to itself',
      (one) => one.partition({ from: 'n1', to: 'n1' }),
      'there is no way from n1 to n1',
    ],
    ['slow as a text', (one) => one.slow({ from: 'n1', ms: '5' }), "not '5'"],
    ['slow for ever', (one) => one.slow({ from: 'n1', ms: 1e12 }), 'from 0 to 2147483647'],
    ['a stall for ever', (one) => one.master.stall(Infinity), 'stall: milliseconds'],
    ['a jump to nowhere', (one) => one.master.clock.jump(Number.NaN), 'clock.jump: milliseconds'],
    ['a load of nothing', (one) => one.writes().start({ perSecond: 0 }), 'perSecond: a number'],
    ['a load of too much', (one) => one.writes().start({ perSecond: 5_000 }), 'up to 1000'],
    ['a write without a value', (one) => one.writes().note('key'), 'note: the value: a text'],
    ['a write by a name', (one) => one.writes().note('key', 'x', 'n1'), 'such as cluster.master'],
  ])('%s is refused in words', (_, act, text) => {
    expect(() => act(cluster)).toThrow(text)
  })

  test.each<[string, (one: Untyped) => Promise<unknown>, string]>([
    ['to a name', (one) => one.failover({ to: 'n2' }), 'such as cluster.replicas[0]'],
    ['a mistyped failover', (one) => one.failover({ coordinate: true }), "no option 'coordinate'"],
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
    expect(() => cluster.master.restart()).toThrow('the cluster is stopped')
  })
})
