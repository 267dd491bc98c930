/**
 * redlock: one holder at a time. A lock that no replica had when the master died is gone, so another
 * holder may have it for as long as it would have lasted; at any other time nobody may.
 */
import { Redis } from 'ioredis'
import Redlock from 'redlock'
import { type Application, type LongWork, pause, Repeated } from './application.ts'
import { type Deployment, ioredisOptions } from './deployment.ts'

const TTL_MS = 2_000
/** redlock gives a lock up that it got later than this: longer than a busy machine takes to connect. */
const LONG_MS = 60_000
const CONTENDERS = 3

export const locks: Application = {
  name: 'redlock',
  use,
  begin: async (place) => new Contenders(place),
}

async function use(place: Deployment): Promise<unknown> {
  const redis = new Redis(ioredisOptions(place))
  const redlock = new Redlock([redis], { retryCount: 0 })
  redlock.on('clientError', () => undefined)
  const failed = (promise: Promise<unknown>) => promise.then(() => 'done', String)
  const lock = await redlock.lock('resource', LONG_MS)
  const taken = await failed(redlock.lock('resource', LONG_MS))
  const longer = await lock.extend(2 * LONG_MS)
  const ttl = await redis.pttl('resource')
  await longer.unlock()
  const again = await failed(longer.unlock())
  const both = await redlock.lock(['one', 'two'], LONG_MS)
  const [one, two] = [await redis.exists('one', 'two'), await failed(redlock.lock('two', 100))]
  await both.unlock()
  const short = await redlock.lock('short', 300)
  await pause(350)
  const late = await failed(short.extend(100))
  redis.disconnect()
  return { taken, isLonger: ttl > LONG_MS && ttl <= 2 * LONG_MS, again, one, two, late }
}

class Contenders implements LongWork {
  readonly #clients: Redis[] = []
  readonly #contenders: Repeated[]
  readonly #wrong: string[] = []
  readonly #deaths: number[] = []
  #holders = 0

  constructor(place: Deployment) {
    this.#contenders = Array.from({ length: CONTENDERS }, () => {
      const redis = new Redis(ioredisOptions(place))
      redis.on('error', () => undefined)
      this.#clients.push(redis)
      const redlock = new Redlock([redis], { retryCount: 100, retryDelay: 10 })
      redlock.on('clientError', () => undefined)
      return new Repeated(5, () => this.#hold(redlock))
    })
  }

  get successes(): number {
    return this.#contenders.reduce((sum, { successes }) => sum + successes, 0)
  }

  readonly masterDied = (): void => {
    this.#deaths.push(performance.now())
  }

  async finish(): Promise<readonly string[]> {
    await Promise.all(this.#contenders.map((one) => one.stop()))
    for (const client of this.#clients) client.disconnect()
    return this.#wrong
  }

  async #hold(redlock: Redlock): Promise<void> {
    const lock = await redlock.lock('door', TTL_MS)
    const startMs = performance.now()
    this.#holders++
    if (this.#holders > 1 && !this.#mayHaveBeenLost(startMs)) {
      this.#wrong.push(`${this.#holders} hold the lock at the same time`)
    }
    await pause(3)
    this.#holders--
    await lock.unlock()
  }

  #mayHaveBeenLost(nowMs: number): boolean {
    return this.#deaths.some((death) => nowMs > death && nowMs < death + 3 * TTL_MS)
  }
}
