/** A log that cannot be written is no reason to stop serving. */
import { afterEach, describe, expect, test } from 'vitest'
import {
  cli,
  freePorts,
  HAS_REDIS_CLI,
  node,
  type Program,
  stopAll,
  until,
} from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

describe.skipIf(!HAS_REDIS_CLI)('with its log on a full disk (needs redis-cli)', () => {
  const folder = scratchFolder('test')
  const programs: Program[] = []

  afterEach(() => stopAll(folder, programs))

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
