/**
 * What servers newer than Redis 7.0 brought: the same commands to our node and to one of them, reply by reply, as in
 * commands.test.ts. `npm run test:newer` puts such a server in the place of redis-server.
 */
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { HOW_TO_GET_IT, IS_NEWEST_PEER, NEWER_PEER } from '../support/newer-peer.ts'
import { bothServers } from '../support/test-nodes.ts'
import { readScript, transcript } from '../support/transcript.ts'

describe.skipIf(!IS_NEWEST_PEER)(`beside a newer server (${HOW_TO_GET_IT})`, () => {
  const servers = bothServers()
  const folder = fileURLToPath(new URL(`./newer/${NEWER_PEER}`, import.meta.url))

  for (const file of IS_NEWEST_PEER ? readdirSync(folder) : []) {
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
