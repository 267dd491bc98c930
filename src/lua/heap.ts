/**
 * How much memory a script may keep. Garbage cannot be seen from here, so what scripts allocate is
 * added up, and when it comes to as much as may be kept, `measure` walks what they still reach. So
 * the cost of looking is in proportion to what is allocated, and what is kept stays within the limit
 * plus one such stretch.
 */

/** Allocations below this are too small to be worth a look. */
const MIN_STRETCH_BYTES = 8 * 1024 * 1024
const ADDRESS_STEP = 32
/** Addresses look like those of a process. */
const FIRST_ADDRESS = 0x5500_0000_0000

export function addressOf(serial: number): number {
  return FIRST_ADDRESS + serial * ADDRESS_STEP
}

/** Thrown when a script would keep more than it may; it becomes an error of the script. */
export class OutOfMemory extends Error {}

export class LuaHeap {
  readonly limitBytes: number
  /** The bytes that everything in reach takes. */
  measure: () => number = () => 0
  #serial = 0
  #liveBytes = 0
  #allocatedBytes = 0
  #stretchBytes: number

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes
    this.#stretchBytes = this.#nextStretch()
  }

  /** The number of a new object. */
  newSerial(): number {
    this.#serial++
    return this.#serial
  }

  /** What was kept at the last look, and all that was allocated since. */
  get usedBytes(): number {
    return this.#liveBytes + this.#allocatedBytes
  }

  /** Says before it happens that so much will be allocated. */
  charge(bytes: number): void {
    this.#allocatedBytes += bytes
    if (this.#allocatedBytes >= this.#stretchBytes) this.#look(bytes)
  }

  /** Looks now, as a collection of garbage would. */
  collect(): void {
    this.#liveBytes = this.measure()
    this.#allocatedBytes = 0
    this.#stretchBytes = this.#nextStretch()
  }

  #look(coming: number): void {
    if (coming > this.limitBytes) {
      this.#allocatedBytes -= coming
      throw new OutOfMemory()
    }
    this.collect()
    if (this.#liveBytes + coming > this.limitBytes) throw new OutOfMemory()
    this.#allocatedBytes = coming
  }

  /** In proportion to what is kept, so that looking never costs more than allocating. */
  #nextStretch(): number {
    const left = (this.limitBytes - this.#liveBytes) / 2
    const least = Math.min(MIN_STRETCH_BYTES, this.limitBytes / 4)
    return Math.max(left, least, this.#liveBytes / 4)
  }
}
