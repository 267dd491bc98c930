/** An application that increments one key, a thousand times a second, and what it met. */
import { setTimeout as sleep } from 'node:timers/promises'
import { nowMs } from '../support/clock.mjs'

const SETTLE_MS = 1_500

export class Application {
  #client
  #key
  #timer
  #acknowledged = 0
  #lastMs = nowMs()
  #gapMs = 0
  #errors = 0
  #unknown = 0
  #open = 0
  #isOver = false

  constructor(client, key) {
    this.#client = client
    this.#key = key
    client.on('error', () => undefined)
    // ioredis gives up for good when a switch is announced just while it asks a Sentinel (README).
    client.on('end', () => {
      if (!this.#isOver) client.connect().catch(() => undefined)
    })
    this.#timer = setInterval(() => this.#once(), 1)
  }

  get acknowledged() {
    return this.#acknowledged
  }

  begin() {
    this.#gapMs = 0
    this.#errors = 0
    this.#lastMs = nowMs()
  }

  /** `stored`: the counter in the end. Lost: acknowledged and not there; doubled: more than were ever sent. */
  async met(readStored) {
    clearInterval(this.#timer)
    const [gapMs, errors] = [this.#gapMs, this.#errors]
    for (let waited = 0; this.#open > 0 && waited < 100; waited++) await sleep(SETTLE_MS / 100)
    const stored = await readStored(this.#key)
    this.#isOver = true
    this.#client.disconnect()
    const lost = Math.max(0, this.#acknowledged - stored)
    const doubled = Math.max(0, stored - this.#acknowledged - this.#unknown - this.#open)
    // What ioredis drops without a word is no success either.
    return { gapMs, errors: errors + this.#open, lost, doubled }
  }

  #once() {
    this.#open++
    this.#client
      .incr(this.#key)
      .then(
        () => this.#succeeded(),
        () => this.#failed(),
      )
      .finally(() => this.#open--)
  }

  #succeeded() {
    this.#acknowledged++
    const atMs = nowMs()
    this.#gapMs = Math.max(this.#gapMs, atMs - this.#lastMs)
    this.#lastMs = atMs
  }

  #failed() {
    this.#errors++
    this.#unknown++
  }
}
