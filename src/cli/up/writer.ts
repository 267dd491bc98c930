/**
 * An application that writes all the time, through the Sentinels as applications do. It measures
 * what a failover means to its users: how long no write was acknowledged, and which acknowledged writes are
 * lost.
 */
import { Redis } from 'ioredis'
import { GROUP } from './config-files.ts'
import { LatencyTrail } from './latency.ts'
import { HOST } from './layout.ts'

/** The pause between one write and the next. */
const PAUSE_MS = 20
const RETRY_MS = 50
const KEY = 'vedette:demonstration'

export interface WriteReport {
  readonly acknowledged: number
  /** How many of them a later master did not have. */
  readonly lost: number
  /** Time since the last acknowledged write, or since the start. */
  readonly silentMs: number
  readonly longestSilenceMs: number
  /** How long the last acknowledged write took; undefined: there was none. */
  readonly lastMs: number | undefined
  /** The slowest write of each half second, oldest first; undefined: none was acknowledged. */
  readonly periods: readonly (number | undefined)[]
}

/** What is told of each acknowledged write: the port of the node, and how many earlier ones are lost. */
export type OnWrite = (port: number | undefined, lost: number) => void

export class Writer {
  readonly #client: Redis
  readonly #onWrite: OnWrite
  readonly #promised = new PromisedWrites()
  readonly #trail: LatencyTrail
  #acknowledged = 0
  #lastMs: number | undefined
  #lastAtMs = performance.now()
  #longestSilenceMs = 0
  #isStopped = false

  constructor(sentinelPorts: readonly number[], onWrite: OnWrite) {
    this.#onWrite = onWrite
    this.#trail = new LatencyTrail(this.#lastAtMs)
    this.#client = new Redis({
      name: GROUP,
      sentinels: sentinelPorts.map((port) => ({ host: HOST, port })),
      retryStrategy: () => RETRY_MS,
      sentinelRetryStrategy: () => RETRY_MS,
      maxRetriesPerRequest: null,
      // A paused master closes no connection: only the Sentinels tell that it is no longer the
      // master.
      failoverDetector: true,
      // A paused master does not close its end of a connection either.
      disconnectTimeout: 50,
      connectTimeout: 500,
    })
    this.#client.on('error', () => undefined)
    this.#client.on('end', () => this.#connectAgain())
    void this.#writeOn()
  }

  report(): WriteReport {
    const nowMs = performance.now()
    const silentMs = nowMs - this.#lastAtMs
    return {
      acknowledged: this.#acknowledged,
      lost: this.#promised.lost,
      silentMs,
      longestSilenceMs: Math.max(this.#longestSilenceMs, silentMs),
      lastMs: this.#lastMs,
      periods: this.#trail.periods(nowMs),
    }
  }

  stop(): void {
    this.#isStopped = true
    this.#client.disconnect()
  }

  /** ioredis 6 gives up for good if a switch is announced just while it asks a Sentinel for the master. */
  #connectAgain(): void {
    // A failed attempt ends in `end` again, or is repeated by the client itself.
    if (!this.#isStopped) this.#client.connect().catch(() => undefined)
  }

  async #writeOn(): Promise<void> {
    // Earlier runs have left a number behind, which must not look like one of ours.
    const first = Date.now()
    for (let number = first; !this.#isStopped; number++) {
      const startedAtMs = performance.now()
      await this.#client.set(KEY, number, 'GET').then(
        (before) => this.#noteAcknowledged(number, Number(before ?? 0), startedAtMs),
        // A master that was demoted meanwhile refuses; the next write goes to the new one.
        () => undefined,
      )
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }

  #noteAcknowledged(number: number, before: number, startedAtMs: number): void {
    const nowMs = performance.now()
    this.#longestSilenceMs = Math.max(this.#longestSilenceMs, nowMs - this.#lastAtMs)
    this.#lastAtMs = nowMs
    this.#lastMs = nowMs - startedAtMs
    this.#trail.acknowledged(nowMs, this.#lastMs)
    this.#acknowledged++
    this.#onWrite(this.#client.stream.remotePort, this.#promised.acknowledged(number, before))
  }
}

/**
 * Which acknowledged writes does the master not have? A client writes 1, 2, 3, … to one key, and is told
 * with each answer what stood there before. If that is less than what it had been promised, the writes
 * between are lost.
 */
type Range = [first: number, last: number]

export class PromisedWrites {
  /** The numbers that were acknowledged and are not known to be lost, as ranges. */
  readonly #promised: Range[] = []
  #lost = 0

  get lost(): number {
    return this.#lost
  }

  /** `before`: what stood there; 0 if nothing did. Returns how many promised writes are gone. */
  acknowledged(number: number, before: number): number {
    const lost = this.#dropAbove(before)
    this.#lost += lost
    const last = this.#promised.at(-1)
    if (last !== undefined && last[1] === number - 1) last[1] = number
    else this.#promised.push([number, number])
    return lost
  }

  #dropAbove(before: number): number {
    let dropped = 0
    for (let last = this.#promised.at(-1); last !== undefined; last = this.#promised.at(-1)) {
      const [first, end] = last
      if (end <= before) break
      dropped += end - Math.max(first - 1, before)
      if (first > before) this.#promised.pop()
      else last[1] = before
    }
    return dropped
  }
}
