/**
 * Virtual time in whole milliseconds, and everything that is still to happen. Tasks of the same
 * millisecond run in the order in which they were scheduled, so the order of a run is a fact of the
 * run and never of the queue's history.
 *
 * What is due soon lies in a wheel with one list per millisecond, found without searching (the
 * wheel saves 3 to 5 % of the time of a world); the rest lies in a heap of moments. Tasks never
 * move from the heap to the wheel: those of the heap were scheduled when their moment was far away,
 * so they come first.
 */
import { assert } from '../base/assert.ts'
import { Heap } from '../base/heap.ts'

/** Tasks that one millisecond may hold before we say that virtual time has stopped advancing. */
const TASKS_PER_MS_MAX = 1_000_000

export type Task = () => void

/** Nearly every task is due within this many milliseconds, each of which has a list of its own. */
const NEAR_MS = 1_024

export class Scheduler {
  #nowMs = 0
  /** Indexed by the millisecond modulo the size of the wheel; undefined: nothing is due then. */
  readonly #near: (Task[] | undefined)[] = new Array<undefined>(NEAR_MS).fill(undefined)
  /** How many lists the wheel has at present. */
  #nearCount = 0
  readonly #farMoments = new Heap<number>((a, b) => a < b)
  readonly #far = new Map<number, Task[]>()
  #isStopped = false

  get nowMs(): number {
    return this.#nowMs
  }

  /** How many tasks are still to come. */
  get tasks(): number {
    const lists = [...this.#near, ...this.#far.values()]
    return lists.reduce((sum, tasks) => sum + (tasks?.length ?? 0), 0)
  }

  /** When the next task is due; undefined if there is none. */
  get nextMs(): number | undefined {
    const farMs = this.#farMoments.peek()
    if (this.#nearCount === 0) return farMs
    for (let atMs = this.#nowMs; atMs !== farMs; atMs++) {
      if (this.#near[atMs % NEAR_MS] !== undefined) return atMs
    }
    return farMs
  }

  /** Runs `task` at `atMs`, or still within the current millisecond if that is past. */
  at(atMs: number, task: Task): void {
    assert(Number.isInteger(atMs), 'virtual time is whole milliseconds')
    const dueMs = Math.max(atMs, this.#nowMs)
    if (dueMs - this.#nowMs >= NEAR_MS) return this.#atFar(dueMs, task)
    const slot = dueMs % NEAR_MS
    const tasks = this.#near[slot]
    if (tasks !== undefined) {
      tasks.push(task)
      return
    }
    this.#near[slot] = [task]
    this.#nearCount++
  }

  after(delayMs: number, task: Task): void {
    this.at(this.#nowMs + delayMs, task)
  }

  /**
   * Runs everything up to and including `untilMs`, then stands at `untilMs`. A task that calls
   * `stop` is the last one: time stands still there, and the next call continues with the task
   * after it.
   */
  runUntil(untilMs: number): void {
    assert(Number.isInteger(untilMs), 'virtual time is whole milliseconds')
    this.#isStopped = false
    for (;;) {
      const nextMs = this.nextMs
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

  #atFar(dueMs: number, task: Task): void {
    const tasks = this.#far.get(dueMs)
    if (tasks !== undefined) {
      tasks.push(task)
      return
    }
    this.#far.set(dueMs, [task])
    this.#farMoments.push(dueMs)
  }

  #runMoment(atMs: number): void {
    const far = this.#far.get(atMs)
    if (far !== undefined) {
      if (!this.#runAll(far)) return
      this.#far.delete(atMs)
      this.#farMoments.pop()
    }
    const slot = atMs % NEAR_MS
    const near = this.#near[slot]
    if (near === undefined || !this.#runAll(near)) return
    this.#near[slot] = undefined
    this.#nearCount--
  }

  /**
   * Returns false if a task stopped the run before the end of the list, which keeps the remaining
   * tasks.
   */
  #runAll(tasks: Task[]): boolean {
    // The list grows while it runs: loopback traffic takes no time.
    for (let index = 0; index < tasks.length; index++) {
      assert(index < TASKS_PER_MS_MAX, 'virtual time advances')
      ;(tasks[index] as Task)()
      if (this.#isStopped) {
        tasks.splice(0, index + 1)
        return false
      }
    }
    return true
  }
}
