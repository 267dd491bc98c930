/**
 * The same commands to our node and to a real redis-server. The replies must be the same bytes, in RESP2
 * and in RESP3, and replicas must be told the same. Each script is one pipeline on a fresh connection to
 * an empty server.
 */
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { hasRedisServer } from '../support/real-nodes.ts'
import { bothServers } from '../support/test-nodes.ts'
import { readScript, streamOf, transcript } from '../support/transcript.ts'

const REPLIES = fileURLToPath(new URL('./commands', import.meta.url))
const EFFECTS = fileURLToPath(new URL('./effects', import.meta.url))

describe.skipIf(!hasRedisServer)('against a real redis-server', () => {
  const servers = bothServers({ 'enable-debug-command': 'yes', 'repl-diskless-sync-delay': '0' })

  /** What both servers make of the commands: ours, then the real one. */
  async function both(
    observe: (port: number, commands: readonly string[][]) => Promise<string[]>,
    commands: readonly string[][],
  ): Promise<string[][]> {
    const seen: string[][] = []
    for (const { port, client } of servers) {
      await client.flushall()
      seen.push(await observe(port, commands))
    }
    return seen
  }

  for (const file of readdirSync(REPLIES)) {
    const commands = readScript(`${REPLIES}/${file}`)
    for (const protocol of ['2', '3']) {
      test(`${file.replace('.txt', '')} gets the same replies in RESP${protocol}`, async () => {
        // The reply of HELLO names the connection, so it is left out.
        const hello = [
          ['CLIENT', 'REPLY', 'SKIP'],
          ['HELLO', protocol],
        ]
        const [ours, theirs] = await both(transcript, [...hello, ...commands])
        expect(ours).toEqual(theirs)
      })
    }
  }

  for (const file of readdirSync(EFFECTS)) {
    test(`replicas are told the same of ${file.replace('.txt', '')}`, async () => {
      const [ours, theirs] = await both(streamOf, readScript(`${EFFECTS}/${file}`))
      expect(ours).toEqual(theirs)
    })
  }
})
