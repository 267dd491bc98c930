/**
 * What CONFIG REWRITE kept counts more than the configuration file as it was then, and the log of each start says of
 * which directives. What was changed there since counts more than either.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
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

const folder = scratchFolder('learnt-settings')
const programs: Program[] = []
afterAll(() => stopAll(folder, programs))

async function restarted(program: Program): Promise<void> {
  await program.kill()
  program.start()
  await until('it answers', 10_000, () => cli(program.port, 'PING')[0] === 'PONG')
}

test.skipIf(!HAS_REDIS_CLI)(
  'at its start a node says which directives CONFIG REWRITE decides (needs redis-cli)',
  async () => {
    const [port] = (await freePorts(1)) as [number]
    const program = node(folder, port, ['maxmemory 100mb', 'repl-timeout 30'])
    programs.push(program)
    await restarted(program)
    expect(program.log()).not.toContain('CONFIG REWRITE')
    cli(port, 'CONFIG', 'SET', 'maxmemory', '200mb', 'masterauth', 'secret')
    cli(port, 'CONFIG', 'REWRITE')
    await restarted(program)
    expect(program.log()).toMatch(
      /redis\.conf\.learnt, which CONFIG REWRITE wrote, sets maxmemory, masterauth: /,
    )
    expect(program.log()).not.toContain('secret')
  },
)

test.skipIf(!HAS_REDIS_CLI)(
  'a line that a deployment has written since CONFIG REWRITE decides the role (needs redis-cli)',
  async () => {
    const [port, first, second] = (await freePorts(3)) as [number, number, number]
    const program = node(folder, port, [`replicaof 127.0.0.1 ${first}`, 'repl-timeout 30'])
    programs.push(program)
    await restarted(program)
    cli(port, 'CONFIG', 'SET', 'maxmemory', '200mb')
    cli(port, 'REPLICAOF', 'NO', 'ONE')
    cli(port, 'CONFIG', 'REWRITE')
    await restarted(program)
    expect(cli(port, 'ROLE')[0]).toBe('master')
    const path = join(folder, `${port}`, 'redis.conf')
    // The second time it says again what it said at CONFIG REWRITE.
    for (const master of [second, first]) {
      const text = readFileSync(path, 'utf8').replace(
        /^replicaof .*$/m,
        `replicaof 127.0.0.1 ${master}`,
      )
      writeFileSync(path, text)
      await restarted(program)
      expect(cli(port, 'ROLE')[2]).toBe(`${master}`)
      expect(cli(port, 'CONFIG', 'GET', 'maxmemory')[1]).toBe(`${200 << 20}`)
    }
    expect(program.log().split('has changed replicaof since CONFIG REWRITE')).toHaveLength(2)
  },
)
