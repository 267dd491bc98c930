/** What people get wrong on the command line and in files: told clearly, with a status, and never a crash. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { freePorts, until } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const MAIN = fileURLToPath(new URL('../../dist/launch/vedette.cjs', import.meta.url))

let folder = ''
const children: ChildProcess[] = []
const servers: Server[] = []

beforeEach(() => {
  folder = scratchFolder('cli')
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const server of servers.splice(0)) server.close()
})

function write(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

function launch(args: readonly string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A server keeps its data in the folder it is started in.
    cwd: folder,
  })
  const run = { child, stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    run.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    run.stderr += chunk
  })
  children.push(child)
  return run
}

/** Runs to the end. */
async function vedette(...args: string[]) {
  const run = launch(args)
  await new Promise((resolve) => run.child.once('close', resolve))
  return { status: run.child.exitCode, stdout: run.stdout, stderr: run.stderr }
}

async function takenPort(): Promise<number> {
  const server = createServer()
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function sentinelYml(port: number): string {
  const group = 'groups:\n  mymaster:\n    master: 127.0.0.1:1\n    quorum: 2\n'
  return `port: ${port}\nbind: 127.0.0.1\n${group}`
}

test('the version is that of package.json, and names the build', async () => {
  const file = fileURLToPath(new URL('../../package.json', import.meta.url))
  const { version } = JSON.parse(readFileSync(file, 'utf8'))
  const { status, stdout } = await vedette('--version')
  expect([status, stdout.replace(/\+[0-9a-f]{8}\n$/, '')]).toEqual([0, version])
})

for (const program of ['up', 'sentinel', 'server', 'check', 'export-conf', 'scenario run']) {
  test(`${program} --help shows an example and what the exit status means`, async () => {
    const { status, stdout } = await vedette(...program.split(' '), '--help')
    expect(status).toBe(0)
    expect(stdout).toContain(`Example:\n  vedette ${program}`)
    expect(stdout).toContain('Exit status: 0')
  })
}

test('a mistyped order of up is an unknown command, and those there are stand beside it', async () => {
  const { status, stderr } = await vedette('up', 'frob')
  expect(status).toBe(2)
  expect(stderr).toMatch(/unknown command 'frob' of up; there are kill, stop, cut, back, status/)
})

test('an unknown directive stops a server, with a hint', async () => {
  const { status, stderr } = await vedette('server', '--maxmemori', '1gb')
  expect(status).toBe(1)
  expect(stderr).toMatch(/^error: command line {2}maxmemori .*did you mean maxmemory\?/m)
})

test('every wrong line of a redis.conf is told at once', async () => {
  const path = write('redis.conf', 'port abc\n# fine\nmaxmemory 1zb\nbind "127.0.0.1\n')
  const { status, stderr } = await vedette('server', path)
  expect(status).toBe(1)
  for (const line of [1, 3, 4]) expect(stderr).toContain(`${path}:${line}:1`)
})

test('a file that is not there is named', async () => {
  const path = join(folder, 'nowhere.yml')
  const { status, stderr } = await vedette('sentinel', path)
  expect(status).toBe(1)
  expect(stderr).toContain(`cannot read ${path}: there is no such file`)
})

test('a Sentinel that is given directives and no file says that it needs one', async () => {
  const { status, stderr } = await vedette('sentinel', '--port', '26380')
  expect(status).toBe(1)
  expect(stderr).toBe('Sentinel needs config file on disk to save state. Exiting...\n')
})

test('a port in use stops a server, by name', async () => {
  const port = await takenPort()
  const { status, stderr } = await vedette('server', '--port', `${port}`, '--bind', '127.0.0.1')
  expect(status).toBe(1)
  expect(stderr).toContain(`cannot listen on 127.0.0.1:${port}: another process`)
  expect(stderr).toContain('--port')
})

test('a port in use is told on standard output as well, in the words that starters of servers look for', async () => {
  const port = await takenPort()
  const server = await vedette('server', '--port', `${port}`, '--bind', '127.0.0.1')
  const sentinel = await vedette('sentinel', write('sentinel.yml', sentinelYml(port)))
  const words = `Could not create server TCP listening socket 127.0.0.1:${port}: bind: Address already in use`
  for (const { stdout } of [server, sentinel]) expect(stdout).toContain(words)
})

test('why a service did not start stands in its log file, too', async () => {
  const port = await takenPort()
  const log = join(folder, 'node.log')
  await vedette('server', '--port', `${port}`, '--bind', '127.0.0.1', '--logfile', log)
  const yml = write('sentinel.yml', `${sentinelYml(port)}log-file: sentinel.log\n`)
  await vedette('sentinel', yml)
  for (const path of [log, join(folder, 'sentinel.log')])
    expect(readFileSync(path, 'utf8')).toContain(`cannot start: cannot listen on 127.0.0.1:${port}`)
})

test('a port in use stops a Sentinel before it touches its state', async () => {
  const port = await takenPort()
  const path = write('sentinel.yml', sentinelYml(port))
  const { status, stderr } = await vedette('sentinel', path)
  expect(status).toBe(1)
  expect(stderr).toContain(`127.0.0.1:${port}`)
})

test('an address of another machine is no address to bind to', async () => {
  const [port] = await freePorts(1)
  const { status, stderr } = await vedette('server', '--port', `${port}`, '--bind', '192.0.2.1')
  expect(status).toBe(1)
  expect(stderr).toContain('this machine has no such address')
})

test('a YAML error stops a Sentinel, with its place', async () => {
  const path = write('sentinel.yml', 'port: 26379\n  groups: [\n')
  const { status, stderr } = await vedette('sentinel', path)
  expect(status).toBe(2)
  expect(stderr).toMatch(/^error: .*sentinel\.yml:\d+:\d+ /)
})

test('every problem of a sentinel.yml is told at once', async () => {
  const path = write('sentinel.yml', 'prot: 26379\ngroups:\n  mymaster:\n    quorum: 0\n')
  const { status, stderr } = await vedette('sentinel', path)
  expect(status).toBe(2)
  expect(stderr).toContain('did you mean port?')
  expect(stderr).toContain('groups.mymaster.master')
  expect(stderr).toContain('groups.mymaster.quorum')
})

test('a bad override beside a sentinel.yml is told', async () => {
  const path = write('sentinel.yml', sentinelYml(26_379))
  const { status, stderr } = await vedette('sentinel', path, '--port', 'many')
  expect(status).toBe(2)
  expect(stderr).toContain('command line  port')
})

test('a state folder that cannot be written stops a Sentinel, with its name', async () => {
  const [port] = (await freePorts(1)) as [number]
  const file = write('file', '')
  const path = write('sentinel.yml', `${sentinelYml(port)}state-dir: ${join(file, 'state')}\n`)
  const { status, stderr } = await vedette('sentinel', path)
  expect(status).toBe(1)
  expect(stderr).toContain(`the state folder ${join(file, 'state')}: ENOTDIR`)
  expect(stderr).toContain('state-dir')
})

test('a mistyped state folder stops a Sentinel, and is not made', async () => {
  const [port] = (await freePorts(1)) as [number]
  const path = write('sentinel.yml', `${sentinelYml(port)}state-dir: ${join(folder, 'votse')}\n`)
  const { status, stderr } = await vedette('sentinel', path)
  expect(status).toBe(1)
  expect(stderr).toBe(
    `vedette: the state folder ${join(folder, 'votse')}: there is no such folder\n` +
      '  correct state-dir (dir in a sentinel.conf): a Sentinel that has lost its votes could vote ' +
      `twice. Only if this is its first start: mkdir -p ${join(folder, 'votse')}, writable for its user\n`,
  )
  expect(existsSync(join(folder, 'votse'))).toBe(false)
})

test('a log file that cannot be written stops a program, with its name', async () => {
  const path = join(write('file', ''), 'node.log')
  const { status, stderr } = await vedette('server', '--logfile', path)
  expect(status).toBe(1)
  expect(stderr).toContain(`cannot write the log file ${path}`)
})

test('a state file of which both copies are damaged stops a Sentinel', async () => {
  const [port] = (await freePorts(1)) as [number]
  const path = write('sentinel.yml', sentinelYml(port))
  write(`sentinel-${port}.state`, 'junk')
  const { status, stderr } = await vedette('sentinel', path)
  expect(status).toBe(1)
  expect(stderr).toContain(`sentinel-${port}.state: it is not a Vedette state file`)
})

test('check tells every problem with its place, and ends with 2', async () => {
  const path = write('sentinel.yml', 'groups:\n  mymaster:\n    quorum: none\n')
  const { status, stderr } = await vedette('check', path)
  expect(status).toBe(2)
  expect(stderr).toContain(`error: ${path}:3:13  groups.mymaster.quorum`)
  expect(stderr).toContain('2 errors, 0 warnings')
})

test('a file that is not there is wrong input, and never an answer that scripts act on', async () => {
  const [conf, yml] = [join(folder, 'nope.conf'), join(folder, 'nope.yml')]
  const runs: readonly (readonly string[])[] = [
    ['check', conf],
    ['check', '--deep', conf],
    ['status', '--tls', '--cacert', conf],
    ['explain', 'mymaster', '--tls', '--cacert', conf],
    ['proxy', yml],
    ['proxy', '--group', 'mymaster', '--sentinel', '127.0.0.1:1'],
    ['up', '--config', yml],
    ['export-conf', conf],
  ]
  const ended = await Promise.all(runs.map((args) => vedette(...args)))
  expect(ended.map(({ status }) => status)).toEqual(runs.map(() => 2))
  // As redis-sentinel and redis-server.
  for (const program of ['sentinel', 'server'])
    expect(await vedette(program, conf)).toMatchObject({ status: 1 })
})

test('a folder that was removed under the shell is told by every program that needs it', async () => {
  const file = write('sentinel.yml', sentinelYml(26_379))
  const shell = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
  const started = ['check', 'sentinel', 'server'].map(async (name) => {
    const words = [process.execPath, MAIN, name, file]
    const child = spawn('sh', ['-c', shell.replaceAll('gone', name), 'sh', ...words], {
      ...{ cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
    })
    children.push(child)
    let stderr = ''
    child.stderr?.on('data', (chunk) => {
      stderr += chunk
    })
    await new Promise((resolve) => child.once('close', resolve))
    return [child.exitCode, stderr]
  })
  const text =
    'vedette: the folder that this program was started in no longer exists\n' +
    '  change to another folder (cd /) and start it there\n'
  expect(await Promise.all(started)).toEqual([
    [2, text],
    [1, text],
    [1, text],
  ])
})

test('check refuses what only --deep uses, where nobody is asked', async () => {
  const path = write('sentinel.yml', sentinelYml(26_379))
  for (const [option, value] of [
    ['--user', 'a'],
    ['--pass', 'b'],
    ['--timeout', '5s'],
  ] as const) {
    const { status, stderr } = await vedette('check', path, option, value)
    expect(status).toBe(2)
    expect(stderr).toContain(`vedette: ${option} is only for --deep`)
  }
})

test('check warns of what is unwise, and ends with 0', async () => {
  const path = write('sentinel.yml', `sentinels: 2\n${sentinelYml(26_379)}`)
  const { status, stderr } = await vedette('check', path)
  expect(status).toBe(0)
  expect(stderr).toMatch(/^warning: /m)
})

test('check reads a redis.conf and a sentinel.conf by their content', async () => {
  const redis = await vedette('check', write('node.conf', 'port 7000\nmaxmemori 1gb\n'))
  expect(redis).toMatchObject({ status: 2, stderr: expect.stringContaining('maxmemori') })
  const conf = 'sentinel monitor mymaster 127.0.0.1 6379 2\nsentinel down-aftr mymaster 5\n'
  const sentinel = await vedette('check', write('watch.conf', conf))
  expect(sentinel).toMatchObject({ status: 2, stderr: expect.stringContaining('down-aftr') })
})

test('check --json is one array that scripts can read', async () => {
  const path = write('redis.conf', 'port 7000\nnonsense yes\n')
  const { status, stdout } = await vedette('check', path, '--json')
  expect(status).toBe(2)
  expect(JSON.parse(stdout)).toMatchObject([{ code: 'E_UNKNOWN', line: 2, path: 'nonsense' }])
})

test('a wrong option is told by its program', async () => {
  const { status, stderr } = await vedette('up', '--replicas', 'two')
  expect(status).not.toBe(0)
  expect(stderr).toContain("option '--replicas <n>' argument 'two' is invalid")
})

test('up says which folder it cannot write to, and does not hang over /proc', async () => {
  const file = write('file', '')
  for (const [dir, reason] of [
    [file, 'ENOTDIR'],
    [join(file, 'below'), 'ENOTDIR'],
    ['/proc/vedette', 'ENOENT'],
  ] as const) {
    const { status, stderr } = await vedette('up', '--dir', dir)
    expect(stderr).toBe(
      `vedette: cannot write to ${dir}: ${reason}\n  name a --dir that this user may write to\n`,
    )
    expect(status).toBe(1)
  }
})

test('up refuses ports beyond the last one, and members whose ports would overlap', async () => {
  const beyond = await vedette('up', '--port', '65500')
  expect(beyond.stderr).toContain('the cluster would need port 65652')
  expect(beyond.stderr).toContain('choose a --port of at most 65383')
  const overlap = await vedette('up', '--replicas', '100')
  expect(overlap.stderr).toContain('expected a whole number from 0 to 99')
  const pages = await vedette('up', '--sentinels', '51')
  expect(pages.stderr).toContain('expected a whole number from 0 to 50')
  expect([beyond, overlap, pages].map(({ status }) => status)).toEqual([2, 2, 2])
})

test('a running Sentinel takes overrides, answers, and ends with 0 on SIGTERM', async () => {
  const [inFile, port] = (await freePorts(2)) as [number, number]
  const path = write('sentinel.yml', sentinelYml(inFile))
  const text = readFileSync(path, 'utf8')
  const { child } = launch(['sentinel', path, '--port', String(port)])
  const redis = new Redis({ host: '127.0.0.1', port, retryStrategy: () => 50 })
  redis.on('error', () => undefined)
  await until('it answers', 5_000, async () => (await redis.ping()) === 'PONG')
  redis.disconnect()
  child.kill('SIGTERM')
  await until('it ends', 5_000, () => child.exitCode !== null)
  expect(child.exitCode).toBe(0)
  expect(readFileSync(path, 'utf8')).toBe(text)
  expect(readFileSync(join(folder, `sentinel-${port}.state`), 'utf8')).toContain('"myid"')
})

test('what CONFIG REWRITE keeps survives a restart, and the redis.conf stays as it was', async () => {
  const [port] = (await freePorts(1)) as [number]
  const text = `port ${port}\nbind 127.0.0.1\nmaxmemory 1mb\n`
  const path = write('redis.conf', text)
  const redis = new Redis({ host: '127.0.0.1', port, retryStrategy: () => 50 })
  redis.on('error', () => undefined)
  const first = launch(['server', path])
  await until('it answers', 5_000, async () => (await redis.ping()) === 'PONG')
  await redis.config('SET', 'maxmemory', '2mb')
  await redis.config('SET', 'requirepass', 'a "quoted\\" \xff secret')
  expect(await redis.config('REWRITE')).toBe('OK')
  first.child.kill('SIGKILL')
  await until('it ends', 5_000, () => first.child.signalCode !== null)
  redis.options.password = 'a "quoted\\" \xff secret'
  launch(['server', path])
  const kept = await until('it answers again', 5_000, () => redis.config('GET', 'maxmemory'))
  expect(kept).toEqual(['maxmemory', String(2 * 1024 * 1024)])
  expect(readFileSync(path, 'utf8')).toBe(text)
  redis.disconnect()
})

describe('behind a reader that has gone, as `head` does', () => {
  async function unread(args: readonly string[]) {
    const run = launch(args)
    run.child.stdout?.destroy()
    await new Promise((resolve) => run.child.once('exit', resolve))
    return { status: run.child.exitCode, stderr: run.stderr }
  }

  test('programs that only show something end silently, with the status of SIGPIPE', async () => {
    const file = write('sentinel.yml', sentinelYml(26_379))
    const runs = [
      ['status', '--sentinel', '127.0.0.1:1'],
      ['check', file, '--json'],
      ['fuzz', '--print', '--seeds', '1..1'],
    ].map(unread)
    for (const run of await Promise.all(runs)) expect(run).toEqual({ status: 141, stderr: '' })
  })

  test('a program that changes something carries on to its end', async () => {
    const { status } = await unread(['failover', 'mymaster', '--sentinel', '127.0.0.1:1'])
    expect(status).toBe(4)
  })
})

const UNHEARD = ['--sentinel', '127.0.0.1:1', '--json']
for (const words of [
  ['explain', 'g', ...UNHEARD],
  ['plan', 'upgrade', 'g', ...UNHEARD],
  ['failover', 'g', ...UNHEARD],
  ['pause', 'g', '--for', '1m', ...UNHEARD],
  ['epochs', ...UNHEARD],
  ['status', ...UNHEARD],
  ['ledger', 'list', ...UNHEARD],
  ['ledger', 'show', 'nowhere', '--json'],
  ['incident', 'nowhere', '--json'],
  ['replay', 'nowhere', '--json'],
  ['replay', 'nowhere', '--events', '--json'],
  ['scenario', 'run', 'nowhere', '--json'],
  ['simulate', 'nowhere', '--json'],
  ['fuzz', '--days', '3', '--json'],
  ['check', 'nowhere', '--user', 'u', '--json'],
  ['drain', '--node', '127.0.0.1:1', '--json'],
  ['pause', 'g', '--json'],
]) {
  test(`a failure is JSON: vedette ${words.join(' ')}`, async () => {
    const { status, stdout } = await vedette(...words)
    expect(status).not.toBe(0)
    expect(JSON.parse(stdout).error).toMatch(/\w/)
  })
}
