/** rate-limiter-flexible: points that are used up, blocked, given back; and a count that must not go back. */
import { Redis } from 'ioredis'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { type Application, type LongWork, Repeated } from './application.ts'
import { type Deployment, ioredisOptions } from './deployment.ts'

export const limits: Application = {
  name: 'rate-limiter-flexible',
  use,
  begin: async (place) => new Consumer(place),
}

async function use(place: Deployment): Promise<unknown> {
  const storeClient = new Redis(ioredisOptions(place))
  const options = { storeClient, points: 3, duration: 30, blockDuration: 60 }
  const limiter = new RateLimiterRedis({ ...options, keyPrefix: 'limit' })
  const facts: unknown[] = []
  const note = async (what: Promise<unknown>) => facts.push(told(await what.catch(told)))
  for (let n = 0; n < 5; n++) await note(limiter.consume('somebody'))
  await note(limiter.get('somebody'))
  await note(limiter.delete('somebody'))
  await note(limiter.get('somebody'))
  await note(limiter.penalty('somebody', 2))
  await note(limiter.reward('somebody', 1))
  await note(limiter.block('somebody', 20))
  await note(limiter.consume('somebody'))
  await note(limiter.set('else', 2, 10))
  await note(limiter.consume('else', 2))
  const keys = await storeClient.keys('limit:*')
  storeClient.disconnect()
  return { facts, keys: keys.sort() }
}

/** Times are rounded, because they pass. */
function told(result: unknown): unknown {
  if (!(result instanceof RateLimiterRes)) return result
  const { consumedPoints, remainingPoints, isFirstInDuration, msBeforeNext } = result
  return [consumedPoints, remainingPoints, isFirstInDuration, Math.ceil(msBeforeNext / 10_000)]
}

/** Consumes all the time; what a replica has counted stays counted. */
class Consumer implements LongWork {
  readonly #redis: Redis
  readonly #work: Repeated
  #kept = 0
  readonly #wrong: string[] = []
  readonly masterDied = (): void => undefined

  constructor(place: Deployment) {
    this.#redis = new Redis(ioredisOptions(place))
    this.#redis.on('error', () => undefined)
    const options = { storeClient: this.#redis, points: 1_000_000, duration: 1_000 }
    const limiter = new RateLimiterRedis({ ...options, keyPrefix: 'busy' })
    this.#work = new Repeated(10, async () => {
      const { consumedPoints } = await limiter.consume('everybody')
      if (consumedPoints <= this.#kept) {
        this.#wrong.push(`${consumedPoints} points are consumed after ${this.#kept}`)
      }
      if ((await this.#redis.wait(1, 500)) > 0) this.#kept = consumedPoints
    })
  }

  get successes(): number {
    return this.#work.successes
  }

  async finish(): Promise<readonly string[]> {
    await this.#work.stop()
    this.#redis.disconnect()
    return this.#wrong
  }
}
