/** `vedette ledger`: from a failover that loses writes to their return, with real processes. */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, test } from 'vitest'
import { HOST, type RealNode, replicationField, startOurs } from '../support/real-nodes.ts'
import { scratchFolder } from '../support/scratch.ts'
import { nodesOfTest } from '../support/test-nodes.ts'
import { until } from '../support/until.ts'

const MAIN = fileURLToPath(new URL('../../dist/launch/vedette.cjs', import.meta.url))

let folder = ''
const nodes = nodesOfTest()

beforeEach(() => {
  folder = scratchFolder('ledger')
})

async function started(directives: Record<string, string> = {}): Promise<RealNode> {
  const node = await startOurs(directives)
  nodes.push(node)
  return node
}

/** Runs `vedette ledger …` to its end. */
async function ledger(...args: string[]) {
  const child = spawn(process.execPath, [MAIN, 'ledger', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  await new Promise((resolve) => child.once('close', resolve))
  return { status: child.exitCode, stdout, stderr }
}

/** A ledger of a real demotion, and the master that lacks what is in it. */
async function afterFailover(): Promise<{ path: string; master: RealNode }> {
  const old = await started({ dir: folder })
  const master = await started()
  await master.client.replicaof(HOST, old.port)
  await until(async () => (await replicationField(master, 'master_link_status')) === 'up')
  await master.client.replicaof('NO', 'ONE')
  await old.client.set('lost', 'by\u00e9')
  await old.client.call('SET', Buffer.from([0, 255, 13, 10]), Buffer.from([254, 0]))
  await old.client.select(3)
  await old.client.multi().incr('counter').rpush('list', 'x'.repeat(3000)).exec()
  await old.client.select(0)
  await master.client.set('kept', 'x')
  await old.client.replicaof(HOST, master.port)
  await until(async () => (await replicationField(old, 'master_link_status')) === 'up')
  const file = await replicationField(old, 'last_ledger_file')
  expect(readdirSync(folder)).toContain(file)
  return { path: join(folder, file ?? '?'), master }
}

test('what a demoted master loses can be looked at and put back', async () => {
  const { path, master } = await afterFailover()
  const shown = await ledger('show', path)
  expect([shown.status, shown.stderr]).toEqual([0, ''])
  expect(shown.stdout).toMatch(/commands: {2}4\n/)
  expect(shown.stdout).toContain('rule:      exact')
  expect(shown.stdout).toContain('[0] set lost "by\\xc3\\xa9"\n')
  expect(shown.stdout).toContain('[0] SET "\\x00\\xff\\x0d\\x0a" "\\xfe\\x00"\n')
  expect(shown.stdout).toMatch(/\[3\] RPUSH list x{40}…\(3000 bytes\)\n/i)

  const target = ['--to', `${HOST}:${master.port}`]
  expect(await ledger('replay', path, ...target)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--dry-run shows them, --yes sends them'),
  })
  const dry = await ledger('replay', path, ...target, '--dry-run')
  expect([dry.status, await master.client.dbsize()]).toEqual([0, 1])
  expect(dry.stdout).toContain('4 commands for')

  const done = await ledger('replay', path, ...target, '--yes')
  expect([done.status, done.stderr]).toEqual([0, ''])
  expect(done.stdout).toContain('4 commands sent')
  expect(await master.client.get('lost')).toBe('by\u00e9')
  expect(await master.client.getBuffer(Buffer.from([0, 255, 13, 10]))).toEqual(
    Buffer.from([254, 0]),
  )
  await master.client.select(3)
  expect([await master.client.get('counter'), await master.client.llen('list')]).toEqual(['1', 1])
})

test('only what touches no key of the server is put back if that is wanted', async () => {
  const { path, master } = await afterFailover()
  await master.client.set('lost', 'newer')
  const target = ['--to', `${HOST}:${master.port}`]
  const done = await ledger('replay', path, ...target, '--yes', '--only-missing-keys')
  expect(done.stdout).toContain('1 commands left out')
  expect(await master.client.get('lost')).toBe('newer')
  await master.client.select(3)
  expect(await master.client.get('counter')).toBe('1')
})

test('a rehearsal says which keys are there now', async () => {
  const { path, master } = await afterFailover()
  await master.client.set('lost', 'newer')
  const { stdout } = await ledger('replay', path, '--to', `${HOST}:${master.port}`, '--dry-run')
  expect(stdout).toContain('there now, perhaps newer: lost (string)\n')
  expect(stdout).toContain('[3] counter, [3] list\n')
})

test('a ledger that was sent is not sent again by mistake', async () => {
  const { path, master } = await afterFailover()
  const send = (...words: string[]) =>
    ledger('replay', path, '--to', `${HOST}:${master.port}`, '--yes', ...words)
  expect((await send()).status).toBe(0)
  const again = await send()
  expect([again.status, again.stderr]).toEqual([
    2,
    expect.stringContaining('has been sent already'),
  ])
  expect((await send('--only-missing-keys')).stdout).toContain('0 commands sent')
  await master.client.select(3)
  expect(await master.client.get('counter')).toBe('1')
  expect((await send('--again')).status).toBe(0)
  expect(await master.client.get('counter')).toBe('2')
})

test('a replica is not sent what only its master takes', async () => {
  const { path, master } = await afterFailover()
  const old = nodes.find(({ port }) => port !== master.port)
  const done = await ledger('replay', path, '--to', `${HOST}:${old?.port}`, '--yes')
  expect([done.status, done.stderr]).toEqual([
    1,
    expect.stringContaining(`send them to its master, ${HOST}:${master.port}`),
  ])
})

test('refused commands are counted and shown', async () => {
  const { path, master } = await afterFailover()
  await master.client.select(3)
  await master.client.set('list', 'a string')
  const done = await ledger('replay', path, '--to', `${HOST}:${master.port}`, '--yes')
  expect(done.status).toBe(1)
  expect(done.stdout).toContain('1 errors')
  expect(done.stderr).toContain('WRONGTYPE')
})

test('as JSON it has everything', async () => {
  const { path } = await afterFailover()
  const { status, stdout } = await ledger('show', path, '--json')
  const shown = JSON.parse(stdout)
  expect([status, shown.commands, shown.keys, shown.rule]).toEqual([0, 4, 4, 'exact'])
  expect(shown.list[1]).toEqual({ db: 0, argv: ['SET', '\u0000\u00ff\r\n', '\u00fe\u0000'] })
})

test('a damaged file is named with the byte, and nothing of it is sent', async () => {
  const { path, master } = await afterFailover()
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.subarray(0, bytes.length - 100))
  const shown = await ledger('show', path)
  expect(shown.status).toBe(1)
  expect(shown.stderr).toMatch(/is damaged at byte \d+: /)
  const done = await ledger('replay', path, '--to', `${HOST}:${master.port}`, '--yes')
  expect([done.status, await master.client.dbsize()]).toEqual([1, 1])
})

test('what is wrong on the command line is said, with status 2', async () => {
  expect((await ledger('replay', 'x')).status).toBe(2)
  expect((await ledger('replay', 'x', '--to', 'nowhere')).status).toBe(2)
  expect((await ledger('show', join(folder, 'absent'))).status).toBe(1)
  expect((await ledger('show', '--help')).stdout).toContain('Example:')
})

test('a server that is not there is said to be absent', async () => {
  const { path, master } = await afterFailover()
  await nodes.splice(nodes.indexOf(master), 1)[0]?.stop()
  const done = await ledger('replay', path, '--to', `${HOST}:${master.port}`, '--yes')
  expect([done.status, done.stderr]).toEqual([4, expect.stringContaining('does not answer')])
})
