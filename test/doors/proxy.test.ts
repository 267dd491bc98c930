/**
 * `vedette proxy` between stock clients and a real cluster: ioredis, node-redis, php-redis and redis-cli, none of which
 * is told of a Sentinel, through a handover, a kill and a stop of the master.
 */
import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FlowProducer } from 'bullmq'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Certificates, HAS_OPENSSL } from '../support/certificates.ts'
import {
  agreedMaster,
  cli,
  freePorts,
  HAS_REDIS_CLI,
  MAIN,
  Program,
  type RealCluster,
  run,
  startCluster,
  until,
} from '../support/processes.ts'
import { Application, handOver, healed, masterOf, startProxy } from './through-proxy.ts'

const HAS_PHP_REDIS = spawnSync('php', ['-r', 'exit(class_exists("Redis") ? 0 : 1);']).status === 0

const UNANSWERED = /UNANSWERED/

/** One for all tests of this file, in their order: each leaves it with a master and two replicas. */
let cluster: RealCluster
beforeAll(async () => {
  if (HAS_REDIS_CLI) cluster = await startCluster({ downAfterMs: 1_000 })
})
afterAll(() => cluster?.stop())

describe.skipIf(!HAS_REDIS_CLI)('(need redis-cli)', () => {
  test('stock clients behind the proxy: no error in a handover, and in a kill or a stop only for what was in flight', async ({
    onTestFinished,
  }) => {
    const proxy = await startProxy(cluster)
    onTestFinished(() => proxy.kill())
    const ioredis = new Redis({ port: proxy.port, maxRetriesPerRequest: null })
    const node = createClient({ socket: { port: proxy.port, host: '127.0.0.1' }, RESP: 3 })
    for (const client of [ioredis, node]) client.on('error', () => undefined)
    await node.connect()
    const applications = [
      { key: 'ioredis', is: new Application(() => ioredis.incr('ioredis')) },
      { key: 'node-redis', is: new Application(() => node.incr('node-redis')) },
    ]
    onTestFinished(() => {
      ioredis.disconnect()
      node.destroy()
    })
    const begin = () => {
      for (const { is } of applications) is.begin()
    }
    const through = async (fault: () => Promise<void>): Promise<void> => {
      begin()
      await fault()
      const before = applications.map(({ is }) => is.met().acknowledged)
      await until('all write again', 20_000, () =>
        applications.every(({ is }, at) => is.met().acknowledged > (before[at] ?? 0) + 50),
      )
    }
    const report: string[] = []
    const note = (fault: string) =>
      report.push(
        ...applications.map(({ key, is }) => {
          const { gapMs, errors } = is.met()
          return `${fault}, ${key}: longest gap ${gapMs} ms, ${errors.length} errors`
        }),
      )

    await through(() => handOver(cluster, begin))
    note('handover')
    for (const { is } of applications) expect(is.met().errors).toEqual([])

    const killed = await healed(cluster)
    await through(async () => {
      await killed.kill()
      await agreedMaster(cluster, killed.port, 20_000)
    })
    note('kill')
    for (const { is } of applications) {
      for (const error of is.met().errors) expect(error).toMatch(UNANSWERED)
    }

    killed.start()
    const stopped = await healed(cluster)
    await through(async () => {
      stopped.signal('SIGSTOP')
      await agreedMaster(cluster, stopped.port, 20_000)
    })
    note('stop')
    stopped.signal('SIGCONT')
    for (const { is } of applications) {
      for (const error of is.met().errors) expect(error).toMatch(UNANSWERED)
    }
    console.log(report.join('\n'))

    for (const { is } of applications) await is.stop()
  })

  test('after a handover under load the counter says what was acknowledged: nothing is lost, nothing done twice', async ({
    onTestFinished,
  }) => {
    const proxy = await startProxy(cluster)
    onTestFinished(() => proxy.kill())
    const client = new Redis({ port: proxy.port, maxRetriesPerRequest: null })
    onTestFinished(() => client.disconnect())
    const application = new Application(() => client.incr('counter'))
    for (let round = 0; round < 3; round++) await handOver(cluster)
    await application.stop()
    const { acknowledged, errors } = application.met()
    expect([errors, Number(cli(proxy.port, 'GET', 'counter')[0])]).toEqual([[], acknowledged])
  })

  test('flows of BullMQ go on after a handover: the next master is given the scripts of the client', async ({
    onTestFinished,
  }) => {
    const proxy = await startProxy(cluster)
    onTestFinished(() => proxy.kill())
    const connection = new Redis({ port: proxy.port, maxRetriesPerRequest: null })
    const flows = new FlowProducer({ connection })
    onTestFinished(async () => {
      await flows.close()
      connection.disconnect()
    })
    const part = { name: 'part', queueName: 'flows' }
    const add = async () => (await flows.add({ ...part, children: [part] })).children?.length
    const before = await add()
    await handOver(cluster)
    expect([before, await add()]).toEqual([1, 1])
  })

  test.skipIf(!HAS_PHP_REDIS)(
    'plain php-redis writes on through a handover and a kill',
    async ({ onTestFinished }) => {
      const proxy = await startProxy(cluster)
      onTestFinished(() => proxy.kill())
      const script = join(cluster.folder, 'writer.php')
      writeFileSync(script, PHP)
      const php = spawn('php', [script, String(proxy.port)], { stdio: ['pipe', 'pipe', 'inherit'] })
      let output = ''
      php.stdout.on('data', (chunk) => {
        output += chunk
      })
      onTestFinished(() => void php.kill('SIGKILL'))
      const written = () => Number(cli(proxy.port, 'GET', 'php')[0])
      await healed(cluster)
      await until('php writes', 10_000, () => written() > 50)
      await handOver(cluster)
      const master = await healed(cluster)
      const before = written()
      await until('php writes after the handover', 10_000, () => written() > before + 50)
      await master.kill()
      await agreedMaster(cluster, master.port, 20_000)
      const after = written()
      await until('php writes after the kill', 10_000, () => written() > after + 50)
      master.start()
      await healed(cluster)
      php.stdin.end('end\n')
      await until('php has ended', 10_000, () => php.exitCode !== null)
      const [errors = '', acknowledged = ''] = output.trim().split('\n').slice(-2)
      expect(JSON.parse(errors)).toEqual(
        JSON.parse(errors).map(() => expect.stringMatching(UNANSWERED)),
      )
      expect(JSON.parse(errors).length).toBeLessThanOrEqual(1)
      expect(written()).toBeGreaterThanOrEqual(Number(acknowledged))
    },
  )

  test('SIGHUP opens and closes ports without cutting a connection; SIGTERM waits for what has begun', async ({
    onTestFinished,
  }) => {
    const [port = 0, other = 0] = await freePorts(2)
    const file = join(cluster.folder, 'proxy.yml')
    const write = (at: number) => {
      const sentinels = cluster.sentinels.map((one) => `127.0.0.1:${one.port}`).join(', ')
      const text = `proxy:\n  sentinels: [${sentinels}]\n  groups: {mymaster: {port: ${at}}}\n`
      writeFileSync(file, text)
    }
    write(port)
    const log = join(cluster.folder, 'proxy.log')
    const proxy = new Program(port, log, process.execPath, [MAIN, 'proxy', file])
    proxy.start()
    onTestFinished(() => proxy.kill())
    await until('the proxy leads to the master', 10_000, () => cli(port, 'PING')[0] === 'PONG')
    const client = new Redis({ port, retryStrategy: () => null })
    onTestFinished(() => client.disconnect())
    await client.set('a', '1')
    write(other)
    proxy.signal('SIGHUP')
    await until('the new port is open', 10_000, () => cli(other, 'PING')[0] === 'PONG')
    expect(() => cli(port, 'PING')).toThrow()
    expect(await client.get('a')).toBe('1')

    const waiting = client.blpop('q', 0)
    await until('it waits', 5_000, () => cli(other, 'CLIENT', 'LIST').join().includes('cmd=blpop'))
    proxy.signal('SIGTERM')
    const master = await masterOf(cluster)
    await until('no new client comes in', 5_000, () => {
      try {
        cli(other, 'PING')
        return false
      } catch {
        return true
      }
    })
    cli(master.port, 'RPUSH', 'q', 'x')
    expect(await waiting).toEqual(['q', 'x'])
    await until('the proxy has ended', 5_000, () => proxy.exitCode === 0)
  })

  test('what is missing or wrong is said in words, and nothing is started', async () => {
    for (const [argv, words] of [
      [['--group', 'g', '--port', '1'], '--sentinel is missing'],
      [['--sentinel', '10.0.0.1', '--group', 'g'], 'proxy.groups.g has no entrance'],
      [['--sentinel', '10.0.0.1', '--port', '1'], 'no group is named'],
      [
        ['--sentinel', '10.0.0.1', '--group', 'a', '--port', '1', '--port', '2'],
        'there are more ports than groups',
      ],
      [['--sentinel', '10.0.0.1'], 'no group is named'],
    ] as const) {
      const { status, stderr } = await run(process.execPath, [MAIN, 'proxy', ...argv])
      expect([status === 0, stderr]).toEqual([false, expect.stringContaining(words)])
    }
  })
})

describe.skipIf(!HAS_OPENSSL || !HAS_REDIS_CLI)('(need openssl and redis-cli)', () => {
  test('clients may speak TLS to a proxy in front of plain nodes', async ({ onTestFinished }) => {
    const certificates = new Certificates()
    onTestFinished(() => certificates.remove())
    const authority = certificates.authority('authority')
    const own = certificates.issue(authority, 'proxy')
    const [port = 0] = await freePorts(1)
    const sentinels = cluster.sentinels.flatMap((one) => ['--sentinel', `127.0.0.1:${one.port}`])
    const secured = ['--tls-clients', '--cert', own.cert, '--key', own.key]
    const argv = ['proxy', ...sentinels, '--group', 'mymaster', '--port', `${port}`, ...secured]
    const log = join(cluster.folder, 'proxy.log')
    const proxy = new Program(port, log, process.execPath, [MAIN, ...argv])
    proxy.start()
    onTestFinished(() => proxy.kill())
    const tls = ['--tls', '--cacert', authority.cert]
    await until('a client is served by TLS', 10_000, () => {
      return cli(port, ...tls, 'SET', 'a', '1')[0] === 'OK'
    })
  })
})

describe.skipIf(!HAS_REDIS_CLI)('(need redis-cli, and no Sentinels afterwards)', () => {
  test('a Sentinel with proxy: leads clients to the master, asking those it knows', async ({
    onTestFinished,
  }) => {
    const [port = 0, own = 0] = await freePorts(2)
    const master = await masterOf(cluster)
    const file = join(cluster.folder, 'sidecar.yml')
    const group = `{master: "127.0.0.1:${master.port}", quorum: 2}`
    const entrance = `{groups: {mymaster: {port: ${port}}}}`
    writeFileSync(file, `port: ${own}\nproxy: ${entrance}\ngroups: {mymaster: ${group}}\n`)
    const log = join(cluster.folder, 'sidecar.log')
    const sidecar = new Program(own, log, process.execPath, [MAIN, 'sentinel', file])
    sidecar.start()
    onTestFinished(() => sidecar.kill())
    await until('it asks all four', 10_000, () =>
      cli(port, 'PROXY', 'INFO').some((line) => line.includes('sentinels=4')),
    )
    expect(cli(port, 'SET', 'a', '1')).toEqual(['OK'])
    sidecar.signal('SIGTERM')
    await until('it ends', 10_000, () => sidecar.exitCode === 0)
  })

  test('by HTTP the proxy says whether it leads anywhere, and what it has done', async ({
    onTestFinished,
  }) => {
    const [http = 0, reads = 0] = await freePorts(2)
    const socket = join(cluster.folder, 'proxy.sock')
    const more = ['--http-port', `${http}`, '--read-port', `${reads}`, '--socket', socket]
    const proxy = await startProxy(cluster, [...more, '--lease', '500ms', '--hold', '300ms'])
    onTestFinished(() => proxy.kill())
    const get = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${http}${path}`)
      return { status: answer.status, text: await answer.text() }
    }
    expect((await get('/readiness')).status).toBe(200)
    // By this the page at / says that it is another one's.
    expect(JSON.parse((await get('/cluster')).text)).toMatchObject({ program: 'vedette-proxy' })
    expect((await get('/metrics')).text).toMatch(
      /vedette_proxy_master_confirmed{group="mymaster"} 1/,
    )
    const overSocket = await run('redis-cli', ['-s', socket, 'SET', 'a', '1'])
    expect(overSocket.stdout).toBe('OK\n')
    await until('the read port leads to a replica', 10_000, () => cli(reads, 'ROLE')[0] === 'slave')

    for (const sentinel of cluster.sentinels.slice(1)) await sentinel.kill()
    await until('one Sentinel is not enough', 10_000, async () => {
      return (await get('/readiness')).status === 503
    })
    expect((await get('/health')).status).toBe(200)
    expect(cli(proxy.port, 'SET', 'a', '2')[0]).toMatch(/^NOMASTER /)
  })
})

/** Increments as fast as it is answered, and takes its connection up again when an error comes. */
const PHP = `<?php
$errors = []; $ok = 0; stream_set_blocking(STDIN, false);
$redis = null;
while (fgets(STDIN) === false) {
  try {
    if ($redis === null) { $redis = new Redis(); $redis->connect('127.0.0.1', (int)$argv[1], 5.0); }
    if ($redis->incr('php') === false) $errors[] = (string)$redis->getLastError();
    else $ok++;
    $redis->clearLastError();
  } catch (RedisException $e) { $errors[] = $e->getMessage(); $redis = null; }
  usleep(500);
}
echo json_encode($errors), "\\n", $ok, "\\n";
`
