/**
 * One direction between two parties of a cluster, and what may be wrong with it: it is cut, or slow. Bytes
 * on a cut way wait, as they do in a kernel that sends them again and again, and come when it is healed.
 * Each connection has a queue of its own on each way, on which nothing overtakes.
 */
import type { ClusterClock } from './cluster-clock.ts'

export class Way {
  readonly #clock: ClusterClock
  readonly #queues = new Set<WayQueue>()
  #isCut = false
  #delayMs = 0

  constructor(clock: ClusterClock) {
    this.#clock = clock
  }

  get isCut(): boolean {
    return this.#isCut
  }

  get delayMs(): number {
    return this.#delayMs
  }

  cut(): void {
    this.#isCut = true
  }

  /** From now on everything takes this long; 0: no time of its own. */
  slow(delayMs: number): void {
    this.#delayMs = delayMs
    this.#look()
  }

  heal(): void {
    this.#isCut = false
    this.slow(0)
  }

  queue(): WayQueue {
    const queue = new WayQueue(this, this.#clock, () => this.#queues.delete(queue))
    this.#queues.add(queue)
    return queue
  }

  #look(): void {
    for (const queue of [...this.#queues]) queue.look()
  }
}

interface Parcel {
  readonly dueMs: number
  readonly arrive: () => void
}

/** The way of one connection. */
export class WayQueue {
  readonly #way: Way
  readonly #onClose: () => void
  #parcels: Parcel[] = []
  readonly #clock: ClusterClock
  #disarm: (() => void) | undefined

  constructor(way: Way, clock: ClusterClock, onClose: () => void) {
    this.#way = way
    this.#clock = clock
    this.#onClose = onClose
  }

  /** How much is on its way. */
  get length(): number {
    return this.#parcels.length
  }

  /** `arrive` is called when what was sent before has arrived, now at the earliest. */
  send(arrive: () => void): void {
    this.#parcels.push({ dueMs: this.#clock.nowMs + this.#way.delayMs, arrive })
    this.look()
  }

  /** Delivers what may arrive by now. */
  look(): void {
    this.#disarm?.()
    while (!this.#way.isCut) {
      const [first] = this.#parcels
      if (first === undefined) return
      const missingMs = this.#way.delayMs === 0 ? 0 : first.dueMs - this.#clock.nowMs
      if (missingMs > 0) {
        this.#disarm = this.#clock.after(missingMs, () => this.look())
        return
      }
      this.#parcels.shift()
      first.arrive()
    }
  }

  /** Nothing more will be sent; what is on its way is forgotten. */
  close(): void {
    this.#disarm?.()
    this.#parcels = []
    this.#onClose()
  }
}
