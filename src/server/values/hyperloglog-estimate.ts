/**
 * From registers to a cardinality: the improved estimator of Otmar Ertl, "New cardinality estimation
 * algorithms for HyperLogLog sketches" (arXiv:1702.01284). The result is stored in the value, so it
 * must be the one Redis computes: the operations and their order are those of the paper.
 */

/** Bits of a hash that are no index. */
const RUN_BITS = 50
/** 1 / (2 ln 2), to the digits Redis uses. */
const ALPHA = 0.7213475204444817

export function cardinality(registers: Uint8Array): number {
  const m = registers.length
  const counts = histogram(registers)
  const at = (register: number) => counts[register] as number
  let z = m * tau((m - at(RUN_BITS + 1)) / m)
  for (let register = RUN_BITS; register >= 1; register--) z = 0.5 * (z + at(register))
  z += m * sigma(at(0) / m)
  return Math.round((ALPHA * m * m) / z)
}

/** How many registers have each value. */
function histogram(registers: Uint8Array): Uint32Array {
  const counts = new Uint32Array(64)
  for (const register of registers) counts[register] = (counts[register] as number) + 1
  return counts
}

/** The share of registers never touched, weighted. */
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

/** The share of registers that are not at their limit, weighted. */
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
