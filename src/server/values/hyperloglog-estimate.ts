/**
 * From registers to a cardinality: the improved estimator of Otmar Ertl, "New cardinality estimation
 * algorithms for HyperLogLog sketches" (arXiv:1702.01284). The result is stored in the value, so it
 * must be the one Redis computes: the operations and their order are those of the paper.
 */

/** The bits of a hash that are not part of the index. */
const RUN_BITS = 50
/** 1 / (2 ln 2), to the digits Redis uses. */
const ALPHA = 0.7213475204444817
/** Forged registers can lead to an estimate beyond 64 bits, or to an infinite one. */
const TOO_MANY = 2 ** 63
/** What Redis makes of that: the conversion from a floating number overflows. */
const OVERFLOWN = -(2 ** 63)

/** A whole number, not always a safe one. */
export function cardinality(registers: Uint8Array): number {
  const m = registers.length
  const counts = histogram(registers)
  const at = (register: number) => counts[register] as number
  let z = m * tau((m - at(RUN_BITS + 1)) / m)
  for (let register = RUN_BITS; register >= 1; register--) z = 0.5 * (z + at(register))
  z += m * sigma(at(0) / m)
  const estimate = Math.round((ALPHA * m * m) / z)
  return estimate < TOO_MANY ? estimate : OVERFLOWN
}

/** How many registers have each value. */
function histogram(registers: Uint8Array): Uint32Array {
  const counts = new Uint32Array(64)
  for (let index = 0; index < registers.length; index++) {
    const register = registers[index] as number
    counts[register] = (counts[register] as number) + 1
  }
  return counts
}

/** The weighted share of registers that were never touched. */
function sigma(share: number): number {
  if (share === 1) return Number.POSITIVE_INFINITY
  let x = share
  let y = 1
  let z = x
  for (;;) {
    x *= x
    const before = z
    z += x * y
    if (z === before) return z
    y += y
  }
}

/** The weighted share of registers that are not at their limit. */
function tau(share: number): number {
  if (share === 0 || share === 1) return 0
  let x = share
  let y = 1
  let z = 1 - x
  for (;;) {
    x = Math.sqrt(x)
    const before = z
    y *= 0.5
    z -= (1 - x) * (1 - x) * y
    if (z === before) return z / 3
  }
}
