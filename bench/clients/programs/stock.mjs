/** ioredis or node-redis (`node-redis-alone`: without handoffs), as docs/clients.md sets them up: counts on, and says how each attempt ended. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { createSentinel } from 'redis'

const [library, key, ...places] = process.argv.slice(2)
const sentinels = places.map((place) => {
  const [host, port] = place.split(':')
  return { host, port: Number(port) }
})

const OPENERS = {
  ioredis() {
    const redis = new Redis({
      sentinels,
      name: 'mymaster',
      failoverDetector: true,
      disconnectTimeout: 50,
      retryStrategy: () => 50,
      maxRetriesPerRequest: null,
    })
    redis.on('error', () => undefined)
    redis.on('end', () => redis.connect().catch(() => undefined))
    return redis
  },
  'node-redis': () => openNodeRedis({}),
  'node-redis-alone': () => openNodeRedis({ maintNotifications: 'disabled' }),
}

async function openNodeRedis(nodeClientOptions) {
  const client = createSentinel({
    name: 'mymaster',
    sentinelRootNodes: sentinels,
    nodeClientOptions,
  })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

const client = await OPENERS[library]()
for (;;) {
  await client.incr(key).then(
    () => say('+'),
    (error) => say(`-${error.message}`),
  )
  await sleep(2)
}

function say(outcome) {
  console.log(`${performance.timeOrigin + performance.now()} ${outcome.replaceAll('\n', ' ')}`)
}
