/**
 * Names and the moments at which their time is over: the fields of a hash that expire by themselves, and the hashes
 * of a database that have such fields. A heap tells what is due next. It is not searched when a moment changes: what
 * is out of date stays in it and is passed over when its turn comes, or left out when there is more of it than of the rest.
 */
import { Heap } from '../../base/heap.ts'
import {
  arrayBytes,
  BOXED_BYTES,
  grownCapacity,
  mapBytes,
  objectBytes,
  textBytes,
} from './engine-sizes.ts'

interface Deadline {
  readonly name: string
  /** Wall-clock milliseconds. */
  readonly atMs: number
}

/** What is out of date in the heap may be as much as the rest, and so much more. */
const SPARE = 64

/** The object itself, its heap, and its place in the hash it belongs to. */
const OWN_BYTES = objectBytes(5) + objectBytes(2) + objectBytes(3)
const DEADLINE_BYTES = objectBytes(2)

const isSooner = (a: Deadline, b: Deadline) =>
  a.atMs < b.atMs || (a.atMs === b.atMs && a.name < b.name)

export class Deadlines {
  readonly #atMs = new Map<string, number>()
  #heap = new Heap(isSooner)
  #nameBytes = 0
  /** What the names that changed since `keep` had then. */
  #kept: Map<string, number | undefined> | undefined

  get size(): number {
    return this.#atMs.size
  }

  get heapBytes(): number {
    const { size } = this.#atMs
    const { size: waiting } = this.#heap
    const heapBytes = arrayBytes(grownCapacity(waiting)) + DEADLINE_BYTES * waiting
    return OWN_BYTES + mapBytes(size) + this.#nameBytes + BOXED_BYTES * size + heapBytes
  }

  /** Wall-clock milliseconds; undefined: it does not expire. */
  get(name: string): number | undefined {
    return this.#atMs.get(name)
  }

  /** In no particular order. */
  [Symbol.iterator](): IterableIterator<[name: string, atMs: number]> {
    return this.#atMs.entries()
  }

  set(name: string, atMs: number): void {
    const old = this.#atMs.get(name)
    if (old === atMs) return
    this.#note(name, old)
    if (old === undefined) this.#nameBytes += textBytes(name.length)
    this.#atMs.set(name, atMs)
    this.#heap.push({ name, atMs })
    if (this.#heap.size > 2 * this.size + SPARE) this.#tidy()
  }

  /** Returns whether it had one. */
  delete(name: string): boolean {
    const old = this.#atMs.get(name)
    if (old === undefined) return false
    this.#note(name, old)
    this.#nameBytes -= textBytes(name.length)
    return this.#atMs.delete(name)
  }

  /** What is over first; undefined: nothing expires. */
  soonest(): Deadline | undefined {
    for (let next = this.#heap.peek(); next !== undefined; next = this.#heap.peek()) {
      if (this.#atMs.get(next.name) === next.atMs) return next
      this.#heap.pop()
    }
    return undefined
  }

  isDue(nowMs: number): boolean {
    const next = this.soonest()
    return next !== undefined && next.atMs < nowMs
  }

  /** Removes up to `most` of what is over, and returns it in order. */
  takeDue(nowMs: number, most: number): string[] {
    const due: string[] = []
    while (due.length < most) {
      const next = this.soonest()
      if (next === undefined || next.atMs >= nowMs) break
      this.delete(next.name)
      due.push(next.name)
    }
    return due
  }

  copy(): Deadlines {
    const copy = new Deadlines()
    for (const [name, atMs] of this.#atMs) copy.set(name, atMs)
    return copy
  }

  /** From now on `kept` tells what is there now. One reader at a time. */
  keep(): void {
    this.#kept = new Map()
  }

  kept(name: string): number | undefined {
    return this.#kept?.has(name) === true ? this.#kept.get(name) : this.#atMs.get(name)
  }

  letGo(): void {
    this.#kept = undefined
  }

  #note(name: string, old: number | undefined): void {
    if (this.#kept?.has(name) === false) this.#kept.set(name, old)
  }

  #tidy(): void {
    this.#heap = new Heap(isSooner)
    for (const [name, atMs] of this.#atMs) this.#heap.push({ name, atMs })
  }
}
