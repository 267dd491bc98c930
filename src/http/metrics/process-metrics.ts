/** What both programs show of their process, measured by the shell. */
import { type Histogram, newHistogram } from '../../base/histogram.ts'
import { utf8Bytes } from '../../base/utf8.ts'
import type { Exposition } from './exposition.ts'
import { labelText } from './exposition.ts'
import { counter, gauge, histogram } from './family.ts'

/** What the shell measures while a scraper may ask for it. */
export interface ProcessMeters {
  /** Seconds by which the process woke up later than it wanted. */
  readonly loopLag: Histogram
  /** Seconds from the request to save the state file until it is on disk. Sentinels only. */
  readonly saves: Histogram
  /** Saves of the state file that failed. */
  failedSaves: number
  /** Reads which certificates are in use. */
  certificates: () => readonly CertificateReading[]
}

export interface CertificateReading {
  /** Which setting names it: `tls-cert-file`. */
  readonly directive: string
  readonly path: string
  readonly validToMs: number
}

const LAG_BOUNDS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
const SAVE_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

export function newMeters(): ProcessMeters {
  return {
    loopLag: newHistogram(LAG_BOUNDS),
    saves: newHistogram(SAVE_BOUNDS),
    failedSaves: 0,
    certificates: () => [],
  }
}

/** What the shell reads at the moment of a scrape. */
export interface ProcessReading {
  readonly program: 'sentinel' | 'server' | 'proxy'
  readonly version: string
  readonly residentBytes: number
  readonly cpuSeconds: number
  /** When the process began, in seconds since the Unix epoch. */
  readonly startedSeconds: number
  readonly meters: ProcessMeters
}

const UP = gauge('redis_up', { help: 'The process answers.', unit: 'yes or no' })
const STARTED = gauge('redis_start_time_seconds', {
  help: 'When the process started.',
  unit: 'seconds',
})
const BUILD = gauge('vedette_build_info', {
  help: 'Always 1; the labels say which program in which version this is.',
  labels: ['program', 'version'],
})
const LOOP_LAG = histogram('vedette_event_loop_lag_seconds', {
  help: 'How late the process woke up from its timers; its own measurements are late by the same time.',
  unit: 'seconds',
})
const RESIDENT = gauge('process_resident_memory_bytes', {
  help: 'Resident memory.',
  unit: 'bytes',
})
const CPU = counter('process_cpu_seconds_total', {
  help: 'Processor time used, all threads together.',
  unit: 'seconds',
})
const PROCESS_STARTED = gauge('process_start_time_seconds', {
  help: 'When the process started.',
  unit: 'seconds',
})

const CERTIFICATE_EXPIRY = gauge('vedette_tls_certificate_expiry_seconds', {
  help: 'When a certificate of this process or its chain, or the last of the authorities it trusts, expires, in seconds since the Unix epoch.',
  unit: 'seconds',
  labels: ['directive', 'file'],
})

export const PROCESS_FAMILIES = [
  ...[UP, STARTED, BUILD, LOOP_LAG, RESIDENT, CPU, PROCESS_STARTED],
  CERTIFICATE_EXPIRY,
]

export function addProcessMetrics(page: Exposition, reading: ProcessReading): void {
  const { program, version, residentBytes, cpuSeconds, startedSeconds, meters } = reading
  page.add(UP, '', 1)
  page.add(STARTED, '', startedSeconds)
  page.add(
    BUILD,
    labelText([
      ['program', program],
      ['version', version],
    ]),
    1,
  )
  page.addHistogram(LOOP_LAG, [], meters.loopLag)
  page.add(RESIDENT, '', residentBytes)
  page.add(CPU, '', cpuSeconds)
  page.add(PROCESS_STARTED, '', startedSeconds)
  for (const { directive, path, validToMs } of meters.certificates()) {
    const labels = labelText([
      ['directive', directive],
      ['file', utf8Bytes(path)],
    ])
    page.add(CERTIFICATE_EXPIRY, labels, Math.floor(validToMs / 1_000))
  }
}
