/** An application that writes numbered keys through a stock Sentinel client, and remembers. */
import { Redis } from 'ioredis'
import { createSentinel } from 'redis'

export interface Acknowledged {
  readonly key: string
  readonly atMs: number
}

/** What an application needs from its client library. */
export interface StockClient {
  set(key: string, value: string): Promise<unknown>
  /** Waits until all writes so far are on that many replicas; resolves to how many have them. */
  wait(replicas: number, boundMs: number): Promise<number>
  close(): void
}

/**
 * What the README recommends: by default ioredis waits two seconds for a frozen master to close its end
 * of the connection, and longer with every failed attempt.
 */
const RECOMMENDED = {
  failoverDetector: true,
  disconnectTimeout: 50,
  sentinelRetryStrategy: () => 50,
  retryStrategy: () => 50,
  maxRetriesPerRequest: null,
}

/** ioredis in its Sentinel mode. */
export function ioredis(
  sentinelPorts: readonly number[],
  options: Partial<typeof RECOMMENDED> = RECOMMENDED,
): StockClient {
  const client = new Redis({
    ...options,
    sentinels: sentinelPorts.map((port) => ({ host: '127.0.0.1', port })),
    name: 'mymaster',
  })
  let closing = false
  // Lost connections are what these tests are about; ioredis reports each of them here.
  client.on('error', () => undefined)
  // If a switch is announced while ioredis 6 asks a Sentinel for the master, the client ends for
  // good.
  client.on('end', () => {
    if (!closing) client.connect().catch(() => undefined)
  })
  return {
    set: (key, value) => client.set(key, value),
    wait: (replicas, boundMs) => client.wait(replicas, boundMs),
    close: () => {
      closing = true
      client.disconnect()
    },
  }
}

/** node-redis in its Sentinel mode, as its manual shows it. */
export async function nodeRedis(sentinelPorts: readonly number[]): Promise<StockClient> {
  const client = createSentinel({
    name: 'mymaster',
    sentinelRootNodes: sentinelPorts.map((port) => ({ host: '127.0.0.1', port })),
  })
  client.on('error', () => undefined)
  await client.connect()
  return {
    set: (key, value) => client.set(key, value),
    wait: (replicas, boundMs) => client.wait(replicas, boundMs),
    close: () => client.destroy(),
  }
}

export class NumberedWriter {
  readonly acknowledged: Acknowledged[] = []
  readonly #client: StockClient
  readonly #prefix: string
  #next = 0
  #running = true

  constructor(client: StockClient, prefix = 'key') {
    this.#client = client
    this.#prefix = prefix
    void this.#writeForEver()
  }

  /** Waits until every write acknowledged so far is on `replicas` replicas; returns their keys. */
  async replicated(replicas: number): Promise<string[]> {
    const keys = this.acknowledged.map(({ key }) => key)
    const reached = await this.#client.wait(replicas, 2_000)
    if (reached < replicas) throw new Error(`WAIT reached only ${reached} replicas`)
    return keys
  }

  /** The first write that was acknowledged after this moment, if there is one. */
  firstAfter(atMs: number): Acknowledged | undefined {
    return this.acknowledged.find((one) => one.atMs > atMs)
  }

  /** Does not wait for the write under way: a client without a master may never finish it. */
  stop(): void {
    this.#running = false
    this.#client.close()
  }

  async #writeForEver(): Promise<void> {
    while (this.#running) {
      const key = `${this.#prefix}:${this.#next++}`
      try {
        await this.#client.set(key, key)
        this.acknowledged.push({ key, atMs: Date.now() })
      } catch {
        // Not acknowledged, so it is no promise; the next number follows.
      }
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }
}
