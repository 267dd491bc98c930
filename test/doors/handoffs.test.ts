/**
 * Planned handovers that a stock client of today does not notice, without a proxy: node-redis asks for maintenance
 * notifications by itself, is told where the master goes, and is there before it.
 */
import { createClient } from 'redis'
import { expect, onTestFinished, test } from 'vitest'
import { cli, HAS_REDIS_CLI, startCluster, until } from '../support/processes.ts'
import { Application, handOver, masterOf } from './through-proxy.ts'

const ROUNDS = 10

test.skipIf(!HAS_REDIS_CLI).each([
  { group: 'an asynchronous group', isStrict: false },
  { group: 'a strict group', isStrict: true },
])(
  'node-redis at a thousand commands a second through coordinated failovers of $group: no error, nothing lost, nothing done twice',
  async ({ isStrict, group }) => {
    const cluster = await startCluster({ downAfterMs: 5_000, isStrict })
    onTestFinished(() => cluster.stop())
    const master = await masterOf(cluster)
    if (isStrict) {
      const hasTerm = () => cli(master.port, 'SET', 'first', '1')[0] === 'OK'
      await until('the group has its first term', 10_000, hasTerm)
    }
    const client = createClient({ socket: { host: '127.0.0.1', port: master.port }, RESP: 3 })
    const broken: string[] = []
    client.on('error', (error: Error) => broken.push(error.message))
    await client.connect()
    onTestFinished(() => client.destroy())
    const application = new Application(() => client.incr('counter'))
    await until('it writes', 10_000, () => application.met().acknowledged > 100)

    const gapsMs: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await handOver(cluster, () => application.begin())
      const before = application.met().acknowledged
      await until('it writes on', 10_000, () => application.met().acknowledged > before + 100)
      expect([round, application.met().errors]).toEqual([round, []])
      gapsMs.push(application.met().gapMs)
    }
    await application.stop()
    const median = [...gapsMs].sort((a, b) => a - b)[ROUNDS / 2]
    console.log(
      `node-redis, handoffs in ${group}: longest gaps ${gapsMs.join(', ')} ms, median ${median}`,
    )
    const { acknowledged } = application.met()
    const now = await masterOf(cluster)
    expect([broken, Number(cli(now.port, 'GET', 'counter')[0])]).toEqual([[], acknowledged])
  },
  180_000,
)
