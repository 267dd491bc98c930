/**
 * Users on real sockets: the rights that are documented as the least are enough, towards data nodes and
 * between Sentinels, for our programs and for Redis' own in every combination. And what files say of
 * users, and what is kept of them.
 */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, type TestContext, test } from 'vitest'
import {
  cli,
  freePorts,
  HAS_REDIS,
  HAS_REDIS_CLI,
  MAIN,
  Program,
  run,
  sentinelOn,
  stopAll,
  until,
} from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

/** A redis-sentinel opens connections once a second; with less than this it takes that for a death. */
const DOWN_AFTER_MS = 2_500

/** Whom the tests themselves ask as. */
const ADMIN = ['--no-auth-warning', '--user', 'admin', '--pass', 'admin-pw'] as const

const LEAST_ON_NODES =
  '+ping +info +publish +subscribe +client|setname +client|kill +multi +exec +slaveof ' +
  '+config|rewrite +script|kill &__sentinel__:hello'
const LEAST_ON_SENTINELS =
  '+ping +publish +client|setname +sentinel|is-master-down-by-addr +sentinel|myid &__sentinel__:hello'

const EVERYWHERE = ['user default off', 'user admin on >admin-pw ~* &* +@all']

function nodeLines(port: number, dir: string): string[] {
  return [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${dir}`,
    'save ""',
    'repl-diskless-sync-delay 0',
    ...EVERYWHERE,
    `user watcher on >watcher-pw ${LEAST_ON_NODES}`,
    'user replica on >replica-pw +psync +replconf +ping',
    'masteruser replica',
    'masterauth replica-pw',
  ]
}

function sentinelLines(port: number, dir: string, master: number, quorum: number): string[] {
  return [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${dir}`,
    ...EVERYWHERE,
    `user peer on >peer-pw ${LEAST_ON_SENTINELS}`,
    'sentinel sentinel-user peer',
    'sentinel sentinel-pass peer-pw',
    `sentinel monitor mymaster 127.0.0.1 ${master} ${quorum}`,
    'sentinel auth-user mymaster watcher',
    'sentinel auth-pass mymaster watcher-pw',
    `sentinel down-after-milliseconds mymaster ${DOWN_AFTER_MS}`,
    'sentinel failover-timeout mymaster 4000',
  ]
}

class Site {
  readonly folder = scratchFolder('users')
  readonly programs: Program[] = []

  constructor(context: TestContext) {
    context.onTestFinished(() => stopAll(this.folder, this.programs))
  }

  node(port: number, isRedis: boolean, lines: readonly string[]): Program {
    const path = this.write(port, [...nodeLines(port, this.folderOf(port)), ...lines])
    const program = isRedis
      ? new Program(port, `${this.folderOf(port)}.log`, 'redis-server', [path])
      : new Program(port, `${this.folderOf(port)}.log`, process.execPath, [MAIN, 'server', path])
    return this.#start(program)
  }

  sentinel(port: number, isRedis: boolean, master: number, quorum: number): Program {
    const lines = sentinelLines(port, this.folderOf(port), master, quorum)
    const log = `${this.folderOf(port)}.log`
    return this.#start(sentinelOn(this.write(port, lines), port, log, isRedis))
  }

  folderOf(port: number): string {
    const folder = join(this.folder, String(port))
    mkdirSync(folder, { recursive: true })
    return folder
  }

  write(port: number, lines: readonly string[]): string {
    const path = join(this.folderOf(port), 'program.conf')
    writeFileSync(path, `${lines.join('\n')}\n`)
    return path
  }

  #start(program: Program): Program {
    this.programs.push(program)
    program.start()
    return program
  }
}

function ask({ port }: Program, ...argv: string[]): string[] {
  return cli(port, ...ADMIN, ...argv)
}

function field(sentinel: Program, name: string): string {
  const lines = ask(sentinel, 'SENTINEL', 'MASTER', 'mymaster')
  return lines[lines.indexOf(name) + 1] ?? ''
}

function follows(node: Program, master: number): boolean {
  const [role, , port, state] = ask(node, 'ROLE')
  return role === 'slave' && port === String(master) && state === 'connected'
}

const KINDS = [
  ['our Sentinel over redis-servers', false, true],
  ['our Sentinel over our nodes', false, false],
  ['a redis-sentinel over our nodes', true, false],
] as const

describe.skipIf(!HAS_REDIS)('needs redis-server and redis-sentinel', () => {
  test.concurrent.for(KINDS)(
    '%s fails over with the least rights, and turns the old master back',
    async ([, isRedisSentinel, isRedis], context) => {
      const [one = 0, two = 0, port = 0] = await freePorts(3)
      const site = new Site(context)
      const master = site.node(one, isRedis, [])
      const replica = site.node(two, isRedis, [`replicaof 127.0.0.1 ${one}`])
      await until('the replica is in sync', 15_000, () => follows(replica, one))
      const sentinel = site.sentinel(port, isRedisSentinel, one, 1)
      await until('the replica is known', 25_000, () => field(sentinel, 'num-slaves') === '1')

      await master.kill()
      await until('the replica is promoted', 25_000, () => ask(replica, 'ROLE')[0] === 'master')
      await until('the new address is told', 5_000, () => field(sentinel, 'port') === String(two))
      master.start()
      await until('the old master follows', 40_000, () => follows(master, two))
    },
  )

  test.concurrent('our Sentinel and a redis-sentinel that may do next to nothing elect a leader', async (context) => {
    const [one = 0, two = 0, ...ports] = await freePorts(4)
    const site = new Site(context)
    const master = site.node(one, true, [])
    const replica = site.node(two, true, [`replicaof 127.0.0.1 ${one}`])
    await until('the replica is in sync', 15_000, () => follows(replica, one))
    const sentinels = ports.map((port, at) => site.sentinel(port, at === 0, one, 2))
    for (const sentinel of sentinels) {
      await until('both know each other', 25_000, () => {
        const view = ['num-slaves', 'num-other-sentinels', 'flags'].map((at) => field(sentinel, at))
        return view.join(' ') === '1 1 master'
      })
    }
    // Longer than down-after: whoever is refused by the other is down by then.
    await new Promise((resolve) => setTimeout(resolve, DOWN_AFTER_MS + 1_500))
    for (const sentinel of sentinels) {
      const peer = ask(sentinel, 'SENTINEL', 'SENTINELS', 'mymaster')
      expect(peer[peer.indexOf('flags') + 1]).toBe('sentinel')
      expect(ask(sentinel, 'ACL', 'LOG')).toEqual([''])
    }

    await master.kill()
    for (const sentinel of sentinels) {
      await until('both name the new master', 35_000, () => field(sentinel, 'port') === String(two))
    }
    expect(ask(replica, 'ROLE')[0]).toBe('master')
  })

  test.concurrent.for([
    ['our replica of a redis-server', true, false],
    ['a redis-server as replica of our node', false, true],
  ] as const)(
    '%s gets in with the rights of a replica',
    async ([, isRedisMaster, isRedisReplica], context) => {
      const [one = 0, two = 0] = await freePorts(2)
      const site = new Site(context)
      const master = site.node(one, isRedisMaster, [])
      const replica = site.node(two, isRedisReplica, [`replicaof 127.0.0.1 ${one}`])
      await until('it is in sync', 15_000, () => follows(replica, one))
      ask(master, 'SET', 'key', 'value')
      await until('it has the key', 5_000, () => ask(replica, 'GET', 'key')[0] === 'value')
    },
  )
})

describe.skipIf(!HAS_REDIS_CLI)('needs redis-cli', () => {
  test.concurrent('users changed at run time outlive a Sentinel, whose file stays as it was', async (context) => {
    const [port = 0, master = 0] = await freePorts(2)
    const site = new Site(context)
    const sentinel = site.sentinel(port, false, master, 1)
    await until('it answers', 10_000, () => ask(sentinel, 'PING')[0] === 'PONG')
    const path = join(site.folderOf(port), 'program.conf')
    const file = readFileSync(path, 'utf8')
    expect(ask(sentinel, 'ACL', 'SETUSER', 'app', 'on', '>sesame', '+ping')).toEqual(['OK'])
    expect(ask(sentinel, 'ACL', 'DELUSER', 'peer')).toEqual(['1'])
    await sentinel.kill()
    sentinel.start()
    await until('it answers again', 10_000, () => ask(sentinel, 'PING')[0] === 'PONG')
    expect(ask(sentinel, 'ACL', 'USERS')).toEqual(['admin', 'app', 'default'])
    expect(cli(port, '--no-auth-warning', '--user', 'app', '--pass', 'sesame', 'PING')).toEqual([
      'PONG',
    ])
    expect(readFileSync(path, 'utf8')).toBe(file)
    for (const secret of ['sesame', 'admin-pw', 'peer-pw']) {
      expect(sentinel.log()).not.toContain(secret)
    }
  })

  test.concurrent.each(['sentinel', 'server'])(
    'a %s reads its aclfile, and ACL SAVE writes it',
    async (kind) => {
      const [port = 0, master = 0] = await freePorts(2)
      const folder = scratchFolder('aclfile')
      const aclFile = join(folder, 'users.acl')
      writeFileSync(aclFile, 'user default off\nuser admin on >admin-pw ~* &* +@all\n')
      const conf = join(folder, 'program.conf')
      const group = kind === 'sentinel' ? [`sentinel monitor m 127.0.0.1 ${master} 1`] : []
      const lines = [
        `port ${port}`,
        'bind 127.0.0.1',
        `dir ${folder}`,
        'aclfile users.acl',
        ...group,
      ]
      writeFileSync(conf, `${lines.join('\n')}\n`)
      const log = join(folder, 'program.log')
      const program = new Program(port, log, process.execPath, [MAIN, kind, conf])
      try {
        program.start()
        await until('it answers', 10_000, () => ask(program, 'PING')[0] === 'PONG')
        expect(ask(program, 'ACL', 'SETUSER', 'app', 'on', '>sesame', '+ping')).toEqual(['OK'])
        expect(ask(program, 'ACL', 'SAVE')).toEqual(['OK'])
        expect(readFileSync(aclFile, 'utf8')).toMatch(
          /^user admin on #.*\nuser app on #.*\nuser default off .*\n$/,
        )
        expect(statSync(aclFile).mode & 0o077).toBe(0)
        writeFileSync(aclFile, 'user admin on >admin-pw ~* &* +@all\nuser app on +nosuch\n')
        expect(ask(program, 'ACL', 'LOAD').join()).toContain('users.acl:2: Error in applying')
        expect(ask(program, 'ACL', 'USERS')).toEqual(['admin', 'app', 'default'])
        writeFileSync(aclFile, 'user admin on >admin-pw ~* &* +@all\nuser default off\n')
        expect(ask(program, 'ACL', 'LOAD')).toEqual(['OK'])
        expect(ask(program, 'ACL', 'USERS')).toEqual(['admin', 'default'])
      } finally {
        await stopAll(folder, [program])
      }
    },
  )
})

test.concurrent.each([
  ['sentinel', 'user a on +nosuch', /Unknown command or category name in ACL/],
  ['server', 'user a on +nosuch', /Unknown command or category name in ACL/],
  ['sentinel', 'user a foo', /Error in user declaration 'foo': Syntax error/],
  ['server', 'user a on\nuser a off', /Duplicate user found/],
  [
    'sentinel',
    'aclfile broken.acl',
    /Aborting Redis startup because of ACL errors: broken.acl:1: /,
  ],
  ['server', 'aclfile broken.acl', /Aborting Redis startup because of ACL errors: broken.acl:1: /],
  ['sentinel', 'aclfile missing.acl', /opening file 'missing.acl': No such file or directory/],
  ['server', 'aclfile missing.acl', /opening file 'missing.acl': No such file or directory/],
  ['sentinel', 'user a on\naclfile broken.acl', /define either an ACL file or declare users/],
  ['server', 'user a on\naclfile broken.acl', /define either an ACL file or declare users/],
])('a %s does not start with %j', async (kind, lines, text) => {
  const folder = scratchFolder('broken')
  try {
    writeFileSync(join(folder, 'broken.acl'), 'user a foo\n')
    const conf = join(folder, 'program.conf')
    writeFileSync(conf, `port 1\nbind 127.0.0.1\ndir ${folder}\n${lines}\n`)
    const outcome = await run(process.execPath, [MAIN, kind, conf])
    expect(outcome.status).toBeGreaterThan(0)
    expect(outcome.stderr + outcome.stdout).toMatch(text)
    expect(existsSync(join(folder, 'sentinel-1.state'))).toBe(false)
  } finally {
    await stopAll(folder, [])
  }
})
