/**
 * What servers newer than Redis 7.0 brought: the same commands to our node and to one of them, reply by reply, as in
 * commands.test.ts. `npm run test:newer` puts such a server in the place of redis-server.
 */
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RealNode, startOurs, startRedis } from '../support/real-nodes.ts'
import { readScript, transcript } from '../support/transcript.ts'

/** As its --version says: `Valkey 9.1.2`. */
const [maker = '', version = ''] = (process.env.VEDETTE_NEWER_PEER ?? '').toLowerCase().split(' ')
/** From which version on the server has all that is compared. */
const SINCE: Readonly<Record<string, number>> = { redis: 8, valkey: 9.1 }
const isNewEnough = Number.parseFloat(version) >= (SINCE[maker] ?? Number.POSITIVE_INFINITY)

describe.skipIf(!isNewEnough)('beside a newer server (npm run test:newer -- --suite sid)', () => {
  const servers: RealNode[] = []
  const folder = fileURLToPath(new URL(`./newer/${maker}`, import.meta.url))

  beforeAll(async () => {
    servers.push(await startOurs(), await startRedis())
  })

  afterAll(async () => {
    for (const server of servers) await server.stop()
  })

  for (const file of isNewEnough ? readdirSync(folder) : []) {
    test.for(['2', '3'])(
      `${file.replace('.txt', '')} gets the same replies in RESP%s`,
      async (protocol) => {
        const hello = [
          ['CLIENT', 'REPLY', 'SKIP'],
          ['HELLO', protocol],
        ]
        const seen: string[][] = []
        for (const { port, client } of servers) {
          await client.flushall()
          seen.push(await transcript(port, [...hello, ...readScript(`${folder}/${file}`)]))
        }
        expect(seen[0]).toEqual(seen[1])
      },
    )
  }
})
