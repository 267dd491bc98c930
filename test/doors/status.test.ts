/** `vedette status` and `vedette failover` against real processes, ours and Redis' own side by side. */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  cli,
  HAS_REDIS_CLI,
  HAS_REDIS_SENTINEL,
  MAIN,
  masterPort,
  type Program,
  type RealCluster,
  run,
  startCluster,
  until,
  vedette,
} from '../support/processes.ts'
import { hasRedisSentinel, startRedisSentinel } from '../support/real-sentinels.ts'

const EXIT = { well: 0, trouble: 1, danger: 3, noAnswer: 4 } as const
const OURS = /^vedette \d+\.\d+\.\d+/

describe.skipIf(!HAS_REDIS_CLI)('needs redis-cli', () => {
  let cluster: RealCluster
  let address = ''

  beforeAll(async () => {
    const realSentinels = HAS_REDIS_SENTINEL ? 1 : 0
    cluster = await startCluster({ realSentinels, downAfterMs: 2_500, failoverTimeoutMs: 3_000 })
    address = `127.0.0.1:${cluster.sentinels[0]?.port}`
  })
  afterAll(() => cluster.stop())

  async function status(...argv: readonly string[]) {
    const { stdout, status } = await vedette('status', '--sentinel', address, '--json', ...argv)
    return { status, report: JSON.parse(stdout) }
  }

  test('one Sentinel is asked, all of both makes answer, and all is well', async () => {
    const { status: code, report } = await status()
    expect(report.groups[0].findings).toEqual([])
    expect(code).toBe(EXIT.well)
    const programs = report.sentinels.map(({ program }: { program: string }) => program).sort()
    expect(programs).toEqual([
      expect.stringMatching(HAS_REDIS_SENTINEL ? /^redis 7\./ : OURS),
      expect.stringMatching(OURS),
      expect.stringMatching(OURS),
    ])
  })

  test('the text for people has a row for each Sentinel and each node', async () => {
    const { stdout } = await vedette('status', '--sentinel', address)
    for (const { port } of [...cluster.sentinels, ...cluster.nodes]) {
      expect(stdout).toContain(`127.0.0.1:${port} `)
    }
  })

  test('a dry run tells what would be done to which replica, and does nothing', async () => {
    const before = masterPort(cluster.sentinels[0] as Program)
    const argv = ['failover', 'mymaster', '--sentinel', address, '--dry-run']
    const { stdout, status: code } = await vedette(...argv, '--json')
    const plan = JSON.parse(stdout)
    expect(code).toBe(0)
    expect(plan).toMatchObject({ dryRun: true, possible: true, from: `127.0.0.1:${before}` })
    expect(plan.replicas.map(({ part }: { part: string }) => part)).toEqual(['promoted', 'spare'])
    const named = await vedette(...argv, '--to', `127.0.0.1:${before}`)
    expect(named.status).toBe(1)
    expect(named.stdout).toContain('it is the master already')
    expect(masterPort(cluster.sentinels[0] as Program)).toBe(before)
  })

  test.skipIf(!HAS_REDIS_SENTINEL)(
    'an order that a redis-sentinel does not know is taken by a Vedette Sentinel of its group',
    async () => {
      const { report } = await status()
      const isRedis = ({ program }: { program: string }) => program.startsWith('redis')
      const { address: theirs } = report.sentinels.find(isRedis)
      const argv = ['failover', 'mymaster', '--sentinel', theirs, '--dry-run', '--json']
      const { stdout, stderr, status: code } = await vedette(...argv)
      expect(stderr).toMatch(/^note: .* does not know this order: 127\.0\.0\.1:\d+ takes it\n$/)
      expect(JSON.parse(stdout)).toMatchObject({ dryRun: true, possible: true })
      expect(code).toBe(0)
    },
  )

  test('whoever orders a failover is told of a pause, which stops no order', async () => {
    const argv = ['mymaster', '--sentinel', address]
    await vedette('pause', ...argv, '--for', '5m', '--reason', 'new kernel')
    const { status: code, stderr } = await vedette('failover', ...argv, '--dry-run')
    await vedette('resume', ...argv)
    expect(stderr).toMatch(/^note: automatic failover of mymaster is paused by .*: new kernel \(\d/)
    expect(code).toBe(0)
    expect((await vedette('failover', ...argv, '--dry-run')).stderr).toBe('')
  })

  test('an operator with the rights of docs/users.md is told of a pause; one with fewer, that it is not known', async () => {
    const { port } = cluster.sentinels[0] as Program
    const page = readFileSync(new URL('../../docs/users.md', import.meta.url), 'utf8')
    const [, looks = ''] = /An operator who only looks .*?```\n(.*?)```/s.exec(page) ?? []
    expect(looks).toContain('+sentinel|ckquorum')
    const rights = [...looks.trim().split(/\s+/), '+sentinel|failover']
    cli(port, 'ACL', 'SETUSER', 'operator', 'on', '>op', '-@all', ...rights)
    const argv = ['mymaster', '--sentinel', address]
    const asked = ['failover', ...argv, '--dry-run', '--user', 'operator', '--pass', 'op']
    await vedette('pause', ...argv, '--for', '5m', '--reason', 'new kernel')
    const told = await vedette(...asked)
    cli(port, 'ACL', 'SETUSER', 'operator', '-sentinel|masters')
    const untold = await vedette(...asked)
    await vedette('resume', ...argv)
    cli(port, 'ACL', 'DELUSER', 'operator')
    expect(told.stderr).toMatch(
      /^note: automatic failover of mymaster is paused by .*: new kernel \(\d/,
    )
    expect(untold.stderr).toContain(
      'whether automatic failover of mymaster is paused is not known: NOPERM',
    )
    expect(untold.stderr).toContain('ACL SETUSER operator +sentinel|masters')
    expect([told.status, untold.status]).toEqual([0, 0])
  })

  test('whoever orders a failover is told that the Sentinel is in TILT, and does nothing of it yet', async () => {
    const { port } = cluster.sentinels[0] as Program
    const tilt = () =>
      cli(port, 'INFO', 'sentinel')
        .join()
        .match(/sentinel_tilt:(\d)/)?.[1]
    // Two steps are always further apart than this.
    cli(port, 'SENTINEL', 'DEBUG', 'tilt-trigger', '1', 'tilt-period', '60000')
    await until('TILT', 5_000, () => tilt() === '1')
    const argv = ['failover', 'mymaster', '--sentinel', address, '--dry-run']
    const { stdout, stderr } = await vedette(...argv)
    expect(stderr).toMatch(/^note: this Sentinel is in TILT, for \d+ s so far\n/)
    expect(stdout).toMatch(/1\. wait until this Sentinel trusts its clocks again/)
    cli(port, 'SENTINEL', 'DEBUG', 'tilt-trigger', '2000', 'tilt-period', '100')
    await until('the end of TILT', 5_000, () => tilt() === '0')
    cli(port, 'SENTINEL', 'DEBUG', 'tilt-period', '30000')
    expect((await vedette(...argv)).stderr).toBe('')
  })

  test('a failover to a named replica promotes that one', async () => {
    const { stdout } = await vedette(
      ...['failover', 'mymaster', '--sentinel', address, '--dry-run', '--json'],
    )
    const spare = JSON.parse(stdout).replicas[1].address
    const argv = ['failover', 'mymaster', '--sentinel', address, '--to', spare, '--wait', '--json']
    const outcome = await vedette(...argv)
    expect(JSON.parse(outcome.stdout)).toMatchObject({ done: true, to: spare })
    // The old master must be a replica again before the next test moves on.
    await until('both replicas follow', 10_000, async () => {
      const { report } = await status()
      return report.groups[0].findings.length === 0
    })
  })

  test('a planned failover is waited for until every Sentinel names the new master', async () => {
    const [sentinel] = cluster.sentinels as [Program]
    const before = masterPort(sentinel)
    const outcome = await vedette('failover', 'mymaster', '--sentinel', address, '--wait')
    expect(outcome).toMatchObject({ status: 0, stderr: '' })
    const ports = new Set(cluster.sentinels.map(masterPort))
    expect(ports.size).toBe(1)
    expect(outcome.stdout).toContain(`127.0.0.1:${before} -> 127.0.0.1:${[...ports][0]} in `)
  })

  test('a coordinated failover is waited for as well', async () => {
    const argv = ['failover', 'mymaster', '--sentinel', address, '--coordinated', '--wait']
    // The replicas may still be on their way to the master of the failover before.
    const outcome = await until('the master can hand over', 15_000, async () => {
      const one = await vedette(...argv)
      return one.status === 0 && one
    })
    expect(outcome.stdout).toMatch(/127\.0\.0\.1:\d+ -> 127\.0\.0\.1:\d+ in \d+ ms/)
  })

  describe('beside a Sentinel that is frozen: it accepts connections and says nothing', () => {
    let hung = ''
    const frozen = createServer()
    beforeAll(async () => {
      await new Promise<void>((resolve) => frozen.listen(0, '127.0.0.1', resolve))
      hung = `127.0.0.1:${(frozen.address() as AddressInfo).port}`
    })
    afterAll(() => void frozen.close())

    test('a failover is ordered of the next Sentinel that was named', async () => {
      const order = ['failover', 'mymaster', '--dry-run', '--sentinel', hung]
      const next = await vedette(...order, '--sentinel', address)
      expect(next.stdout).toContain('a failover would replace')
      expect(next.stderr).toBe(`vedette: Sentinel ${hung} does not answer: no answer within 3 s\n`)
      expect(next.status).toBe(0)
    })

    test('the wait for a failover ends when all others know, and does not wait for the frozen one', async () => {
      const sentinels = ['--sentinel', address, '--sentinel', hung]
      const order = ['failover', 'mymaster', '--wait', '--json', ...sentinels]
      const { tookMs } = await until('a replica can be promoted', 15_000, async () => {
        const one = await vedette(...order)
        return one.status === 0 && JSON.parse(one.stdout)
      })
      // Three seconds for its answer, and one to find out whether it speaks TLS.
      expect(tookMs).toBeLessThan(4_000)
    })

    test('of a Sentinel that is slow, and the only one that was named, the wait takes the word', async () => {
      const slow = createServer((client) => {
        const there = connect(Number(address.split(':')[1]), '127.0.0.1')
        client.pipe(there).on('data', (bytes) => setTimeout(() => client.write(bytes), 700))
        for (const one of [client, there]) one.on('error', () => there.destroy())
      })
      await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
      const named = `127.0.0.1:${(slow.address() as AddressInfo).port}`
      const order = ['failover', 'mymaster', '--wait', '--timeout', '8s', '--sentinel', named]
      const { status: code, stdout } = await until('it can be promoted', 30_000, async () => {
        const one = await run(process.execPath, [MAIN, ...order], 30_000)
        return !one.stderr.includes('NOGOODSLAVE') && one
      }).finally(() => slow.close())
      expect([code, stdout]).toEqual([0, expect.stringMatching(/ -> 127\.0\.0\.1:\d+ in \d+ ms\n/)])
    })

    test('no failover is ordered where no other was named, with status 4', async () => {
      const alone = await vedette('failover', 'mymaster', '--sentinel', hung)
      expect(alone.stderr).toContain(`Sentinel ${hung} does not answer`)
      expect(alone.stderr).toContain('name a Sentinel that runs')
      expect(alone.status).toBe(EXIT.noAnswer)
    })
  })

  test.each([
    ['status'],
    ['explain'],
    ['plan', 'upgrade'],
    ['failover'],
    ['failover', '--dry-run'],
    ['pause', '--for', '1m'],
    ['resume'],
  ])(
    '%s of a group that no Sentinel watches ends with status 2, as a wrong command line',
    async (...words) => {
      const outcome = await vedette(...words, 'nobody', '--sentinel', address)
      expect(outcome.status).toBe(2)
      expect(outcome.stdout + outcome.stderr).toMatch(
        /No such master with that name|watches 'nobody'/,
      )
    },
  )

  test('a Sentinel is no node to drain: a hook that names one is told so, and is no success', async () => {
    const { status: code, stderr } = await vedette(
      'drain',
      '--node',
      address,
      '--sentinel',
      address,
    )
    expect(code).toBe(2)
    expect(stderr).toContain('it is no data node')
    expect(stderr).toContain('--node')
  })

  test('to a user without the right to EPOCHS no epochs are called sound, and the right is named', async () => {
    const rights = [
      'info',
      ...['myid', 'masters', 'slaves', 'sentinels', 'get-master-addr-by-name'].map(
        (w) => `sentinel|${w}`,
      ),
    ]
    const granted = rights.map((right) => `+${right}`)
    const { port } = cluster.sentinels[0] as Program
    cli(port, 'ACL', 'SETUSER', 'watcher', 'on', '>secret', '-@all', ...granted)
    const login = ['--sentinel', address, '--user', 'watcher', '--pass', 'secret']
    const { stdout, stderr, status: code } = await vedette('epochs', ...login)
    cli(port, 'ACL', 'DELUSER', 'watcher')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/the epochs of .* are not known: NOPERM .*'sentinel\|epochs'/)
  })

  test('the rights on the page suffice to look, and none of them can be spared', async () => {
    const page = readFileSync(new URL('../../docs/users.md', import.meta.url), 'utf8')
    const block = /who only looks[^`]*`vedette status`[^`]*```\n([^`]*)```/.exec(page)?.[1] ?? ''
    const rights = block.trim().split(/\s+/)
    expect(rights).toHaveLength(8)
    const { port } = cluster.sentinels[0] as Program
    const looked = async (granted: readonly string[]) => {
      cli(port, 'ACL', 'SETUSER', 'watcher', 'reset', 'on', '>secret', ...granted)
      // The other Sentinels do not know this user.
      const login = ['--sentinel', address, '--user', 'watcher', '--pass', 'secret']
      return `${(await vedette('status', ...login, '--json')).stdout}`
    }
    const without = (right: string) => looked(rights.filter((one) => one !== right))
    const all = await looked(rights)
    expect(all).not.toContain('NOPERM')
    // How far the replicas are, as the master reported it.
    expect(all).toMatch(/"ageMs":\d/)
    expect(await without('+sentinel|info-cache')).not.toMatch(/"ageMs":\d/)
    for (const right of rights.slice(0, -1)) expect(await without(right), right).toContain('NOPERM')
    cli(port, 'ACL', 'DELUSER', 'watcher')
  })

  test('a replica that is down is trouble, a group without a usable one a danger', async () => {
    const master = masterPort(cluster.sentinels[0] as Program)
    const [first, second] = cluster.nodes.filter(({ port }) => port !== master) as [
      Program,
      Program,
    ]
    await first.kill()
    await until('the dead replica is seen as down', 10_000, async () => {
      const { status: code, report } = await status('mymaster')
      const text = JSON.stringify(report.groups[0].findings)
      return code === EXIT.trouble && text.includes(`${first.port} is down for 3 of 3`)
    })
    await second.kill()
    await until('nothing is left to promote', 10_000, async () => {
      return (await status()).status === EXIT.danger
    })
    expect(cli(master, 'PING')).toEqual(['PONG'])
  })

  test('where no Sentinel answers the status is 4, with the reason', async () => {
    const outcome = await vedette('status', '--sentinel', '127.0.0.1:1')
    expect(outcome).toMatchObject({ status: EXIT.noAnswer })
    expect(outcome.stdout).toContain('ECONNREFUSED')
    expect(outcome.stdout).toContain('name a Sentinel that runs with --sentinel HOST:PORT')
  })
})

/** util-linux' script gives a program a terminal. */
const HAS_SCRIPT = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util')

describe('status --watch', () => {
  const WATCH = [MAIN, 'status', '--watch', '--sentinel', '127.0.0.1:1']

  test.skipIf(!HAS_SCRIPT)('at a terminal ends with q, at once (needs script)', async () => {
    const words = [process.execPath, ...WATCH].map((word) => `'${word}'`)
    const command = `stty cols 80 rows 24; ${words.join(' ')}`
    const terminal = spawn('script', ['-qec', command, '/dev/null'])
    let screen = ''
    terminal.stdout.on('data', (chunk) => {
      screen += chunk
    })
    await until('a picture is drawn', 10_000, () => screen.includes('q ends'))
    terminal.stdin.write('q')
    await until('it ends', 5_000, () => terminal.exitCode !== null)
    expect(terminal.exitCode).toBe(EXIT.noAnswer)
  })

  test.skipIf(!HAS_SCRIPT).each([
    ['without a size', 'stty cols 0 rows 0'],
    ['that moves no cursor', 'stty cols 80 rows 24; export TERM=dumb'],
  ])('at a terminal %s writes one look after the other (needs script)', async (_, setting) => {
    const words = [process.execPath, ...WATCH].map((word) => `'${word}'`)
    const terminal = spawn('script', ['-qec', `${setting}; ${words.join(' ')}`, '/dev/null'])
    let screen = ''
    terminal.stdout.on('data', (chunk) => {
      screen += chunk
    })
    await until('there is a second look', 10_000, () => screen.split('no Sentinel').length > 2)
    terminal.stdin.write('q')
    await until('it ends', 5_000, () => terminal.exitCode !== null)
    expect(screen).not.toContain('\x1b[?')
  })

  test('on a pipe writes one look after the other, and moves no cursor', async () => {
    const child = spawn(process.execPath, WATCH)
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    await until('there is a second look', 10_000, () => output.split('no Sentinel').length > 2)
    child.kill('SIGINT')
    await until('it ends', 5_000, () => child.exitCode !== null)
    expect(child.exitCode).toBe(EXIT.noAnswer)
    expect(output).not.toContain('\x1b')
  })
})

test.skipIf(!hasRedisSentinel)(
  'redis-sentinels with one id are both shown, and told; one under two addresses is one',
  async () => {
    const lines = ['sentinel monitor g 127.0.0.1 1 1', `sentinel myid ${'d'.repeat(40)}`]
    const clones = [await startRedisSentinel(lines), await startRedisSentinel(lines)]
    const hosts = clones.map(({ port }) => `127.0.0.1:${port}`)
    const addresses = [...hosts, `localhost:${clones[0]?.port}`]
    const argv = addresses.flatMap((address) => ['--sentinel', address])
    const { stdout } = await vedette('status', ...argv, '--json')
    await Promise.all(clones.map((one) => one.stop()))
    const { sentinels, groups } = JSON.parse(stdout)
    expect(sentinels.map(({ address }: { address: string }) => address)).toEqual(hosts)
    const texts = groups[0].findings.map(({ text }: { text: string }) => text)
    expect(texts).toContainEqual(
      expect.stringContaining(`Sentinels ${hosts.join(' and ')} have one id (dddddddd)`),
    )
  },
)
