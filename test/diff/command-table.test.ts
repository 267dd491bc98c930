/** What COMMAND says of the commands we have, beside what redis-server says of them. */
import type { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasRedisServer, type RealNode, startOurs, startRedis } from '../support/real-nodes.ts'

/** As COMMAND INFO gives it in RESP2; the last item is the subcommands. */
type Entry = readonly [name: string, ...facts: unknown[]]

/** Newer than redis-server 7.0. */
const OURS_ALONE = /^(waitaof|client\|(no-touch|setinfo|capa)|delex|delifeq|hgetdel)$/

describe.skipIf(!hasRedisServer)('the command table (needs redis-server)', () => {
  const servers: RealNode[] = []

  beforeAll(async () => {
    servers.push(await startOurs(), await startRedis())
  })

  afterAll(async () => {
    for (const server of servers) await server.stop()
  })

  async function entriesOf({ client }: RealNode): Promise<Map<string, Entry>> {
    return flat((await (client as Redis).call('COMMAND')) as Entry[])
  }

  test('every command has the arity, flags, keys, categories and tips it has there', async () => {
    const [ours, theirs] = await Promise.all(servers.map(entriesOf))
    const names = [...(ours?.keys() ?? [])].filter((name) => !OURS_ALONE.test(name))
    expect(names.length).toBeGreaterThan(200)
    const different = names.flatMap((name) => {
      const entries = [ours, theirs].map((table) => JSON.stringify(table?.get(name)))
      // Notes explain key specifications in sentences of Redis' own.
      const [own, other] = entries.map((text) => text?.replace(/"notes","[^"]*",/g, ''))
      return own === other ? [] : [entries]
    })
    expect(different).toEqual([])
  })
})

/** Subcommands beside their containers, without which each is compared. */
function flat(entries: readonly Entry[]): Map<string, Entry> {
  const found = new Map<string, Entry>()
  for (const entry of entries) {
    found.set(entry[0], entry.slice(0, 9) as unknown as Entry)
    for (const [name, sub] of flat((entry[9] ?? []) as Entry[])) found.set(name, sub)
  }
  return found
}
