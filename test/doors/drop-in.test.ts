/**
 * In the place of redis-sentinel and redis-server: the same files, the same command line, the same words
 * when something is wrong, and the way back. Where Redis' own programs are needed they are named in the
 * test that is skipped without them.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { formatFatal } from '../../src/config/fatal.ts'
import { parseSentinelConf } from '../../src/config/sentinel-conf.ts'
import { nodeOutside } from '../../src/io/files/config-filesystem.ts'
import {
  cli,
  freePorts,
  HAS_REDIS,
  HAS_REDIS_CLI,
  HAS_REDIS_SENTINEL,
  Program,
  run,
  stopAll,
  until,
  vedette,
} from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const SENTINEL = fileURLToPath(new URL('../../dist/launch/vedette-sentinel.cjs', import.meta.url))
const SERVER = fileURLToPath(new URL('../../dist/launch/vedette-server.cjs', import.meta.url))
const DEBIAN_SENTINEL_CONF = '/etc/redis/sentinel.conf'
const DEBIAN_REDIS_CONF = '/etc/redis/redis.conf'

let folder = ''
let programs: Program[] = []
/** Daemons nobody waits for. */
let pids: number[] = []

beforeEach(() => {
  folder = scratchFolder('drop-in')
})
afterEach(async () => {
  for (const pid of pids) endPid(pid)
  await stopAll(folder, programs)
  programs = []
  pids = []
})

function endPid(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

function write(name: string, ...lines: readonly string[]): string {
  const path = join(folder, name)
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

function program(port: number, command: string, ...argv: readonly string[]): Program {
  const one = new Program(port, join(folder, `${port}-${programs.length}.log`), command, argv)
  programs.push(one)
  return one
}

function ours(port: number, ...argv: readonly string[]): Program {
  return program(port, process.execPath, SENTINEL, ...argv)
}

async function started(one: Program): Promise<Program> {
  one.start()
  await until(`${one.port} answers`, 15_000, () => answers(one.port))
  return one
}

function answers(port: number): boolean {
  return cli(port, 'PING')[0] === 'PONG'
}

/** A reply of pairs as an object. */
function fields(lines: readonly string[]): Record<string, string> {
  const pairs = lines.flatMap((line, at) => (at % 2 === 0 ? [[line, lines[at + 1] ?? '']] : []))
  return Object.fromEntries(pairs)
}

describe('a wrong line is told as Redis tells it', () => {
  const MONITOR = 'sentinel monitor mm 127.0.0.1 6399 2'
  const TABLE: readonly (readonly string[])[] = [
    ['foo bar'],
    ['port abc'],
    ['port 70000'],
    ['port'],
    ['requirepass "a'],
    ['daemonize maybe'],
    ['loglevel loud'],
    ['maxclients 0'],
    ['rename-command PING'],
    ['rename-command ping info'],
    ['supervised perhaps'],
    ['tls-auth-clients maybe'],
    ['client-output-buffer-limit foo 0 0 0'],
    ['client-output-buffer-limit pubsub 1mb 2'],
    ['include'],
    ['dir /nonexistent'],
    ['sentinel foo'],
    ['sentinel monitor m 127.0.0.1 6379'],
    ['sentinel monitor m 127.0.0.1 6379 0'],
    ['sentinel monitor m localhost 6379 2'],
    ['sentinel monitor m 127.0.0.1 70000 2'],
    ['sentinel myid abc'],
    ['sentinel resolve-hostnames x'],
    [MONITOR, MONITOR],
    [MONITOR, 'sentinel down-after-milliseconds mm 0'],
    [MONITOR, 'sentinel down-after-milliseconds other 1'],
    [MONITOR, 'sentinel notification-script mm /nonexistent'],
    [MONITOR, 'sentinel client-reconfig-script mm /nonexistent'],
    [MONITOR, 'sentinel rename-command mm PING x', 'sentinel rename-command mm ping y'],
    [MONITOR, 'sentinel master-reboot-down-after-period mm -1'],
    [MONITOR, 'sentinel known-replica mm 127.0.0.1 99999'],
    [MONITOR, 'sentinel auth-pass zz x', 'foo'],
  ]

  test.runIf(HAS_REDIS_SENTINEL)('word for word, for a table of lines', async () => {
    for (const [index, lines] of TABLE.entries()) {
      const path = write(`${index}.conf`, 'port 1', ...lines)
      const { status, stderr } = await run('redis-sentinel', [path])
      const text = readFileSync(path, 'latin1')
      const parsed = parseSentinelConf(text, path, [], nodeOutside(folder))
      const fatal = parsed.ok ? undefined : parsed.fatal
      expect(status, lines.join('\n')).toBe(1)
      expect(fatal && formatFatal(fatal), lines.join('\n')).toBe(stderr)
    }
  })

  test.runIf(HAS_REDIS_SENTINEL)('and with the same status, our hints below', async () => {
    const path = write('s.conf', 'port 1', 'maxcleints 5')
    const redis = await run('redis-sentinel', [path])
    const own = await run(process.execPath, [SENTINEL, path])
    expect([own.status, redis.status]).toEqual([1, 1])
    const hint = `error: ${path}:2:1  maxcleints  Bad directive or wrong number of arguments  (did you mean maxclients?)`
    expect(own.stderr).toBe(`${redis.stderr}\n${hint}\n`)
  })

  test.runIf(HAS_REDIS_SENTINEL)('on the command line and on standard input too', async () => {
    const path = write('s.conf', 'port 1', `dir ${folder}`)
    for (const argv of [
      [path, '--port', 'abc'],
      [path, '--foo'],
      [path, 'foo'],
    ]) {
      const redis = await run('redis-sentinel', argv)
      const own = await run(process.execPath, [SENTINEL, ...argv])
      expect(own.stderr.startsWith(redis.stderr), argv.join(' ')).toBe(true)
    }
    const piped = await run('/bin/sh', [
      '-c',
      `echo foo bar | ${process.execPath} ${SENTINEL} ${path} -`,
    ])
    expect(piped.stderr).toContain("at line 3\n>>> 'foo bar'\n")
  })

  test('a redis.conf is told of in the same way', async () => {
    const path = write('redis.conf', 'port 1', 'sentinel myid x')
    const { status, stderr } = await run(process.execPath, [SERVER, path])
    expect(status).toBe(1)
    expect(stderr).toMatch(/at line 2\n>>> 'sentinel myid x'\nsentinel directive while not in sent/)
  })
})

describe('the command line', () => {
  test('a Sentinel without a file is refused', async () => {
    expect(await run(process.execPath, [SENTINEL, '--port', '1'])).toEqual({
      status: 1,
      stdout: '',
      stderr: 'Sentinel needs config file on disk to save state. Exiting...\n',
    })
  })

  test('the version is told in the form scripts take apart', async () => {
    const { status, stdout } = await run(process.execPath, [SERVER, '--version'])
    expect(status).toBe(0)
    expect(stdout).toMatch(/^Redis server v=7\.0\.15 sha=\S+ malloc=\S+ bits=64 build=vedette-\d/)
  })

  test.each([SENTINEL, SERVER])('%s --help tells how', async (bin) => {
    const { status, stdout } = await run(process.execPath, [bin, '--help'])
    expect([status, stdout.slice(0, 6)]).toEqual([0, 'Usage:'])
  })

  test.runIf(HAS_REDIS_CLI)(
    'a server reads standard input, and is a Sentinel with --sentinel',
    async () => {
      const [nodePort, sentinelPort] = (await freePorts(2)) as [number, number]
      // No pipe: of one the shell stays, and the server would outlive it.
      const start = `exec ${process.execPath} ${SERVER} - <<END\nport ${nodePort}\nEND`
      await started(program(nodePort, '/bin/sh', '-c', start))
      expect(cli(nodePort, 'ROLE')[0]).toBe('master')
      const path = write('sentinel.conf', `port ${sentinelPort}`)
      await started(program(sentinelPort, process.execPath, SERVER, path, '--sentinel'))
      expect(cli(sentinelPort, 'INFO', 'server').join('\n')).toContain('redis_mode:sentinel')
    },
  )
})

describe.runIf(HAS_REDIS_CLI)('the files Debian ships', () => {
  test.runIf(existsSync(DEBIAN_SENTINEL_CONF))('sentinel.conf starts a Sentinel', async () => {
    const [port] = (await freePorts(1)) as [number]
    const path = write('sentinel.conf', readFileSync(DEBIAN_SENTINEL_CONF, 'latin1'))
    const text = readFileSync(path, 'latin1')
    const log = join(folder, 'own.log')
    const overrides = ['--port', `${port}`, '--dir', folder, '--logfile', log]
    const pidFile = ['--pidfile', join(folder, 'pid'), '--supervised', 'auto', '--daemonize', 'no']
    await started(ours(port, path, ...overrides, ...pidFile))
    expect(cli(port, 'SENTINEL', 'get-master-addr-by-name', 'mymaster')).toEqual([
      '127.0.0.1',
      '6379',
    ])
    expect(readFileSync(join(folder, 'pid'), 'latin1')).toMatch(/^\d+\n$/)
    expect(readFileSync(path, 'latin1')).toBe(text)
    expect(existsSync(join(folder, `sentinel-${port}.state`))).toBe(true)
  })

  test.runIf(existsSync(DEBIAN_REDIS_CONF))(
    'redis.conf starts a node, which says what is in vain',
    async () => {
      const [port] = (await freePorts(1)) as [number]
      const path = write('redis.conf', readFileSync(DEBIAN_REDIS_CONF, 'latin1'))
      const overrides = ['--port', `${port}`, '--dir', folder, '--logfile', 'own.log']
      const more = ['--pidfile', join(folder, 'pid'), '--daemonize', 'no']
      await started(program(port, process.execPath, SERVER, path, ...overrides, ...more))
      const log = readFileSync(join(folder, 'own.log'), 'latin1')
      const vain = log.match(/at their defaults and have no effect on this data node: [a-z-, ]+/g)
      expect(vain).toHaveLength(1)
      expect(vain?.[0]).toContain(', activerehashing,')
      // Nothing in it was chosen by anybody, and what has an effect is not named.
      expect(log).not.toContain('  has no effect on this data node')
      expect(vain?.[0]).not.toMatch(/ (port|save|appendonly)\b/)
    },
  )
})

describe.runIf(HAS_REDIS)('there and back again', () => {
  /** A master and its replica, and the configuration of a redis-sentinel that has failed over once. */
  async function rewrittenConf(port: number, nodes: readonly [number, number]): Promise<string> {
    for (const [index, nodePort] of nodes.entries()) {
      const replicaOf = index === 0 ? [] : [`replicaof 127.0.0.1 ${nodes[0]}`]
      const lines = [`port ${nodePort}`, 'bind 127.0.0.1', 'save ""', `dir ${folder}`, ...replicaOf]
      const conf = write(`node-${nodePort}.conf`, ...lines, 'repl-diskless-sync-delay 0')
      await started(program(nodePort, 'redis-server', conf))
    }
    const path = write(
      'sentinel.conf',
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${folder}`,
      `sentinel monitor mymaster 127.0.0.1 ${nodes[0]} 1`,
      'sentinel down-after-milliseconds mymaster 5000',
      `sentinel known-sentinel mymaster 127.0.0.1 1 ${'cd'.repeat(20)}`,
      'requirepass "a secret"',
    )
    const redis = program(port, 'redis-sentinel', path)
    redis.start()
    const ask = (...argv: string[]) => cli(port, '--no-auth-warning', '-a', 'a secret', ...argv)
    await until('it knows the replica', 20_000, () => {
      return fields(ask('SENTINEL', 'MASTER', 'mymaster'))['num-slaves'] === '1'
    })
    expect(ask('SENTINEL', 'SET', 'mymaster', 'parallel-syncs', '3')).toEqual(['OK'])
    await until('the replica can be promoted', 20_000, () => {
      return ask('SENTINEL', 'FAILOVER', 'mymaster')[0] === 'OK'
    })
    await until('the master has changed', 30_000, () => {
      return fields(ask('SENTINEL', 'MASTER', 'mymaster')).port === String(nodes[1])
    })
    await redis.kill()
    return path
  }

  const VIEW = ['ip', 'port', 'quorum', 'config-epoch', 'parallel-syncs', 'num-other-sentinels']

  function view(port: number) {
    const ask = (...argv: string[]) => cli(port, '--no-auth-warning', '-a', 'a secret', ...argv)
    const master = fields(ask('SENTINEL', 'MASTER', 'mymaster'))
    return {
      id: ask('SENTINEL', 'MYID')[0],
      master: VIEW.map((name) => `${name} ${master[name]}`),
      replicas: ask('SENTINEL', 'REPLICAS', 'mymaster')[1],
      peer: fields(ask('SENTINEL', 'SENTINELS', 'mymaster')).runid,
    }
  }

  test('a file redis-sentinel has written to is taken over, and goes back with all that is known', async () => {
    const [a, b, port] = (await freePorts(3)) as [number, number, number]
    const path = await rewrittenConf(port, [a, b])
    const text = readFileSync(path, 'latin1')
    expect(text).toContain('# Generated by CONFIG REWRITE')
    const id = /^sentinel myid (\S+)$/m.exec(text)?.[1]

    const own = ours(port, path)
    own.start()
    await until('it answers', 15_000, () => view(port).id === id)
    const taken = await until('it knows the replica', 15_000, () => {
      return view(port).replicas !== undefined && view(port)
    })
    expect(taken).toMatchObject({
      id,
      master: [
        'ip 127.0.0.1',
        `port ${b}`,
        'quorum 1',
        'config-epoch 1',
        'parallel-syncs 3',
        'num-other-sentinels 1',
      ],
      replicas: `127.0.0.1:${a}`,
      peer: 'cd'.repeat(20),
    })
    expect(readFileSync(path, 'latin1')).toBe(text)

    cli(
      port,
      '--no-auth-warning',
      '-a',
      'a secret',
      'SENTINEL',
      'SET',
      'mymaster',
      'parallel-syncs',
      '2',
    )
    const back = join(folder, 'back.conf')
    // Beside the running Sentinel: what it has saved is what counts.
    expect(await vedette('export-conf', path, '--out', back)).toMatchObject({
      status: 0,
      stderr: '',
    })
    await own.kill()

    const redis = program(port, 'redis-sentinel', back)
    redis.start()
    await until('redis-sentinel answers', 15_000, () => view(port).id === id)
    expect(view(port)).toEqual({
      ...taken,
      master: taken.master.map((line) => line.replace('syncs 3', 'syncs 2')),
    })
    // What it writes itself, it can read again.
    cli(port, '--no-auth-warning', '-a', 'a secret', 'SENTINEL', 'FLUSHCONFIG')
    await redis.kill()
    redis.start()
    await until('redis-sentinel answers again', 15_000, () => view(port).id === id)
    expect(view(port).peer).toBe('cd'.repeat(20))
  }, 180_000)

  test('a vote that redis-sentinel gave is not given again by Vedette, whose state is older', async () => {
    const [port] = (await freePorts(1)) as [number]
    const lines = [`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`]
    const path = write('s.conf', ...lines, 'sentinel monitor mymaster 127.0.0.1 1 2')
    const vote = (epoch: string, runId: string) =>
      cli(port, 'SENTINEL', 'IS-MASTER-DOWN-BY-ADDR', '127.0.0.1', '1', epoch, runId.repeat(20))
    const [redis, own] = [program(port, 'redis-sentinel', path), ours(port, path)]
    await (await started(redis)).kill()
    await started(own)
    expect(vote('5', 'ab')).toEqual(['0', 'ab'.repeat(20), '5'])
    await own.kill()
    const back = join(folder, 'back.conf')
    await vedette('export-conf', path, '--out', back)
    copyFileSync(back, path)
    await started(redis)
    expect(vote('9', 'cd')).toEqual(['0', 'cd'.repeat(20), '9'])
    await redis.kill()
    await started(own)
    expect(vote('9', 'ab')).toEqual(['0', '*', '9'])
  }, 60_000)

  test('what redis-sentinel could not read again is not written', async () => {
    const monitor = 'sentinel monitor mymaster 127.0.0.1 1 1'
    const path = write('s.conf', monitor, 'sentinel auth-pass mymaster "a secret"')
    const out = join(folder, 'out.conf')
    const { status, stderr } = await vedette('export-conf', path, '--out', out)
    expect(status).toBe(1)
    expect(stderr).toMatch(/^ {2}auth-pass of mymaster: a blank, a quote/m)
    expect(stderr).not.toContain('secret')
    expect(existsSync(out)).toBe(false)
  })
})

describe.runIf(HAS_REDIS_CLI)('one state file', () => {
  test('is not for two Sentinels, and is free again when one was killed', async () => {
    const [first, second] = (await freePorts(2)) as [number, number]
    const yml = (port: number) =>
      write(`${port}.yml`, `port: ${port}`, 'bind: 127.0.0.1', 'state-file: shared.state')
    const one = await started(ours(first, yml(first)))
    const state = readFileSync(join(folder, 'shared.state'))
    const id = cli(first, 'SENTINEL', 'MYID')
    const refused = await run(process.execPath, [SENTINEL, yml(second)])
    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain(`shared.state is taken: process ${one.pid} uses it`)
    expect(readFileSync(join(folder, 'shared.state'))).toEqual(state)
    one.signal('SIGSTOP')
    const stopped = await run(process.execPath, [SENTINEL, yml(second)])
    expect(stopped.stderr).toContain(`process ${one.pid}, which does not answer, uses it`)
    await one.kill()
    await started(ours(second, yml(second)))
    expect(cli(second, 'SENTINEL', 'MYID')).toEqual(id)
  }, 60_000)
})

describe.runIf(HAS_REDIS_CLI)('SIGHUP', () => {
  const monitor = (name: string) => `sentinel monitor ${name} 127.0.0.1 1 1`

  async function startWith(...lines: readonly string[]) {
    const [port] = (await freePorts(1)) as [number]
    const log = join(folder, 'own.log')
    const basics = [`port ${port}`, 'bind 127.0.0.1', `logfile ${log}`]
    const rewrite = (...more: readonly string[]) => write('s.conf', ...basics, ...more)
    const one = await started(ours(port, rewrite(...lines)))
    return { one, port, log, rewrite }
  }

  test('takes what the file says anew, and says what takes a restart', async () => {
    const { one, port, log, rewrite } = await startWith(monitor('a'))
    rewrite(
      monitor('a'),
      monitor('b'),
      'sentinel down-after-milliseconds a 7000',
      'pidfile /run/x',
      'maxclients 50',
    )
    one.signal('SIGHUP')
    await until('b is monitored', 10_000, () => cli(port, 'SENTINEL', 'MASTERS').includes('b'))
    expect(fields(cli(port, 'SENTINEL', 'MASTER', 'a'))['down-after-milliseconds']).toBe('7000')
    const text = await until('it is done', 5_000, () => {
      const said = readFileSync(log, 'utf8')
      return said.includes('reload: done') && said
    })
    expect(text).toContain('reload: a: down-after-milliseconds was 30000, is 7000')
    expect(text).toContain('reload: pidfile has changed, which needs a restart')
    expect(text).toContain('reload: maxclients is 50')
  })

  test('changes nothing with errors in the file, says them, and opens the log anew', async () => {
    const { one, port, log, rewrite } = await startWith(monitor('a'))
    rewrite(monitor('b'), 'maxcleints 5')
    renameSync(log, `${log}.1`)
    one.signal('SIGHUP')
    const text = await until('a new log', 10_000, () => {
      const said = existsSync(log) ? readFileSync(log, 'utf8') : ''
      const old = readFileSync(`${log}.1`, 'utf8')
      return old.includes('did you mean maxclients?') && said !== undefined && old
    })
    expect(text).toContain('reload: nothing has changed, because the configuration has errors')
    expect(cli(port, 'SENTINEL', 'MASTER', 'a').length).toBeGreaterThan(1)
    cli(port, 'SENTINEL', 'MONITOR', 'c', '127.0.0.1', '1', '1')
    await until('lines go to the new file', 5_000, () => {
      return existsSync(log) && readFileSync(log, 'utf8').includes('+monitor master c')
    })
  })
})

describe.runIf(HAS_REDIS_CLI)('in the background', () => {
  test('the start ends when it listens, and the pid file is there for as long as the daemon', async () => {
    const [port] = (await freePorts(1)) as [number]
    const [pidFile, log] = [join(folder, 'run.pid'), join(folder, 'own.log')]
    const lines = [`port ${port}`, 'bind 127.0.0.1', 'daemonize yes', `pidfile ${pidFile}`]
    const path = write('s.conf', ...lines, `logfile ${log}`, 'sentinel monitor a 127.0.0.1 1 1')
    expect(await run(process.execPath, [SENTINEL, path])).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    })
    const pid = Number(readFileSync(pidFile, 'latin1'))
    pids.push(pid)
    expect(answers(port)).toBe(true)
    expect(cli(port, 'INFO', 'server').join('\n')).toContain(`process_id:${pid}`)
    process.kill(pid, 'SIGTERM')
    await until('the pid file is gone', 5_000, () => !existsSync(pidFile))
    expect(readFileSync(log, 'utf8')).toContain('+monitor master a')
  })

  test('a start that fails says why, and with its status', async () => {
    const [port] = (await freePorts(1)) as [number]
    const lines = [`port ${port}`, 'bind 127.0.0.1', `logfile ${join(folder, 'own.log')}`]
    await started(ours(port, write('first.conf', ...lines)))
    const path = write('s.conf', ...lines, 'daemonize yes', `pidfile ${join(folder, 'run.pid')}`)
    const { status, stderr } = await run(process.execPath, [SENTINEL, path])
    expect(status).toBe(1)
    expect(stderr).toContain(`cannot listen on 127.0.0.1:${port}: another process`)
  })

  test('a data node goes there too', async () => {
    const [port] = (await freePorts(1)) as [number]
    const pidFile = join(folder, 'run.pid')
    const argv = ['--port', `${port}`, '--dir', folder, '--pidfile', pidFile, '--daemonize', 'yes']
    expect(await run(process.execPath, [SERVER, ...argv])).toMatchObject({ status: 0 })
    pids.push(Number(readFileSync(pidFile, 'latin1')))
    expect(answers(port)).toBe(true)
  })
})

test.runIf(HAS_REDIS_CLI)(
  'systemd is told when all is ready, and stays in the foreground',
  async () => {
    const [port] = (await freePorts(1)) as [number]
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    const told = join(folder, 'told')
    writeFileSync(join(bin, 'systemd-notify'), `#!/bin/sh\necho "$@" > ${told}\n`)
    await chmod(join(bin, 'systemd-notify'), 0o755)
    const path = write(
      's.conf',
      `port ${port}`,
      'bind 127.0.0.1',
      'daemonize yes',
      'supervised auto',
    )
    const start = `NOTIFY_SOCKET=/nowhere PATH=${bin}:$PATH exec ${process.execPath} ${SENTINEL} ${path}`
    const one = await started(program(port, '/bin/sh', '-c', start))
    const words = await until(
      'it was told',
      5_000,
      () => existsSync(told) && readFileSync(told, 'utf8'),
    )
    expect(words).toContain(`--ready --pid=${one.pid}`)
    expect(one.isRunning).toBe(true)
  },
)
