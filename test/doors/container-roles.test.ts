/**
 * deploy/docker/node.mjs on loopback, as containers use it: which role a data node starts with, for the first time, after a
 * failover that it did not see, and while nobody can tell. All go by a name, with passwords from files.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import {
  cli,
  freePorts,
  HAS_REDIS_CLI,
  MAIN,
  Program,
  run,
  stopAll,
  until,
} from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const SCRIPT = fileURLToPath(new URL('../../deploy/docker/node.mjs', import.meta.url))
const PASSWORD = 'pass "word" \\ 1'

interface Containers {
  readonly nodes: readonly Program[]
  readonly sentinels: readonly Program[]
  readonly httpPorts: readonly number[]
  /** The variables of each node. */
  readonly variables: readonly (readonly string[])[]
}

async function containers(
  onTestFinished: (end: () => Promise<void>) => void,
  firstWait = 1,
): Promise<Containers> {
  const folder = scratchFolder('roles')
  const [a = 0, b = 0, c = 0, s = 0, t = 0, u = 0, ...httpPorts] = await freePorts(9)
  const secret = join(folder, 'password')
  writeFileSync(secret, `${PASSWORD}\n`)
  const names = [s, t, u].map((port) => `localhost:${port}`)
  const variables = [a, b, c].map((port, at) => {
    const data = join(folder, `data-${at}`)
    mkdirSync(data)
    const conf = join(folder, `server-${at}.conf`)
    const http = `http-port ${httpPorts[at]}\nhttp-bind 127.0.0.1`
    writeFileSync(conf, `port ${port}\nbind 127.0.0.1\nappendonly yes\n${http}\n`)
    return [
      `VEDETTE_SELF=localhost:${port}`,
      `VEDETTE_SEED=localhost:${a}`,
      `VEDETTE_SENTINELS=${names.join(',')}`,
      `VEDETTE_CONF=${conf}`,
      `VEDETTE_DATA=${data}`,
      `VEDETTE_PASSWORD_FILE=${secret}`,
      `VEDETTE_SENTINEL_PASSWORD_FILE=${secret}`,
      `VEDETTE_FIRST_WAIT=${firstWait}`,
      `HTTP_PORT=${httpPorts[at]}`,
    ]
  })
  const nodes = [a, b, c].map((port, at) => {
    const argv = [...(variables[at] as string[]), process.execPath, SCRIPT, 'start']
    return new Program(port, join(folder, `node-${at}.log`), 'env', argv)
  })
  const sentinels = [s, t, u].map((port, at) => {
    const state = join(folder, `state-${at}`)
    mkdirSync(state)
    const path = join(folder, `sentinel-${at}.yml`)
    writeFileSync(
      path,
      `port: ${port}
bind: 127.0.0.1
resolve-hostnames: yes
announce-hostnames: yes
announce-ip: localhost
state-dir: ${state}
requirepass: \${file:${secret}}
groups:
  mymaster:
    master: localhost:${a}
    quorum: 2
    down-after: 1s
    auth-pass: \${file:${secret}}
`,
    )
    const log = join(folder, `sentinel-${at}.log`)
    return new Program(port, log, process.execPath, [MAIN, 'sentinel', path])
  })
  onTestFinished(() => stopAll(folder, [...nodes, ...sentinels]))
  return { nodes, sentinels, httpPorts, variables }
}

const ask = (port: number, ...words: string[]) =>
  cli(port, '--no-auth-warning', '-a', PASSWORD, ...words)
const role = ({ port }: Program) => ask(port, 'ROLE')
const followsNode = (node: Program, master: Program) => {
  const [word, , port, state] = role(node)
  return word === 'slave' && Number(port) === master.port && state === 'connected'
}
const masterOf = ({ port }: Program) =>
  Number(ask(port, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster')[1])

async function settled({ nodes, sentinels }: Containers, master: Program): Promise<void> {
  for (const one of nodes.filter((node) => node !== master)) {
    await until(`${one.port} follows`, 20_000, () => followsNode(one, master))
  }
  for (const { port } of sentinels) {
    const counts = () => ask(port, 'INFO', 'sentinel').join()
    await until('all are known', 20_000, () => counts().includes('slaves=2,sentinels=3'))
  }
}

/** What node.mjs says before it ends. */
function refusal(variables: Readonly<Record<string, string>>, ...words: readonly string[]) {
  const env = { PATH: process.env.PATH, ...variables }
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, ...words], {
    env,
    timeout: 10_000,
  })
  return { status, said: String(stderr).trim() }
}

test('a first wait that is no number is refused, and does not wait for ever', () => {
  const at = { VEDETTE_SELF: 'a:1', VEDETTE_SEED: 'a:1', VEDETTE_SENTINELS: '127.0.0.1:1' }
  const data = { VEDETTE_DATA: scratchFolder('first-wait'), VEDETTE_FIRST_WAIT: '10s' }
  expect(refusal({ ...at, ...data }, 'start')).toEqual({
    status: 1,
    said: "node.mjs: VEDETTE_FIRST_WAIT: '10s' is no number of seconds",
  })
})

test('a health check that nobody answers says why', async () => {
  const [port] = await freePorts(1)
  expect(refusal({ HTTP_PORT: String(port) }, 'ready')).toEqual({
    status: 1,
    said: `node.mjs: http://127.0.0.1:${port}/readiness: ECONNREFUSED`,
  })
})

test('whether it is the master is not claimed where too few Sentinels answer', async () => {
  const [self = 0, ...silent] = await freePorts(4)
  const named = silent.map((port) => `127.0.0.1:${port}`).join(',')
  const variables = [`VEDETTE_SELF=127.0.0.1:${self}`, `VEDETTE_SENTINELS=${named}`]
  const { status, stderr } = await run('env', [
    ...[...variables, process.execPath],
    ...[SCRIPT, 'hand-over'],
  ])
  expect(stderr).toMatch(/^node\.mjs: too few Sentinels answer to say who is the master/)
  expect(stderr).not.toContain('not the master')
  // It may not keep the container from stopping.
  expect(status).toBe(0)
})

describe.skipIf(!HAS_REDIS_CLI)('(need redis-cli)', () => {
  test('the first start follows the seed, and a former master comes back as a replica', async ({
    onTestFinished,
  }) => {
    const all = await containers(onTestFinished)
    const [first, ...others] = all.nodes as [Program, Program, Program]
    for (const one of [...all.sentinels, ...all.nodes]) one.start()
    await settled(all, first)
    const primary = () => fetch(`http://127.0.0.1:${all.httpPorts[0]}/primary`)
    await until('it says so to a load balancer', 10_000, async () => (await primary()).ok)

    await first.kill()
    const promoted = await until('a failover', 20_000, () => {
      const ports = all.sentinels.map(masterOf)
      return others.find(({ port }) => ports.every((one) => one === port))
    })
    first.start()
    await until('it follows', 20_000, () => followsNode(first, promoted))
    const decisions = first.log().match(/node\.mjs: .*(starts as|follows).*/g)
    expect(decisions).toEqual([
      `node.mjs: localhost:${first.port} starts as the master`,
      `node.mjs: follows localhost:${promoted.port}`,
    ])

    await settled(all, promoted)
    const at = all.nodes.indexOf(promoted)
    const variables = all.variables[at] as string[]
    const ready = await run('env', [...variables, process.execPath, SCRIPT, 'ready'])
    expect(ready).toEqual({ status: 0, stdout: '', stderr: '' })
    const handOver = [...variables, process.execPath, SCRIPT, 'hand-over']
    const handed = await until('the master is handed over', 30_000, async () => {
      const outcome = await run('env', handOver, 40_000)
      return outcome.stderr.includes('handed over') && outcome
    })
    expect(handed.status).toBe(0)
    await until('all Sentinels know', 10_000, () => {
      return !all.sentinels.map(masterOf).includes(promoted.port)
    })
  })

  test('without Sentinels the first start takes the seed, and every later one waits for them', async ({
    onTestFinished,
  }) => {
    const all = await containers(onTestFinished)
    const [first] = all.nodes as [Program]
    first.start()
    await until('it is master', 10_000, () => role(first)[0] === 'master')
    await first.kill()
    first.start()
    const said = '0 of 3 Sentinels answer for mymaster'
    await until('it says what it waits for', 10_000, () => first.log().includes(said))
    expect(() => role(first)).toThrow()
    // One Sentinel alone may have missed a failover: it cannot make a master.
    all.sentinels[0]?.start()
    await until('one Sentinel is heard', 20_000, () => first.log().includes('1 of 3 Sentinels'))
    expect(() => role(first)).toThrow()
    all.sentinels[1]?.start()
    await until('two can', 10_000, () => role(first)[0] === 'master')
  })

  test('a stop is heard while it waits', async ({ onTestFinished }) => {
    const all = await containers(onTestFinished, 60)
    const replica = all.nodes[1] as Program
    replica.start()
    await until('it waits', 10_000, () => replica.log().includes('0 of 3 Sentinels'))
    replica.signal('SIGTERM')
    await until('it ends', 5_000, () => !replica.isRunning)
    expect(replica.exitCode).toBe(0)
  })
})
