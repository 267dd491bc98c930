/**
 * Payloads of DUMP that were damaged, with the checksum not looked at: what a real redis-server refuses with
 * `sanitize-dump-payload yes`, ours refuses too, and what both take is the same value. Ours may refuse more: it looks at
 * the order of stream ids, and at numbers that no server writes.
 *
 * `VEDETTE_DAMAGED=100000 npx vitest run test/diff/damaged-payloads.test.ts` sends more; `VEDETTE_SEED` gives others.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRng, type Rng } from '../../src/base/rng.ts'
import { changeBytes, swapParts } from '../support/mutate-bytes.ts'
import { hasRedisServer, type RealNode, startOurs, startRedis } from '../support/real-nodes.ts'

const PAYLOADS = Number(process.env.VEDETTE_DAMAGED ?? 4000)
const SEED = process.env.VEDETTE_SEED ?? 'damaged'
const BATCH = 50
const BOUND_MS = 60_000 + PAYLOADS * 5
const FOOTER_BYTES = 10

const items = Array.from({ length: 12 }, (_, at) => `item-${at}`)

/** What each value is made with; `k` is its key. None begins with a count, for which redis-server takes memory at once. */
const VALUES: readonly (readonly (readonly string[])[])[] = [
  [['SET', 'k', 'hello world']],
  [['SET', 'k', '12345']],
  [['SET', 'k', 'ab'.repeat(100)]],
  [['RPUSH', 'k', 'a', '1', '-5000', '9223372036854775807', 'x'.repeat(100)]],
  [
    ['CONFIG', 'SET', 'list-max-listpack-size', '3'],
    ['RPUSH', 'k', ...items],
  ],
  [['SADD', 'k', '1', '-70000', '5']],
  [['HSET', 'k', 'f', 'v', 'n', '100', '', '']],
  [['ZADD', 'k', '1', 'a', '2.5', 'b', '-inf', 'c']],
  [
    ['XADD', 'k', '1000-0', 'f', 'v1'],
    ['XADD', 'k', '1005-1', 'x', '1', 'y', '2'],
    ['XADD', 'k', '1006-0', 'f', 'v2'],
    ['XDEL', 'k', '1005-1'],
    ['XGROUP', 'CREATE', 'k', 'g', '0'],
    ['XREADGROUP', 'GROUP', 'g', 'consumer', 'COUNT', '1', 'STREAMS', 'k', '>'],
  ],
]

/** Type and footer stay: of another type it would be refused at once, or have a count. */
function damaged(payload: string, rng: Rng): string {
  const mutate = rng.pick([changeBytes, changeBytes, swapParts])
  const record = mutate(payload.slice(1, -FOOTER_BYTES), rng)
  return payload.slice(0, 1) + record + payload.slice(-FOOTER_BYTES)
}

describe.skipIf(!hasRedisServer)('damaged payloads (need redis-server)', () => {
  let ours: RealNode
  let real: RealNode

  beforeAll(async () => {
    const directives = { 'enable-debug-command': 'yes', 'sanitize-dump-payload': 'yes' }
    ours = await startOurs(directives)
    real = await startRedis(directives)
    for (const node of [ours, real])
      await node.client.call('DEBUG', 'SET-SKIP-CHECKSUM-VALIDATION', '1')
  })
  afterAll(async () => {
    await ours.stop()
    await real.stop()
  })

  async function samples(): Promise<string[]> {
    const found: string[] = []
    for (const compression of ['yes', 'no']) {
      await real.client.call('CONFIG', 'SET', 'rdbcompression', compression)
      for (const commands of VALUES) {
        await real.client.flushall()
        for (const [name = '', ...rest] of commands) await real.client.call(name, ...rest)
        const payload = (await real.client.callBuffer('DUMP', 'k')) as Buffer
        found.push(payload.toString('latin1'))
      }
    }
    return found
  }

  /** The digest of what was restored; undefined if the payload was refused. */
  async function restored({ client }: RealNode, payload: string): Promise<string | undefined> {
    const restore = client.callBuffer(
      'RESTORE',
      'k',
      '0',
      Buffer.from(payload, 'latin1'),
      'REPLACE',
    )
    const digest = client.call('DEBUG', 'DIGEST-VALUE', 'k')
    const isTaken = await restore.then(
      () => true,
      () => false,
    )
    return isTaken ? String(await digest) : digest.then(() => undefined)
  }

  /** The payload, if ours takes it and redis-server does not, or takes it for something else. */
  async function wronglyTaken(payload: string): Promise<string | undefined> {
    const [own, other] = [restored(ours, payload), restored(real, payload)]
    if ((await own) === undefined || (await own) === (await other)) return undefined
    return Buffer.from(payload, 'latin1').toString('hex')
  }

  test(
    `${PAYLOADS}: ours takes none that redis-server refuses`,
    async () => {
      const rng = createRng(SEED)
      const sound = await samples()
      const found: unknown[] = []
      for (let done = 0; done < PAYLOADS; done += BATCH) {
        const payloads = Array.from({ length: BATCH }, () => {
          return damaged(rng.pick(sound), rng)
        })
        found.push(...(await Promise.all(payloads.map(wronglyTaken))))
      }
      expect(found.filter((payload) => payload !== undefined)).toEqual([])
    },
    BOUND_MS,
  )
})
