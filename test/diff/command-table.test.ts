/** What COMMAND says of the commands we have, beside what redis-server says of them. */
import type { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { isRedisName } from '../support/newer-commands.ts'
import { hasRedisServer, type RealNode } from '../support/real-nodes.ts'
import { bothServers } from '../support/test-nodes.ts'

/** As COMMAND INFO gives it in RESP2; the last item is the subcommands. */
type Entry = readonly [name: string, ...facts: unknown[]]

/** They have options of newer servers. */
const NEWER_OPTIONS = /^(zrank|zrevrank|hscan)$/

describe.skipIf(!hasRedisServer)('the command table (needs redis-server)', () => {
  const servers = bothServers()

  async function entriesOf({ client }: RealNode): Promise<Map<string, Entry>> {
    return flat((await (client as Redis).call('COMMAND')) as Entry[])
  }

  test('every command has the arity, flags, keys, categories and tips it has there', async () => {
    const [ours, theirs] = await Promise.all(servers.map(entriesOf))
    const names = [...(ours?.keys() ?? [])].filter(
      (name) => isRedisName(name) && !NEWER_OPTIONS.test(name),
    )
    expect(names.length).toBeGreaterThan(200)
    const different = names.flatMap((name) => {
      const entries = [ours, theirs].map((table) => JSON.stringify(table?.get(name)))
      // Notes explain key specifications in sentences of Redis' own.
      const [own, other] = entries.map((text) => text?.replace(/"notes","[^"]*",/g, ''))
      return own === other ? [] : [entries]
    })
    expect(different).toEqual([])
  })

  test('COMMAND LIST names the subcommands as well', async () => {
    const lists = servers.map(
      async ({ client }) => (await client.call('COMMAND', 'LIST')) as string[],
    )
    const [ours, theirs] = await Promise.all(lists)
    expect(theirs?.filter((name) => !ours?.includes(name))).toEqual([])
    expect(ours?.filter((name) => isRedisName(name) && !theirs?.includes(name))).toEqual([])
  })

  test('COMMAND DOCS has the same grammar of every command, in sentences of our own', async () => {
    const docs = servers.map(async ({ client }) => flatDocs(await client.call('COMMAND', 'DOCS')))
    const [ours, theirs] = await Promise.all(docs)
    const names = [...(ours?.keys() ?? [])].filter(
      (name) => isRedisName(name) && !NEWER_OPTIONS.test(name),
    )
    expect(names.length).toBeGreaterThan(300)
    const different = names.flatMap((name) => {
      const [own, other] = [ours?.get(name), theirs?.get(name)]
      return own === other ? [] : [[name, own, other]]
    })
    expect(different).toEqual([])
  })

  test('COMMAND GETKEYSANDFLAGS says the same', async () => {
    const asked = [
      'SET k v',
      'SET k v GET',
      'BITFIELD k GET u8 0',
      'BITFIELD k SET u8 0 1',
      'MSET a 1 b 2',
    ]
    asked.push(
      'EVAL s 1 k',
      'EVAL s 0',
      'SORT k STORE l',
      'COPY a b',
      'GET',
      'PING',
      'NOSUCH',
      'ZADD z 1 m',
    )
    for (const words of asked) {
      const [own, other] = await Promise.all(
        servers.map(({ client }) =>
          client.call('COMMAND', 'GETKEYSANDFLAGS', ...words.split(' ')).catch(String),
        ),
      )
      expect([words, own]).toEqual([words, other])
    }
  })
})

/** Sentences, and notes on the past, are each server's own. */
const OWN_WORDS: ReadonlySet<unknown> = new Set(['summary', 'complexity', 'history', 'replaced_by'])

/** By full name, what is said of each command besides. */
function flatDocs(docs: unknown): Map<string, string> {
  const found = new Map<string, string>()
  for (const [name, about] of pairsOf(docs)) {
    const fields = pairsOf(about).filter(([field]) => !OWN_WORDS.has(field))
    const facts = fields.filter(([field]) => field !== 'subcommands')
    found.set(String(name), JSON.stringify(facts))
    for (const [, subcommands] of fields.filter(([field]) => field === 'subcommands')) {
      for (const [sub, text] of flatDocs(subcommands)) found.set(sub, text)
    }
  }
  return found
}

function pairsOf(list: unknown): (readonly [unknown, unknown])[] {
  const words = list as readonly unknown[]
  return Array.from({ length: words.length / 2 }, (_, at) => [words[2 * at], words[2 * at + 1]])
}

/** Subcommands beside their containers, without which each is compared. */
function flat(entries: readonly Entry[]): Map<string, Entry> {
  const found = new Map<string, Entry>()
  for (const entry of entries) {
    found.set(entry[0], entry.slice(0, 9) as unknown as Entry)
    for (const [name, sub] of flat((entry[9] ?? []) as Entry[])) found.set(name, sub)
  }
  return found
}
