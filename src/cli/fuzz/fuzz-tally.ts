/**
 * What a fuzzing run has done so far in one detection mode. Only sums are kept: a night takes no
 * more memory than a minute.
 */
import type { Detection } from '../../core/config.ts'
import type { JobOutcome } from '../pool/pool.ts'
import type { FuzzOutcome } from './fuzz-job.ts'

export class FuzzTally {
  /** Seeds that were played in this mode. */
  runs = 0
  failures = 0
  /** Runs in real time that failed once, and not when they were played again. */
  late = 0
  /** Runs that saw at least one failover, and all failovers. */
  failedOver = 0
  failovers = 0
  virtualMs = 0
  sdown = 0
  odown = 0
  candidacies = 0
  readonly faults = new Map<string, number>()

  add(outcome: JobOutcome<FuzzOutcome>): void {
    this.runs++
    if (outcome.kind === 'crashed') {
      this.failures++
      return
    }
    const { failure, failovers, endMs, faults, alarms, missedOnce } = outcome.result
    this.sdown += alarms.sdown
    this.odown += alarms.odown
    this.candidacies += alarms.candidacies
    if (failure !== undefined) this.failures++
    if (missedOnce !== undefined) this.late++
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

/** The sums of the whole run, and of each mode. */
export class FuzzTallies {
  readonly all = new FuzzTally()
  readonly byMode: ReadonlyMap<Detection | undefined, FuzzTally>

  /** `undefined` as a mode: the mode that each seed has by itself. */
  constructor(modes: readonly (Detection | undefined)[]) {
    this.byMode = new Map(modes.map((mode) => [mode, new FuzzTally()]))
  }

  /** In how many modes each seed is played. */
  get modes(): number {
    return this.byMode.size
  }

  add(mode: Detection | undefined, outcome: JobOutcome<FuzzOutcome>): void {
    this.all.add(outcome)
    this.byMode.get(mode)?.add(outcome)
  }
}
