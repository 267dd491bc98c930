/** The benchmark's own connections: for its questions, not for what it measures. */
import { Redis } from 'ioredis'
import { HOST } from './ports.mjs'

const ANSWER_BOUND_MS = 2_000
const RECONNECT_MS = 20

/** An ioredis client that keeps trying; a command without an answer fails after two seconds. */
export function connect(port, options = {}) {
  const client = new Redis({
    host: HOST,
    port,
    protocol: 2,
    enableReadyCheck: false,
    retryStrategy: () => RECONNECT_MS,
    maxRetriesPerRequest: null,
    commandTimeout: ANSWER_BOUND_MS,
    ...options,
  })
  // Lost connections are expected here; what matters fails in the command itself.
  client.on('error', () => undefined)
  return client
}

/** Connects, lets `work(client)` do its work, and disconnects. */
export async function withConnection(port, work, options) {
  const client = connect(port, options)
  try {
    return await work(client)
  } finally {
    client.disconnect()
  }
}

/** The same for a daemon, wherever it runs. */
export function connectTo({ host, port }, options = {}) {
  return connect(port, { host: host.ip, ...options })
}

/** See `withConnection`. */
export function withConnectionTo({ host, port }, work, options = {}) {
  return withConnection(port, work, { host: host.ip, ...options })
}
