/** What the shell measures of its own process for /metrics, and reads at the moment of a scrape. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { observe } from '../../base/histogram.ts'
import type { LedgersOnDisk } from '../../http/metrics/node-metrics.ts'
import type { ProcessMeters, ProcessReading } from '../../http/metrics/process-metrics.ts'
import { isLedgerName } from '../../server/ledger/ledger-file.ts'

/** For the alarm of a host. */
export function latenessInto({ loopLag }: ProcessMeters): (lateMs: number) => void {
  return (lateMs) => observe(loopLag, lateMs / 1000)
}

/** Measures each save of the state file. */
export function measuredSaves<State>(
  meters: ProcessMeters,
  save: (state: State) => Promise<void>,
): (state: State) => Promise<void> {
  return async (state) => {
    const beganAtMs = performance.now()
    try {
      await save(state)
      observe(meters.saves, (performance.now() - beganAtMs) / 1000)
    } catch (error) {
      meters.failedSaves++
      throw error
    }
  }
}

export function readProcess(
  program: ProcessReading['program'],
  version: string,
  meters: ProcessMeters,
): ProcessReading {
  const { user, system } = process.cpuUsage()
  return {
    program,
    version,
    residentBytes: residentBytes(),
    cpuSeconds: (user + system) / 1e6,
    startedSeconds: Math.round(performance.timeOrigin) / 1000,
    meters,
  }
}

/** A process that may open no more files cannot read it, and must not end for that. */
function residentBytes(): number {
  try {
    return process.memoryUsage.rss()
  } catch {
    return 0
  }
}

/** A folder that cannot be read has no ledgers to show; the node itself complains of it. */
export async function readLedgers(folder: string): Promise<LedgersOnDisk> {
  const names = await readdir(folder).catch(() => [])
  const sizes = await Promise.all(
    names.filter(isLedgerName).map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}
