/**
 * Commands as no client would send them, to our node and to a real redis-server: each reply is the same,
 * byte for byte, and so are the data afterwards. The forms come from what redis-server says of its own
 * commands; what differs on purpose is left out by name.
 *
 * `VEDETTE_ODD=100000 npx vitest run test/diff/odd-commands.test.ts` sends more; `VEDETTE_SEED` gives others.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import { commonGrammars, type Grammar } from '../support/command-grammar.ts'
import { OddCommands } from '../support/odd-commands.ts'
import { type Difference, firstDifference, refusedDifferently } from '../support/odd-run.ts'
import { hasRedisServer } from '../support/real-nodes.ts'
import { bothServers } from '../support/test-nodes.ts'

const COMMANDS = Number(process.env.VEDETTE_ODD ?? 5_000)
const SEED = process.env.VEDETTE_SEED ?? 'odd'
/** Their answers are long. */
const ABOUT_NODE = Math.ceil(COMMANDS / 5)
const BATCH = 40
const BOUND_MS = 60_000 + COMMANDS * 5

describe.skipIf(!hasRedisServer)('odd commands (need redis-server)', () => {
  const servers = bothServers({ 'enable-debug-command': 'yes' })
  let ports: [number, number] = [0, 0]
  let grammars: Grammar[] = []

  beforeAll(async () => {
    ports = [servers[0]?.port ?? 0, servers[1]?.port ?? 0]
    const docs = await Promise.all(servers.map(({ client }) => client.call('COMMAND', 'DOCS')))
    grammars = commonGrammars(docs[0], docs[1])
  })

  async function differences(
    protocol: string,
    next: () => readonly (readonly string[])[],
  ): Promise<Difference[]> {
    const found: Difference[] = []
    for (let done = 0; done < COMMANDS; done += BATCH) {
      const commands = Array.from({ length: BATCH }, next).flat()
      const difference = await firstDifference(ports, protocol, commands)
      if (difference !== undefined) found.push(difference)
    }
    return found
  }

  for (const protocol of ['2', '3']) {
    test(
      `${COMMANDS} get the same replies in RESP${protocol}`,
      async () => {
        const odd = new OddCommands(createRng(`${SEED}/${protocol}`), grammars)
        expect(await differences(protocol, () => odd.next())).toEqual([])
      },
      BOUND_MS,
    )
  }

  test(
    `${ABOUT_NODE} about the node are refused in the same words`,
    async () => {
      const odd = new OddCommands(createRng(`${SEED}/node`), grammars)
      const found: Difference[] = []
      for (let done = 0; done < ABOUT_NODE; done += BATCH) {
        const commands = Array.from({ length: BATCH }, () => odd.nextAboutNode())
        found.push(...(await refusedDifferently(ports, commands)))
      }
      expect(found).toEqual([])
    },
    BOUND_MS,
  )

  test(
    `the keys of ${COMMANDS} are found, or not, as redis-server does`,
    async () => {
      const odd = new OddCommands(createRng(`${SEED}/keys`), grammars)
      const next = () => [['COMMAND', 'GETKEYS', ...odd.nextOfAny()]]
      expect(await differences('2', next)).toEqual([])
    },
    BOUND_MS,
  )
})
