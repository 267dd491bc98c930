import { assert } from '../base/assert.ts'
import { Heap } from '../base/heap.ts'

/** Tasks one millisecond may hold before we say that virtual time has stopped advancing. */
const TASKS_PER_MS_MAX = 1_000_000

export type Task = () => void

/**
 * Virtual time in whole milliseconds, and everything that is still to happen. Tasks of the same
 * millisecond run in the order in which they were asked for, so the order of a run is a fact of the
 * run and never of the heap's history.
 *
 * Many tasks share a millisecond, so the heap holds moments and each moment keeps its own list: the
 * common insertion is a push on an array.
 */
export class Scheduler {
  #nowMs = 0
  readonly #moments = new Heap<number>((a, b) => a < b)
  readonly #tasks = new Map<number, Task[]>()
  #isStopped = false

  get nowMs(): number {
    return this.#nowMs
  }

  /** When the next task is due; undefined when nothing is left to happen. */
  get nextMs(): number | undefined {
    return this.#moments.peek()
  }

  /** Runs `task` at `atMs`, or still within the current millisecond when that is past. */
  at(atMs: number, task: Task): void {
    assert(Number.isInteger(atMs), 'virtual time is whole milliseconds')
    const dueMs = Math.max(atMs, this.#nowMs)
    const tasks = this.#tasks.get(dueMs)
    if (tasks !== undefined) {
      tasks.push(task)
      return
    }
    this.#tasks.set(dueMs, [task])
    this.#moments.push(dueMs)
  }

  after(delayMs: number, task: Task): void {
    this.at(this.#nowMs + delayMs, task)
  }

  /**
   * Lets everything up to and including `untilMs` happen, then stands at `untilMs`. A task that calls
   * `stop` is the last one: time stands still there, and the next call goes on with the task after it.
   */
  runUntil(untilMs: number): void {
    this.#isStopped = false
    for (;;) {
      const nextMs = this.#moments.peek()
      if (nextMs === undefined || nextMs > untilMs) break
      this.#nowMs = nextMs
      this.#runMoment(nextMs)
      if (this.#isStopped) return
    }
    if (untilMs > this.#nowMs) this.#nowMs = untilMs
  }

  stop(): void {
    this.#isStopped = true
  }

  #runMoment(atMs: number): void {
    const tasks = this.#tasks.get(atMs)
    assert(tasks !== undefined, 'a moment in the heap has tasks')
    // The list grows while it runs: loopback traffic takes no time.
    for (let index = 0; index < tasks.length; index++) {
      assert(index < TASKS_PER_MS_MAX, 'virtual time advances')
      ;(tasks[index] as Task)()
      if (this.#isStopped) {
        tasks.splice(0, index + 1)
        return
      }
    }
    this.#moments.pop()
    this.#tasks.delete(atMs)
  }
}
