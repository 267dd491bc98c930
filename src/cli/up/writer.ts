/**
 * An application that writes all the time, through the Sentinels as applications do. What it sees is
 * what a failover means to its users: how long no write was acknowledged.
 */
import { Redis } from 'ioredis'
import { GROUP } from './config-files.ts'
import { HOST } from './layout.ts'

/** One write after the other, this far apart. */
const PAUSE_MS = 20
const RETRY_MS = 50

export interface WriteReport {
  readonly acknowledged: number
  /** Since the last acknowledged write, or since the start. */
  readonly silentMs: number
  readonly longestSilenceMs: number
}

export class Writer {
  readonly #client: Redis
  #acknowledged = 0
  #lastAtMs = performance.now()
  #longestSilenceMs = 0
  #isStopped = false

  constructor(sentinelPorts: readonly number[]) {
    this.#client = new Redis({
      name: GROUP,
      sentinels: sentinelPorts.map((port) => ({ host: HOST, port })),
      retryStrategy: () => RETRY_MS,
      sentinelRetryStrategy: () => RETRY_MS,
      maxRetriesPerRequest: null,
      // A paused master closes no connection: only the Sentinels tell that it is not the master any more.
      failoverDetector: true,
      // And it answers no farewell either.
      disconnectTimeout: 50,
      connectTimeout: 500,
    })
    this.#client.on('error', () => undefined)
    void this.#writeOn()
  }

  report(): WriteReport {
    const silentMs = performance.now() - this.#lastAtMs
    const longestSilenceMs = Math.max(this.#longestSilenceMs, silentMs)
    return { acknowledged: this.#acknowledged, silentMs, longestSilenceMs }
  }

  stop(): void {
    this.#isStopped = true
    this.#client.disconnect()
  }

  async #writeOn(): Promise<void> {
    for (let number = 1; !this.#isStopped; number++) {
      const isDone = await this.#client.set('vedette:demonstration', number).then(
        () => true,
        // A master that was demoted meanwhile refuses; the next write goes to the new one.
        () => false,
      )
      if (isDone) this.#noteAcknowledged()
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }

  #noteAcknowledged(): void {
    const nowMs = performance.now()
    this.#longestSilenceMs = Math.max(this.#longestSilenceMs, nowMs - this.#lastAtMs)
    this.#lastAtMs = nowMs
    this.#acknowledged++
  }
}
