/** The client libraries as an application sets them up. Each has `set(key, value)`. */
import { Redis } from 'ioredis'
import { createSentinel } from 'redis'

export const STOCK_CLIENTS = {
  /** With the options the README recommends. */
  ioredis(group, sentinels) {
    const client = new Redis({
      sentinels,
      name: group,
      failoverDetector: true,
      disconnectTimeout: 50,
      retryStrategy: () => 50,
    })
    // Lost connections are what this benchmark is about.
    client.on('error', () => undefined)
    // If a switch is announced while ioredis 6 asks a Sentinel for the master, the client ends for
    // good.
    client.on('end', () => client.connect().catch(() => undefined))
    return { set: (key, value) => client.set(key, value) }
  },

  /** With its defaults only, as its manual shows it. */
  async 'node-redis'(group, sentinels) {
    const client = createSentinel({ name: group, sentinelRootNodes: sentinels })
    client.on('error', () => undefined)
    await client.connect()
    return { set: (key, value) => client.set(key, value) }
  },
}
