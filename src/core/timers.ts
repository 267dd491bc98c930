/**
 * The deadlines of the machine. Each owner has at most one deadline per name; setting it again
 * moves it. The earliest deadline is the machine's next wake-up, and the driver arms a single real
 * timer for it.
 *
 * Moved and cleared deadlines stay in the heap until they surface or it is tidied. That is cheaper than searching for
 * them.
 */
import { Heap } from '../base/heap.ts'

export type TimerName =
  /** Link: send the next PING. */
  | 'ping'
  /** Link of a master: the PING should have been answered by now. */
  | 'suspect'
  /** Instance: the unanswered PING becomes S_DOWN, or a master that claims to be a replica does. */
  | 'down'
  /** Link: open missing connections again. */
  | 'reconnect'
  /** Master, replica: send INFO. */
  | 'info'
  /** Instance: send our hello there. */
  | 'hello'
  /** Group: ask the peers again; drop opinions that are too old. */
  | 'ask'
  /** Group: the moment a failover may start. */
  | 'start'
  /** Group: the current state of the failover takes too long. */
  | 'failover'
  /** Group: the voters may be fenced again, because one has no vote. */
  | 'renewal'
  /** Replica: SLAVEOF was sent too long ago. */
  | 'reconf'
  /** The machine: notice stalls and clock jumps, leave TILT. */
  | 'tilt'
  /** Group: the pause of automatic failover is over. */
  | 'pause'
  /** The machine: peers have had their time to answer an order of an operator. */
  | 'orders'
  /** The machine: try again to save. */
  | 'save'
  /** The machine: a script has run for too long, or another script may be run. */
  | 'scripts'

/** Everything that can have deadlines keeps its current ones with it. */
export interface TimerOwner {
  readonly deadlines: Map<TimerName, Standing>
}

interface Standing {
  /** Monotonic milliseconds. */
  readonly atMs: number
  /** Breaks ties, so that the order never depends on the heap's history. */
  readonly sequence: number
}

export interface Deadline<Owner> extends Standing {
  readonly owner: Owner
  readonly name: TimerName
}

export interface TimersImage<Owner> {
  readonly sequence: number
  readonly standing: readonly Deadline<Owner>[]
}

export class Timers<Owner extends TimerOwner> {
  readonly #heap = new Heap<Deadline<Owner>>(
    (a, b) => (a.atMs === b.atMs ? a.sequence < b.sequence : a.atMs < b.atMs),
    isStanding,
  )
  #sequence = 0

  set(owner: Owner, name: TimerName, atMs: number): void {
    if (owner.deadlines.get(name)?.atMs === atMs) return
    const deadline = { owner, name, atMs, sequence: this.#sequence++ }
    owner.deadlines.set(name, deadline)
    this.#heap.push(deadline)
  }

  /** How many deadlines are kept, with those that no longer stand. */
  get size(): number {
    return this.#heap.size
  }

  /** What stands, for a record of the machine; `resume` goes on from there. */
  image(): TimersImage<Owner> {
    const standing = [...this.#heap].filter(isStanding)
    return { sequence: this.#sequence, standing }
  }

  /** For new timers: the owners of these deadlines hold them already. */
  resume(image: TimersImage<Owner>): void {
    this.#sequence = image.sequence
    for (const deadline of image.standing) this.#heap.push(deadline)
  }

  /** Sets the deadline unless an earlier one stands already. */
  advance(owner: Owner, name: TimerName, atMs: number): void {
    const standing = owner.deadlines.get(name)
    if (standing === undefined || standing.atMs > atMs) this.set(owner, name, atMs)
  }

  clear(owner: Owner, name: TimerName): void {
    owner.deadlines.delete(name)
  }

  clearAll(owner: Owner): void {
    owner.deadlines.clear()
  }

  /** The earliest deadline, in monotonic milliseconds. */
  nextMs(): number | undefined {
    return this.#live()?.atMs
  }

  /** Takes the earliest deadline if it is due. */
  takeDue(nowMs: number): Deadline<Owner> | undefined {
    const deadline = this.#live()
    if (deadline === undefined || deadline.atMs > nowMs) return undefined
    this.#heap.pop()
    deadline.owner.deadlines.delete(deadline.name)
    return deadline
  }

  #live(): Deadline<Owner> | undefined {
    for (;;) {
      const deadline = this.#heap.peek()
      if (deadline === undefined) return undefined
      if (isStanding(deadline)) return deadline
      this.#heap.pop()
    }
  }
}

/** It has been neither moved nor cleared since. */
function isStanding(deadline: Deadline<TimerOwner>): boolean {
  return deadline.owner.deadlines.get(deadline.name) === deadline
}
