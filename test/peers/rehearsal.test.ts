/** What a rehearsal of failovers does to the Sentinel in whose process it is played: nothing. */
import { expect, test } from 'vitest'
import { cli, HAS_REDIS_CLI, type Program, startCluster, until } from '../support/processes.ts'

test.skipIf(!HAS_REDIS_CLI)(
  'a Sentinel rehearses failovers soon after its start, and knows and says the same as before',
  async () => {
    const cluster = await startCluster({ sentinelLines: ['log-level: debug'] })
    const [master] = cluster.nodes as [Program]
    const told = (one: Program) => one.log().includes('failovers were rehearsed, for ')
    try {
      const before = cluster.sentinels.map(whatItKnows)
      await until('all have rehearsed', 60_000, () => cluster.sentinels.every(told))
      expect(cluster.sentinels.map(whatItKnows)).toEqual(before)
      for (const sentinel of cluster.sentinels) {
        expect(sentinel.log()).not.toMatch(/\+sdown|\+new-epoch|\+switch-master|rehearsal/)
      }
      await master.kill()
      const switched = (one: Program) => one.log().includes('+switch-master mymaster')
      await until('the real one succeeds', 20_000, () => cluster.sentinels.every(switched))
    } finally {
      await cluster.stop()
    }
  },
)

function whatItKnows({ port }: Program): readonly (readonly string[])[] {
  return [
    cli(port, 'SENTINEL', 'MYID'),
    cli(port, 'SENTINEL', 'EPOCHS'),
    cli(port, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster'),
    cli(port, 'SENTINEL', 'CKQUORUM', 'mymaster'),
  ]
}
