/** What CONFIG REWRITE kept counts more than the configuration file, and the log of each start says of which directives. */
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
