/**
 * connect-redis and cache-manager (with @keyv/redis) on node-redis' Sentinel client: sessions and values
 * with an expiry. What was written a second before the master died must be there afterwards.
 */
import KeyvRedis, { Keyv } from '@keyv/redis'
import { createCache } from 'cache-manager'
import { RedisStore } from 'connect-redis'
import type { SessionData } from 'express-session'
import { createSentinel } from 'redis'
import { type Application, type LongWork, Repeated } from './application.ts'
import { type Deployment, GROUP } from './deployment.ts'

/** How far replicas may be behind. */
const BEHIND_MS = 1_000
const COOKIE = { originalMaxAge: 60_000 }

export const sessions: Application = {
  name: 'connect-redis',
  async use(place) {
    const { store, close } = await openSessions(place)
    const session: SessionData = { cookie: COOKIE, user: 'ä', visits: 1 }
    await store.set('one', session)
    await store.set('two', { ...session, visits: 2 })
    await store.touch('one', session)
    const facts = {
      one: await store.get('one'),
      none: await store.get('none'),
      ids: (await store.ids()).sort(),
      length: await store.length(),
      all: ((await store.all()) as SessionData[]).length,
    }
    await store.destroy('one')
    const left = await store.length()
    await store.clear()
    const cleared = await store.length()
    await close()
    return { ...facts, left, cleared }
  },
  async begin(place) {
    const { store, close } = await openSessions(place)
    return new Writing(
      async (key) => void (await store.set(key, { cookie: COOKIE, key })),
      async (key) => (await store.get(key))?.key === key,
      close,
    )
  },
}

export const cache: Application = {
  name: 'cache-manager',
  async use(place) {
    const { cached, close } = openCache(place)
    await cached.mset([
      { key: 'one', value: { n: 1 } as unknown, ttl: 60_000 },
      { key: 'two', value: 'ä' as unknown },
    ])
    let made = 0
    const make = async () => ++made
    const facts = {
      got: await cached.mget(['one', 'two', 'three']),
      ttl: Math.ceil((((await cached.ttl('one')) ?? 0) - Date.now()) / 60_000),
      wrapped: [await cached.wrap('made', make, 5_000), await cached.wrap('made', make, 5_000)],
      deleted: await cached.mdel(['one', 'none']),
      gone: await cached.get('one'),
    }
    await cached.clear()
    const cleared = await cached.get('two')
    await close()
    return { ...facts, cleared }
  },
  async begin(place) {
    const { cached, close } = openCache(place)
    return new Writing(
      async (key) => void (await cached.set(key, key)),
      async (key) => (await cached.get(key)) === key,
      close,
    )
  },
}

async function openSessions(place: Deployment) {
  const client = createSentinel(sentinelOptions(place))
  client.on('error', () => undefined)
  await client.connect()
  return { store: new RedisStore({ client, ttl: 60 }), close: () => client.destroy() }
}

function openCache(place: Deployment) {
  const store = new KeyvRedis(sentinelOptions(place), { throwOnErrors: true })
  const keyv = new Keyv({ store, namespace: 'cache' })
  keyv.on('error', () => undefined)
  const cached = createCache({ stores: [keyv], ttl: 60_000 })
  return { cached, close: () => store.disconnect(true) }
}

function sentinelOptions({ sentinels }: Deployment) {
  return { name: GROUP, sentinelRootNodes: [...sentinels] }
}

/** Writes values under numbered names, and looks for all of them in the end. */
class Writing implements LongWork {
  readonly #work: Repeated
  readonly #has: (key: string) => Promise<boolean>
  readonly #close: () => unknown
  readonly #written = new Map<string, number>()
  readonly #deaths: number[] = []

  constructor(
    write: (key: string) => Promise<void>,
    has: (key: string) => Promise<boolean>,
    close: () => unknown,
  ) {
    this.#has = has
    this.#close = close
    this.#work = new Repeated(10, async (round) => {
      await write(`key-${round}`)
      this.#written.set(`key-${round}`, performance.now())
    })
  }

  get successes(): number {
    return this.#work.successes
  }

  readonly masterDied = (): void => {
    this.#deaths.push(performance.now())
  }

  async finish(): Promise<readonly string[]> {
    await this.#work.stop()
    const wrong: string[] = []
    for (const [key, atMs] of this.#written) {
      const mayBeLost = this.#deaths.some((death) => Math.abs(death - atMs) < BEHIND_MS)
      if (!mayBeLost && !(await this.#has(key))) wrong.push(`${key} is lost`)
    }
    await this.#close()
    return wrong
  }
}
