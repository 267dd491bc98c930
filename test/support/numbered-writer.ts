/** An application that writes numbered keys through a stock ioredis Sentinel client, and remembers. */
import { Redis } from 'ioredis'

export interface Acknowledged {
  readonly key: string
  readonly atMs: number
}

export class NumberedWriter {
  readonly acknowledged: Acknowledged[] = []
  readonly #client: Redis
  #next = 0
  readonly #stopped = new AbortController()
  readonly #done: Promise<void>

  constructor(sentinelPorts: readonly number[]) {
    this.#client = new Redis({
      sentinels: sentinelPorts.map((port) => ({ host: '127.0.0.1', port })),
      name: 'mymaster',
      failoverDetector: true,
      // What the README recommends: by default ioredis waits two seconds for a frozen master to close
      // its end of the connection, and longer with every failed attempt.
      disconnectTimeout: 50,
      sentinelRetryStrategy: () => 50,
      retryStrategy: () => 50,
      maxRetriesPerRequest: null,
    })
    // Lost connections are what this is about; ioredis reports each of them here.
    this.#client.on('error', () => undefined)
    this.#done = this.#writeForEver()
  }

  /** Waits until every write acknowledged so far is on `replicas` replicas; gives their keys. */
  async replicated(replicas: number): Promise<string[]> {
    const keys = this.acknowledged.map(({ key }) => key)
    const reached = await this.#client.wait(replicas, 2_000)
    if (reached < replicas) throw new Error(`WAIT reached only ${reached} replicas`)
    return keys
  }

  /** The first write that was both sent and acknowledged after this moment, if there is one. */
  firstAfter(atMs: number): Acknowledged | undefined {
    return this.acknowledged.find((one) => one.atMs > atMs)
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#client.disconnect()
    await this.#done
  }

  async #writeForEver(): Promise<void> {
    const { signal } = this.#stopped
    // A client that finds no master keeps a command for ever; the end of the test does not wait for it.
    const ended = new Promise<undefined>((resolve) =>
      signal.addEventListener('abort', () => resolve(undefined)),
    )
    while (!signal.aborted) {
      const key = `key:${this.#next++}`
      // Not acknowledged, so it is nobody's promise: the next number follows.
      const write = this.#client.set(key, key).catch(() => undefined)
      const reply = await Promise.race([write, ended])
      if (reply === 'OK') this.acknowledged.push({ key, atMs: Date.now() })
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }
}
