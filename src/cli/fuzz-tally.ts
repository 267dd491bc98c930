/** What a fuzzing run has done so far. Only sums are kept: a night of it takes no more room than a minute. */
import type { FuzzOutcome } from './fuzz-job.ts'
import type { Outcome } from './pool/pool.ts'

export class FuzzTally {
  seeds = 0
  failures = 0
  /** Runs that saw at least one failover, and all failovers. */
  failedOver = 0
  failovers = 0
  virtualMs = 0
  readonly faults = new Map<string, number>()

  add(outcome: Outcome<FuzzOutcome>): void {
    this.seeds++
    if (outcome.kind === 'crashed') {
      this.failures++
      return
    }
    const { failure, failovers, endMs, faults } = outcome.result
    if (failure !== undefined) this.failures++
    if (failovers > 0) this.failedOver++
    this.failovers += failovers
    this.virtualMs += endMs
    for (const [kind, count] of Object.entries(faults)) {
      this.faults.set(kind, (this.faults.get(kind) ?? 0) + count)
    }
  }

  get faultsTotal(): number {
    return [...this.faults.values()].reduce((sum, count) => sum + count, 0)
  }
}
