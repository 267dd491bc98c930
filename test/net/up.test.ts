/** The demonstration cluster as a user without a terminal gets it: started, harmed, and gone without a trace. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const MAIN = fileURLToPath(new URL('../../dist/launch/vedette.cjs', import.meta.url))
const SCRIPT = fileURLToPath(new URL('../../scripts/task.mjs', import.meta.url))

/** Where the cluster under test puts its temporary folder. */
let folder = ''
let up: ChildProcess | undefined
let output = ''

beforeEach(() => {
  folder = scratchFolder('up')
  output = ''
})
afterEach(async () => {
  if (up !== undefined && !hasEnded(up)) {
    up.kill('SIGINT')
    await ended(up)
  }
})

function start(
  args: readonly string[],
  program: readonly string[] = [MAIN, 'up'],
  env: NodeJS.ProcessEnv = {},
): ChildProcess {
  const child = spawn(process.execPath, [...program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: folder, ...env },
  })
  const collect = (chunk: Buffer) => {
    output += chunk
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  up = child
  return child
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

async function ended(child: ChildProcess): Promise<number | null> {
  await until('vedette up ends', 10_000, () => hasEnded(child))
  return child.exitCode
}

/** Ends the cluster as Ctrl-C does, and forgets what it said. */
async function stop(): Promise<void> {
  up?.kill('SIGINT')
  await ended(up as ChildProcess)
  output = ''
}

interface Ports {
  readonly nodes: readonly number[]
  readonly sentinels: readonly number[]
}

async function ready(): Promise<Ports> {
  await until('the cluster is ready', 20_000, () => output.includes('ioredis'))
  const portsOf = (kind: string) =>
    [...output.matchAll(new RegExp(`\\d ${kind} (\\d+) (?:master|replica)`, 'g'))].map((match) =>
      Number(match[1]),
    )
  return { nodes: portsOf('node'), sentinels: portsOf('sentinel') }
}

/** Every process of the cluster has its folder among its arguments; the guard too. */
function processes(): readonly string[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8' }).split('\n')
  return lines.filter((line) => line.includes(folder))
}

/** The process behind a port, by the configuration file it was started with. */
function pidOf(port: number): number {
  const line = processes().find((one) => one.includes(`-${port}.`))
  const pid = Number(line?.trim().split(' ')[0])
  // Zero would be our own process group.
  if (!(pid > 1)) throw new Error(`no process for port ${port}`)
  return pid
}

/** A process that nobody has waited for yet is as good as gone: containers often have nobody. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    const stat = `/proc/${pid}/stat`
    return !existsSync(stat) || !/\) Z/.test(readFileSync(stat, 'utf8'))
  } catch {
    return false
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** No process, no port, no file. */
async function expectNothingLeft(
  pids: readonly number[],
  { nodes, sentinels }: Ports,
): Promise<void> {
  await until('every process is gone', 5_000, () => !pids.some(isAlive))
  await until('the guard is gone', 10_000, () => processes().length === 0)
  for (const port of [...nodes, ...sentinels]) {
    await until(`port ${port} is free`, 10_000, async () => !(await isListening(port)))
  }
  await until('the temporary folder is gone', 5_000, () => readdirSync(folder).length === 0)
  expect(readdirSync(folder)).toEqual([])
}

test('a cluster comes up, and a Sentinel client finds and uses the master; SIGINT leaves nothing behind', async () => {
  const child = start([])
  const ports = await ready()
  const { nodes, sentinels } = ports
  expect([nodes.length, sentinels.length]).toEqual([3, 3])
  expect(output).toContain(`redis-cli -p ${sentinels[0]} sentinel get-master-addr-by-name mymaster`)
  const [, url = ''] = /(http:\S+) {2}# the page/.exec(output) ?? []
  expect(await (await fetch(url)).text()).toContain('<title>Vedette</title>')
  const redis = new Redis({
    name: 'mymaster',
    sentinels: sentinels.map((port) => ({ host: '127.0.0.1', port })),
  })
  expect(await redis.set('key', 'value')).toBe('OK')
  expect(await redis.wait(2, 5_000)).toBe(2)
  redis.disconnect()
  await expectGoneAfter('SIGINT', child, ports)
})

test('a killed master is replaced, and every event is one line', async () => {
  start(['--down-after', '300ms'])
  const { nodes } = await ready()
  process.kill(pidOf(nodes[0] as number), 'SIGKILL')
  await until('the master has moved', 5_000, () => /sentinel \d+ \+switch-master/.test(output))
  await until('the death is told', 10_000, () => output.includes(`node ${nodes[0]} dead`))
  expect(output).toMatch(/^\d\d:\d\d:\d\d\.\d{3} sentinel \d+ \+sdown master mymaster /m)
})

/** No more processes than the claim takes. */
const SMALL = ['--replicas', '1', '--sentinels', '1'] as const

test('--port gives every member its place, and a port that is taken is named', async () => {
  // A free block, found by the cluster itself.
  start(SMALL)
  const { nodes } = await ready()
  const [base] = nodes as [number]
  const first = up as ChildProcess
  const refused = start(['--port', String(base - 1), ...SMALL])
  expect(await ended(refused)).toBe(1)
  expect(output).toContain(`port ${base} is in use`)
  first.kill('SIGINT')
  await ended(first)
  output = ''
  start(['--port', String(base), ...SMALL])
  expect(await ready()).toEqual({ nodes: [base, base + 1], sentinels: [base + 100] })
})

async function expectGoneAfter(
  signal: NodeJS.Signals,
  child: ChildProcess,
  ports: Ports,
): Promise<void> {
  const pids = [...ports.nodes, ...ports.sentinels].map(pidOf)
  child.kill(signal)
  expect(await ended(child)).toBe(0)
  await expectNothingLeft(pids, ports)
}

test('SIGTERM leaves no process, no port and no file behind', async () => {
  const child = start(SMALL)
  await expectGoneAfter('SIGTERM', child, await ready())
})

test('a crash of the parent leaves nothing behind, not even a paused master', async () => {
  const child = start(SMALL)
  const ports = await ready()
  const pids = [...ports.nodes, ...ports.sentinels].map(pidOf)
  process.kill(pids[0] as number, 'SIGSTOP')
  child.kill('SIGKILL')
  await expectNothingLeft(pids, ports)
})

test('--dir keeps all files, and a second start goes on with the master of the first', async () => {
  const dir = join(folder, 'kept')
  start(['--dir', dir, ...SMALL])
  const { nodes, sentinels } = await ready()
  const statePath = join(dir, `sentinel-${sentinels[0]}.state`)
  const myid = () => /"myid": "(\w+)"/.exec(readFileSync(statePath, 'utf8'))?.[1]
  const before = myid()
  const redis = new Redis({ host: '127.0.0.1', port: sentinels[0] as number })
  await redis.call('SENTINEL', 'FAILOVER', 'mymaster')
  redis.disconnect()
  const switches = () => [...output.matchAll(/\+switch-master .*the master is (\d+) now/g)]
  await until('all Sentinels have moved', 5_000, () => switches().length === sentinels.length)
  const [, moved] = switches()[0] as RegExpExecArray
  await until('the old master follows', 5_000, () =>
    output.includes(`node ${nodes[0]} replica of ${moved}, in sync`),
  )
  await stop()
  expect(readdirSync(dir)).toContain(`server-${nodes[0]}.conf`)
  // Long enough for a slow machine to start all processes without anybody being called dead.
  start(['--dir', dir, '--port', String(nodes[0]), '--down-after', '10s', ...SMALL])
  await ready()
  expect(myid()).toBe(before)
  for (const port of sentinels) expect(output).toContain(`sentinel ${port} master ${moved},`)
})

test.skipIf(process.platform !== 'linux')(
  '--open opens the page in the browser of the user, and says so if there is none',
  async () => {
    const browser = join(folder, 'browser')
    writeFileSync(browser, `#!/bin/sh\necho "$1" > '${join(folder, 'opened')}'\n`, { mode: 0o755 })
    start(['--open'], undefined, { BROWSER: browser })
    await until('a page is opened', 20_000, () => existsSync(join(folder, 'opened')))
    const url = readFileSync(join(folder, 'opened'), 'utf8').trim()
    expect(await (await fetch(url)).text()).toContain('<html')
    await stop()
    start(['--open'], undefined, { BROWSER: join(folder, 'nothing') })
    await until('there is no browser', 20_000, () => output.includes(`no browser opened http`))
  },
)

test('npm start runs the same cluster in the same process', async () => {
  const child = start(['--sentinels', '1', '--replicas', '0'], [SCRIPT, 'start'])
  const ports = await ready()
  const pids = [...ports.nodes, ...ports.sentinels].map(pidOf)
  child.kill('SIGKILL')
  await expectNothingLeft(pids, ports)
})
