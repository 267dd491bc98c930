/**
 * A replica whose files are gone, and whose configuration names no master any more, as a container that is
 * made anew: it starts as a master and takes writes. C Sentinel turns it eight seconds after an INFO, which comes
 * every ten.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  cli,
  follows,
  HAS_REDIS_CLI,
  HAS_REDIS_SERVER,
  type Program,
  startCluster,
  until,
} from '../support/processes.ts'

/** Less than the eight seconds that a node has whose claim may be new. */
const AT_ONCE_MS = 6_000

describe.skipIf(!HAS_REDIS_CLI || !HAS_REDIS_SERVER)('needs redis-server', () => {
  test.concurrent.each([true, false])(
    'a replica made anew as a master is turned at once (redis-server: %s)',
    async (hasRealNodes) => {
      const cluster = await startCluster({ hasRealNodes })
      try {
        const [master, replica] = cluster.nodes as [Program, Program]
        await replica.kill()
        forget(replica)
        replica.start()
        await until('it is turned', AT_ONCE_MS, () => follows(replica, master.port))
        const tells = (one: Program) => one.log().includes('+convert-to-slave')
        await until('a log tells of it', 2_000, () => cluster.sentinels.some(tells))
        expect(cli(replica.port, 'ROLE').slice(0, 3)).toEqual([
          'slave',
          '127.0.0.1',
          `${master.port}`,
        ])
      } finally {
        await cluster.stop()
      }
    },
  )
})

function forget({ folder }: Program): void {
  const path = join(folder, 'redis.conf')
  const lines = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, lines.filter((line) => !line.startsWith('replicaof')).join('\n'))
  rmSync(join(folder, 'dump.rdb'), { force: true })
}
