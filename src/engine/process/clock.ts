/** The time of a run in whole milliseconds: it is 0 until the cluster is up. */
const NS_PER_MS = 1_000_000n

export class RunClock {
  #originNs: bigint | undefined

  start(): void {
    this.#originNs = process.hrtime.bigint()
  }

  /** By the monotonic clock, which all processes of the machine share. */
  get originNs(): bigint {
    return this.#originNs ?? process.hrtime.bigint()
  }

  nowMs(): number {
    if (this.#originNs === undefined) return 0
    return Number((process.hrtime.bigint() - this.#originNs) / NS_PER_MS)
  }
}
