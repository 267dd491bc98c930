/**
 * How well what is evicted is chosen: a cache of the same size in our node and in redis-server, the same
 * requests, most of them for few keys (Zipf), and how many are answered from the cache.
 */
import type { Redis } from 'ioredis'
import { afterAll, describe, expect, test } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import { hasRedisServer, type RealNode, startOurs, startRedis } from '../support/real-nodes.ts'
import { until } from '../support/until.ts'

const KEYS = 8_000
/** How many of them the cache holds. */
const CACHED = 1_500
const VALUE = 'x'.repeat(900)
/** Roughly what a key takes. */
const KEY_BYTES = 1_050
const PAGE = 60
/** The clocks of LRU count seconds: requests that come all at once would be of the same age. */
const PAGES = 640
const PAUSE_MS = 12
const BOUND_MS = 120_000

const nodes: RealNode[] = []
afterAll(() => Promise.all(nodes.map((node) => node.stop())))

describe.skipIf(!hasRedisServer)('the same requests to caches of the same size', () => {
  test(
    'find as many keys under LRU and LFU as with redis-server',
    async () => {
      const caches = await Promise.all(
        ['allkeys-lru', 'allkeys-lfu'].flatMap((policy) =>
          [startOurs, startRedis].map(async (start) => {
            const node = await start({ 'maxmemory-policy': policy })
            nodes.push(node)
            await limit(node.client)
            return new Cache(node.client)
          }),
        ),
      )
      await drive(caches)
      const [lru, redisLru, lfu, redisLfu] = caches.map((cache) => cache.hitRate) as Four
      console.log(`hit rates: LRU ${lru} (Redis ${redisLru}), LFU ${lfu} (Redis ${redisLfu})`)
      const sizes = await Promise.all(nodes.map(({ client }) => client.dbsize()))
      for (const size of sizes) expect(Math.abs(size - CACHED) / CACHED).toBeLessThan(0.05)
      expect(Math.abs(lru - redisLru)).toBeLessThan(2)
      expect(Math.abs(lfu - redisLfu)).toBeLessThan(2)
      // With so few keys cached, what is chosen at random would find far less.
      expect(lfu).toBeGreaterThan(lru)
    },
    BOUND_MS,
  )
})

type Four = [number, number, number, number]

class Cache {
  readonly #client: Redis
  #hits = 0
  #asked = 0

  constructor(client: Redis) {
    this.#client = client
  }

  /** In percent, since `forget`. */
  get hitRate(): number {
    return Math.round((10_000 * this.#hits) / this.#asked) / 100
  }

  forget(): void {
    this.#hits = 0
    this.#asked = 0
  }

  /** Requests under way take memory too: gives the cache the room that it lacks for `CACHED` keys. */
  async correct(): Promise<void> {
    const lacking = CACHED - (await this.#client.dbsize())
    const [, bytes] = (await this.#client.config('GET', 'maxmemory')) as [string, string]
    await this.#client.config('SET', 'maxmemory', `${Number(bytes) + lacking * KEY_BYTES}`)
  }

  /** What is not there is fetched from elsewhere, and put into the cache. */
  async ask(keys: readonly string[]): Promise<void> {
    const answers = await this.#client.pipeline(keys.map((key) => ['get', key])).exec()
    const missing = keys.filter((_, at) => answers?.[at]?.[1] === null)
    this.#asked += keys.length
    this.#hits += keys.length - missing.length
    if (missing.length > 0) {
      await this.#client.pipeline(missing.map((key) => ['set', key, VALUE])).exec()
    }
  }
}

/** From now on there is room for `CACHED` keys. */
async function limit(client: Redis): Promise<void> {
  for (let from = 0; from < CACHED; from += 100) {
    const keys = Array.from({ length: 100 }, (_, at) => keyAt(from + at))
    await client.mset(keys.flatMap((key) => [key, VALUE]))
  }
  const text = await client.info('memory')
  await client.config('SET', 'maxmemory', /^used_memory:(\d+)/m.exec(text)?.[1] ?? '0')
  await client.flushall()
  await until(async () => (await client.dbsize()) === 0)
}

/** Asks all caches for the same keys, and counts only the later half. */
async function drive(caches: readonly Cache[]): Promise<void> {
  const draw = zipf(createRng('requests'))
  for (let page = 0; page < PAGES; page++) {
    if (page === PAGES / 2) for (const cache of caches) cache.forget()
    const isToCorrect = page === PAGES / 4 || page === (3 * PAGES) / 8
    if (isToCorrect) await Promise.all(caches.map((cache) => cache.correct()))
    const keys = Array.from({ length: PAGE }, () => keyAt(draw()))
    await Promise.all(caches.map((cache) => cache.ask(keys)))
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

function keyAt(rank: number): string {
  return `key:${rank}`
}

/** Numbers below `KEYS`, the first one most often, the second half as often, and so on. */
function zipf(rng: { below(bound: number): number }): () => number {
  const sums: number[] = []
  let sum = 0
  for (let rank = 1; rank <= KEYS; rank++) {
    sum += 1 / rank
    sums.push(sum)
  }
  return () => {
    const wanted = (rng.below(1_000_000_000) / 1_000_000_000) * sum
    let low = 0
    let high = KEYS - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] as number) > wanted) high = middle
      else low = middle + 1
    }
    return low
  }
}
