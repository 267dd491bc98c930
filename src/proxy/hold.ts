/**
 * How long the commands of one client wait while no master is confirmed. The wait is bounded in time, and in bytes over
 * all clients; when it is over, what waits is refused, and so is what comes until there is a master to go to.
 */
import { noMaster, noMasterNow, tooMuchHeld } from './proxy-errors.ts'
import type { SessionHome } from './session-home.ts'

export class CommandHold {
  readonly #home: SessionHome
  readonly #group: string
  #sinceMs: number | undefined
  #bytes = 0
  /** The error that commands get at present; undefined: they may wait. */
  refusal: string | undefined

  constructor(home: SessionHome, group: string) {
    this.#home = home
    this.#group = group
  }

  get isHolding(): boolean {
    return this.#sinceMs !== undefined
  }

  /** So many bytes wait. True if the wait is over, and they are to be refused. */
  holds(nowMs: number, bytes: number): boolean {
    if (this.refusal !== undefined) {
      this.#count(0)
      return false
    }
    this.#count(bytes)
    this.#sinceMs ??= nowMs
    const waitedMs = nowMs - this.#sinceMs
    const { holdMs, holdBytes } = this.#home.limits()
    if (waitedMs >= holdMs) this.refusal = noMaster(this.#group, waitedMs)
    else if (this.#home.counts.heldBytes > holdBytes) this.refusal = tooMuchHeld(this.#group)
    if (this.refusal === undefined) return false
    this.#sinceMs = undefined
    this.#count(0)
    return true
  }

  /** Nothing is to wait. */
  refuses(): void {
    this.refusal ??= noMasterNow(this.#group)
    this.ends()
  }

  /** Nothing waits. */
  ends(): void {
    this.#count(0)
    this.#sinceMs = undefined
  }

  #count(bytes: number): void {
    this.#home.counts.heldBytes += bytes - this.#bytes
    this.#bytes = bytes
  }
}
