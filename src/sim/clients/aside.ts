/** What a client does now and then beside its work, on a connection of its own each time. */
import type { Rng } from '../../base/rng.ts'
import type { Shell } from '../processes/shell.ts'
import type { Exchange } from './exchange.ts'

export abstract class Aside {
  readonly #periodMs: number
  #exchange: Exchange | undefined
  /** Monotonic. */
  #dueMs: number

  constructor(shell: Shell, rng: Rng, periodMs: number) {
    this.#periodMs = periodMs
    this.#dueMs = shell.now().monoMs + rng.below(periodMs)
  }

  get dueMs(): number {
    return this.#dueMs
  }

  /** Begins the next exchange if it is time. An answer that has not come until then is not waited for. */
  wake(nowMs: number): void {
    if (nowMs < this.#dueMs) return
    this.#dueMs = nowMs + this.#periodMs
    this.#exchange?.close()
    this.#exchange = this.open()
  }

  protected abstract open(): Exchange
}
