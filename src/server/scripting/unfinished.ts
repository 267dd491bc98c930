/**
 * What is left to do when a script that was interrupted ends: the end of EVAL, the rest of the
 * transaction around it, the end of EXEC, and the reply. The innermost comes first, and each step
 * gets the reply of the one before.
 */
import type { Reply } from '../../resp/reply.ts'
import type { ClientSession } from '../sessions/session.ts'

type LaterStep = (reply: Reply | undefined) => Reply | undefined

/** Where the script was interrupted. */
interface Interruption {
  readonly session: ClientSession
  readonly argv: readonly string[]
  /** The time by which keys expire for the script. */
  readonly wallMs: number
}

export class Unfinished {
  #steps: LaterStep[] = []
  #place: Interruption | undefined

  get place(): Interruption | undefined {
    return this.#place
  }

  add(step: LaterStep, place: Interruption): void {
    this.#steps.push(step)
    this.#place ??= place
  }

  /** `isInterrupted`: another script of the same transaction may be. */
  finish(reply: Reply | undefined, isInterrupted: () => boolean): void {
    const steps = this.#steps
    this.#steps = []
    this.#place = undefined
    let last = reply
    for (let at = 0; at < steps.length; at++) {
      last = (steps[at] as LaterStep)(last)
      if (!isInterrupted()) continue
      this.#steps.push(...steps.slice(at + 1))
      return
    }
  }
}
