/** What our links do with Redis' own programs: other names, wrong passwords, busy scripts, shared peers. */
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  cli,
  follows,
  freePorts,
  HAS_REDIS_CLI,
  HAS_REDIS_SENTINEL,
  HAS_REDIS_SERVER,
  masterField,
  masterPort,
  Program,
  sentinelOn,
  stopAll,
  until,
} from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

/** Programs of one test, stopped after it. */
class Stage {
  readonly #folder = scratchFolder('test')
  readonly #programs: Program[] = []

  constructor() {
    onTestFinished(() => stopAll(this.#folder, this.#programs))
  }

  /** A redis-server with these lines, running. */
  server(port: number, ...lines: readonly string[]): Program {
    const own = [`port ${port}`, 'bind 127.0.0.1', 'save ""', 'repl-diskless-sync-delay 0']
    const path = this.#write(port, [...own, ...lines])
    return this.#start(new Program(port, `${this.#dir(port)}.log`, 'redis-server', [path]))
  }

  /** A Sentinel with these lines behind `sentinel`, running; ours unless it is to be Redis' own. */
  sentinel(port: number, lines: readonly string[], isRedis = false): Program {
    const own = [`port ${port}`, 'bind 127.0.0.1', `dir ${this.#dir(port)}`]
    const path = this.#write(port, [...own, ...lines.map((line) => `sentinel ${line}`)])
    return this.#start(sentinelOn(path, port, `${this.#dir(port)}.log`, isRedis))
  }

  #dir(port: number): string {
    return join(this.#folder, String(port))
  }

  #write(port: number, lines: readonly string[]): string {
    mkdirSync(this.#dir(port))
    const path = join(this.#dir(port), 'redis.conf')
    writeFileSync(path, `${lines.join('\n')}\n`)
    return path
  }

  #start(program: Program): Program {
    this.#programs.push(program)
    program.start()
    return program
  }
}

function watched(port: number, quorum = 1, name = 'mymaster'): string[] {
  return [
    `monitor ${name} 127.0.0.1 ${port} ${quorum}`,
    `down-after-milliseconds ${name} 600`,
    `failover-timeout ${name} 5000`,
  ]
}

/** PING keeps its name: replicas say it to their masters, and have no way to call it otherwise. */
const NAMES = ['client', 'info', 'publish', 'subscribe', 'multi', 'slaveof', 'config', 'exec']

const HAS_NODES = HAS_REDIS_CLI && HAS_REDIS_SERVER

describe.skipIf(!HAS_NODES)('needs redis-server', () => {
  test('servers that have other names for their commands are failed over, and back in line', async () => {
    const [one = 0, two = 0, us = 0] = await freePorts(3)
    const stage = new Stage()
    const lines = NAMES.map((name) => `rename-command ${name} x-${name}`)
    const master = stage.server(one, ...lines)
    const replica = stage.server(two, ...lines, `replicaof 127.0.0.1 ${one}`)
    await until('the replica is in sync', 10_000, () => follows(replica, one))
    const renames = NAMES.map((name) => `rename-command mymaster ${name} x-${name}`)
    const sentinel = stage.sentinel(us, [...watched(one), ...renames])
    await until('it knows the replica', 10_000, () => masterField(sentinel, 'num-slaves') === '1')

    await master.kill()
    await until('the replica is the master', 10_000, () => masterPort(sentinel) === two)
    expect(cli(two, 'ROLE')[0]).toBe('master')
    master.start()
    await until('the old one follows it', 15_000, () => follows(master, two))
    expect(sentinel.log()).not.toContain('refuses')
    expect(masterField(sentinel, 'flags')).toBe('master')
  })

  test('a wrong password is told once in the log, and the right one mends it', async () => {
    const [one = 0, us = 0] = await freePorts(2)
    const stage = new Stage()
    stage.server(one, 'requirepass open-sesame')
    const sentinel = stage.sentinel(us, [...watched(one), 'auth-pass mymaster open-barley'])
    const down = /\+sdown master/
    await until('it is down', 10_000, () => down.test(sentinel.log()))
    expect(sentinel.log()).toContain(
      `refuses our password (auth-pass of group mymaster): WRONGPASS invalid username-password ` +
        'pair or user is disabled; it will be seen as down',
    )
    expect(cli(us, 'SENTINEL', 'SET', 'mymaster', 'auth-pass', 'open-sesame')).toEqual(['OK'])
    await until('it is up', 10_000, () => /-sdown master/.test(sentinel.log()))
    expect(sentinel.log().split('refuses our password')).toHaveLength(2)
    expect(sentinel.log()).not.toContain('open-')
  })

  test('a password that is wanted and not set is told, too', async () => {
    const [one = 0, us = 0] = await freePorts(2)
    const stage = new Stage()
    stage.server(one, 'requirepass open-sesame')
    const sentinel = stage.sentinel(us, watched(one))
    await until('it is told', 10_000, () =>
      sentinel
        .log()
        .includes('wants a password, and none is set (auth-pass of group mymaster): NOAUTH'),
    )
  })

  test('a user that may not subscribe or publish is told what it lacks', async () => {
    const [one = 0, us = 0] = await freePorts(2)
    const stage = new Stage()
    stage.server(one, 'user default on nopass ~* &* +@all -subscribe -publish')
    const sentinel = stage.sentinel(us, watched(one))
    await until('both are told', 10_000, () =>
      ['SUBSCRIBE', 'PUBLISH'].every((verb) => sentinel.log().includes(`refuses ${verb}: NOPERM`)),
    )
    expect(masterField(sentinel, 'flags')).toBe('master,disconnected')
  })

  test('a script that keeps a master busy for ever is ended by our SCRIPT KILL', async () => {
    const [one = 0, us = 0] = await freePorts(2)
    const stage = new Stage()
    stage.server(one, 'busy-reply-threshold 50')
    const sentinel = stage.sentinel(us, watched(one, 2))
    await until('it is watched', 10_000, () => masterField(sentinel, 'flags') === 'master')
    const script = spawn('redis-cli', ['-p', String(one), 'EVAL', 'while true do end', '0'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    onTestFinished(() => void script.kill('SIGKILL'))
    const output: string[] = []
    script.stdout.on('data', (chunk: Buffer) => output.push(String(chunk)))
    await until('it is up again', 15_000, () => /\+sdown.*-sdown/s.test(sentinel.log()))
    await until('the script has ended', 5_000, () => output.join('').includes('killed'))
    expect(sentinel.log()).toContain('answers PING with BUSY')
    expect(masterField(sentinel, 'flags')).toBe('master')
  })
})

describe.skipIf(!HAS_NODES || !HAS_REDIS_SENTINEL)('needs redis-sentinel', () => {
  for (const isRedis of [true, false]) {
    const whose = isRedis ? 'a redis-sentinel' : 'one of our own'
    test(`two groups share one connection to ${whose}`, async () => {
      const [one = 0, two = 0, us = 0, them = 0] = await freePorts(4)
      const stage = new Stage()
      stage.server(one)
      stage.server(two)
      const lines = [...watched(one, 2), ...watched(two, 2, 'second')]
      const sentinel = stage.sentinel(us, lines)
      stage.sentinel(them, lines, isRedis)
      for (const group of ['mymaster', 'second']) {
        for (const port of [us, them]) {
          await until(`${port} knows the other in ${group}`, 15_000, () =>
            cli(port, 'SENTINEL', 'SENTINELS', group).includes('link-refcount'),
          )
        }
      }
      const [id = ''] = cli(us, 'SENTINEL', 'MYID')
      const ours = cli(them, 'CLIENT', 'LIST').filter((line) =>
        line.includes(`name=sentinel-${id.slice(0, 8)}-cmd`),
      )
      expect(ours).toHaveLength(1)
      for (const group of ['mymaster', 'second']) {
        const fields = cli(us, 'SENTINEL', 'SENTINELS', group)
        expect(fields[fields.indexOf('link-refcount') + 1]).toBe('2')
        expect(fields[fields.indexOf('flags') + 1]).toBe('sentinel')
      }
      expect(sentinel.log()).not.toContain('+sdown')
    })
  }
})
