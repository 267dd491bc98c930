/** How far a simulation is: a bar on a terminal, a line now and then elsewhere. */
import { performance } from 'node:perf_hooks'
import { clockText } from './fuzz-progress.ts'
import { say } from './report.ts'
import { StatusLine } from './status-line.ts'

export interface SimulateProgress {
  show(done: number): void
  clear(): void
}

const BAR_CELLS = 24
/** Where no terminal shows a bar. */
const LOG_EVERY_MS = 10_000

export function createProgress(total: number): SimulateProgress {
  const status = new StatusLine()
  const startedAtMs = performance.now()
  let loggedAtMs = 0
  return {
    show: (done) => {
      const elapsedMs = performance.now() - startedAtMs
      const text = progressText(done, total, elapsedMs)
      if (process.stderr.isTTY) return status.show(`${progressBar(done, total)}  ${text}`)
      if (elapsedMs - loggedAtMs < LOG_EVERY_MS) return
      loggedAtMs = elapsedMs
      say(`simulate: ${text}`)
    },
    clear: () => status.clear(),
  }
}

function progressBar(done: number, total: number): string {
  const filled = Math.round((done / total) * BAR_CELLS)
  return '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled)
}

/** `120 of 200 histories, about 12 s left` */
export function progressText(done: number, total: number, elapsedMs: number): string {
  const leftMs = (elapsedMs / Math.max(1, done)) * (total - done)
  return `${done} of ${total} histories, about ${clockText(leftMs)} left`
}
