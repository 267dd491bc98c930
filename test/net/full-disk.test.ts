/** A log that cannot be written is no reason to stop serving. */
import { afterAll, describe, expect, test } from 'vitest'
import {
  cli,
  freePorts,
  HAS_REDIS_CLI,
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
