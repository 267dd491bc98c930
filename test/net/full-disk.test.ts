/** A log that cannot be written is no reason to stop serving. A report that cannot be written is a failure. */
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  cli,
  freePorts,
  HAS_REDIS_CLI,
  MAIN,
  node,
  type Program,
  sentinel,
  stopAll,
  until,
} from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

describe.skipIf(!HAS_REDIS_CLI)('with its log on a full disk (needs redis-cli)', () => {
  const folder = scratchFolder('test')
  const programs: Program[] = []

  afterAll(() => stopAll(folder, programs))

  test.each([
    ['a data node', (port: number) => node(folder, port, ['logfile /dev/full'])],
    [
      'a Sentinel',
      (port: number) => sentinel(folder, port, { master: 1, lines: ['log-file: /dev/full'] }),
    ],
  ])('%s ends when it is told to', async (_, create) => {
    const [port = 0] = await freePorts(1)
    const program = create(port)
    programs.push(program)
    program.start()
    await until('it answers', 5_000, () => cli(port, 'PING')[0] === 'PONG')
    program.signal('SIGTERM')
    await until('it has ended', 5_000, () => !program.isRunning)
    expect(program.exitCode).toBe(0)
  })

  test('a data node serves on', async () => {
    const [port = 0] = await freePorts(1)
    const program = node(folder, port, ['logfile /dev/full'])
    programs.push(program)
    program.start()
    await until('it answers', 5_000, () => cli(port, 'PING')[0] === 'PONG')
    // A role change is worth several lines.
    cli(port, 'REPLICAOF', '127.0.0.1', '1')
    cli(port, 'REPLICAOF', 'NO', 'ONE')
    expect(cli(port, 'SET', 'key', 'value')).toEqual(['OK'])
    expect(cli(port, 'PING')).toEqual(['PONG'])
  })
})

describe.skipIf(!HAS_REDIS_CLI)('a command whose output is not read (needs redis-cli)', () => {
  const folder = scratchFolder('test')
  let program: Program
  beforeAll(async () => {
    const [port = 0] = await freePorts(1)
    program = sentinel(folder, port, { master: 1 })
    program.start()
    await until('it answers', 5_000, () => cli(port, 'PING')[0] === 'PONG')
  })
  afterAll(() => stopAll(folder, [program]))

  async function ended(words: readonly string[], output: number | 'pipe') {
    const child = spawn(process.execPath, [MAIN, ...words], { stdio: ['ignore', output, 'pipe'] })
    let stderr = ''
    child.stderr?.on('data', (chunk) => {
      stderr += chunk
    })
    child.stdout?.destroy()
    await new Promise((resolve) => child.once('close', resolve))
    return { status: child.exitCode, stderr }
  }

  test('one that may change something gets to its end, and fails on a full disk', async () => {
    const words = ['epochs', '--sentinel', `127.0.0.1:${program.port}`]
    const full = openSync('/dev/full', 'w')
    const onFullDisk = await ended(words, full).finally(() => closeSync(full))
    expect(onFullDisk.stderr).toMatch(/^vedette: cannot write the output: ENOSPC.*\n$/)
    expect(onFullDisk.status).toBe(1)
    expect(await ended(words, 'pipe')).toEqual({ status: 0, stderr: '' })
  })

  test('replay only shows, unlike ledger replay, so it ends with its reader', async () => {
    const record = join(program.folder, `sentinel-${program.port}.state.blackbox`)
    expect(await ended(['replay', record], 'pipe')).toEqual({ status: 141, stderr: '' })
  })
})
