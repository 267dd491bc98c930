/** How much memory a process holds, and the most it held during something. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const PERIOD_MS = 20
const MIB = 2 ** 20
const PAGE_BYTES = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }))

function residentMib(pid) {
  const [, pages] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ').map(Number)
  return (pages * PAGE_BYTES) / MIB
}

/** Memory of a process before and at its peak, including what a forked child has copied of it. */
export class MemoryWatch {
  #pid
  #timer
  beforeMib
  peakMib

  constructor(pid) {
    this.#pid = pid
    this.beforeMib = residentMib(pid)
    this.peakMib = this.beforeMib
    this.#timer = setInterval(() => this.#look(), PERIOD_MS)
  }

  /** How many MiB were held for a while in addition. `copiedBytes`: what a child says it copied. */
  stop(copiedBytes = 0) {
    clearInterval(this.#timer)
    return Math.max(0, this.peakMib - this.beforeMib) + copiedBytes / MIB
  }

  #look() {
    try {
      this.peakMib = Math.max(this.peakMib, residentMib(this.#pid))
    } catch {
      // The process has ended: what was seen until then counts.
      clearInterval(this.#timer)
    }
  }
}
