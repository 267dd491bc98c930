/**
 * What subscribers are told of keys, by our node and by a real redis-server: the same events in the
 * same order, with each command.
 */
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import { commonGrammars } from '../support/command-grammar.ts'
import { OddCommands } from '../support/odd-commands.ts'
import { VALUES } from '../support/odd-words.ts'
import { type PushDifference, toldDifferently } from '../support/push-run.ts'
import { hasRedisServer } from '../support/real-nodes.ts'
import { bothServers } from '../support/test-nodes.ts'
import { readScript } from '../support/transcript.ts'

const COMMANDS = Number(process.env.VEDETTE_ODD ?? 1_000)
const SEED = process.env.VEDETTE_SEED ?? 'events'
const BATCH = 40
const BOUND_MS = 60_000 + COMMANDS * 5
const SCRIPT = fileURLToPath(new URL('./notifications.txt', import.meta.url))

const listen = [['PSUBSCRIBE', '__key*@*']]
const before = [['CONFIG', 'SET', 'notify-keyspace-events', 'AKEnm'], ['FLUSHALL']]

/** Without the key whose time is over: when a server notices is its own affair. */
const LASTING = VALUES.filter((command) => !command.includes('gone'))

describe.skipIf(!hasRedisServer)('notifications (need redis-server)', () => {
  const servers = bothServers({ 'enable-debug-command': 'yes' })
  let ports: [number, number] = [0, 0]

  beforeAll(async () => {
    ports = [servers[0]?.port ?? 0, servers[1]?.port ?? 0]
  })

  test('each command tells the same events in the same order', async () => {
    expect(await toldDifferently(ports, { listen, before, commands: readScript(SCRIPT) })).toEqual(
      [],
    )
  })

  test(
    `${COMMANDS} odd commands tell the same events in the same order`,
    async () => {
      const docs = await Promise.all(servers.map(({ client }) => client.call('COMMAND', 'DOCS')))
      const odd = new OddCommands(createRng(SEED), commonGrammars(docs[0], docs[1]))
      const found: PushDifference[] = []
      for (let done = 0; done < COMMANDS; done += BATCH) {
        const commands = Array.from({ length: BATCH }, () => odd.next()).flat()
        const run = { listen, before: [...before, ...LASTING], commands }
        found.push(...(await toldDifferently(ports, run)))
      }
      expect(found).toEqual([])
    },
    BOUND_MS,
  )
})
