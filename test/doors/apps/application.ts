/** What an application of these tests is: work that must come out alike, and work that never ends. */
import type { Deployment } from './deployment.ts'

export interface Application {
  readonly name: string
  /** What it needs that is not installed here. */
  readonly missing?: string | undefined
  /** Its everyday work on a group at rest. What it returns must be the same beside redis-server. */
  use(place: Deployment): Promise<unknown>
  /** Works until it is told to stop, whatever becomes of the master. */
  begin?(place: Deployment): Promise<LongWork>
}

export interface LongWork {
  /** How often it has succeeded; it grows for as long as the group takes writes. */
  readonly successes: number
  /** Tells of a moment in which what no replica has is lost. */
  readonly masterDied: () => void
  /** Finishes what it has begun, and says what is wrong with the outcome: nothing, if it is right. */
  finish(): Promise<readonly string[]>
}

/** Repeats a piece of work, with a pause, until it is over; what fails is tried again. */
export class Repeated {
  successes = 0
  /** What failed, without what says where. */
  readonly errors = new Map<string, number>()
  #isOver = false
  readonly #running: Promise<void>

  constructor(pauseMs: number, work: (round: number) => Promise<unknown>) {
    this.#running = this.#run(pauseMs, work)
  }

  async #run(pauseMs: number, work: (round: number) => Promise<unknown>): Promise<void> {
    for (let round = 0; !this.#isOver; ) {
      try {
        await work(round)
        this.successes++
        round++
      } catch (error) {
        const text = String((error as Error).message ?? error).replace(/\d+/g, 'N')
        this.errors.set(text, (this.errors.get(text) ?? 0) + 1)
      }
      await pause(pauseMs)
    }
  }

  stop(): Promise<void> {
    this.#isOver = true
    return this.#running
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
