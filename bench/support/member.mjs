/** A process that a benchmark has started: whether it runs, how it ended, what it wrote. */
import { readFileSync } from 'node:fs'
import { until } from './clock.mjs'

const LOG_TAIL_CHARACTERS = 600
const SUCCESS = 'ended with status 0'

export class Member {
  title
  child
  #logPath
  /** How it ended, in words; undefined while it runs. */
  #outcome

  /** `logPath` is undefined for a process that writes to our own output. */
  constructor(title, child, logPath) {
    this.title = title
    this.child = child
    this.#logPath = logPath
    child.once('error', (error) => {
      this.#outcome ??= `cannot be started: ${error.message}`
    })
    child.once('exit', (status, signal) => {
      this.#outcome ??= `ended with ${signal ?? `status ${status}`}`
    })
  }

  /** Throws, with the end of its log, if it no longer runs. */
  assertRunning() {
    if (this.#outcome === undefined) return
    const error = new Error(`${this.title} ${this.#outcome}\n${this.#tail()}`)
    // Waiting for it is useless.
    error.isFatal = true
    throw error
  }

  /** Waits for its end and returns its output. Throws if it failed, or runs longer than `boundMs`. */
  async finished(boundMs) {
    const outcome = await until(`${this.title} ends`, boundMs, () => this.#outcome)
    if (outcome !== SUCCESS) this.assertRunning()
    return readFileSync(this.#logPath, 'utf8')
  }

  /** Kills it and waits until the kernel has removed it. */
  async kill() {
    if (this.#outcome !== undefined) return
    const gone = new Promise((resolve) => {
      this.child.once('exit', resolve)
      this.child.once('error', resolve)
    })
    this.child.kill('SIGKILL')
    await gone
  }

  #tail() {
    if (this.#logPath === undefined) return ''
    return readFileSync(this.#logPath, 'utf8').slice(-LOG_TAIL_CHARACTERS)
  }
}
