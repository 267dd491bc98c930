/**
 * Damages bytes the way disks, networks and enemies do: flipped bits, changed and inserted bytes, parts
 * cut out, doubled or moved, and lengths that promise too much. Several at once, often near each other,
 * because the first damage tends to decide what is read after it.
 */
import type { Rng } from '../../src/base/rng.ts'

/** Bytes that begin a length, an opcode, or mark an end: these mislead a parser the most. */
const TELLING_BYTES = [0, 1, 0x3f, 0x40, 0x7f, 0x80, 0x81, 0xc0, 0xc2, 0xc3, 0xfe, 0xff]
const MAX_CHANGES = 4
const MAX_PART_BYTES = 64

export function mutateBytes(bytes: string, rng: Rng): string {
  let mutated = bytes
  for (let left = 1 + rng.below(MAX_CHANGES); left > 0; left--) mutated = mutate(mutated, rng)
  return mutated
}

function mutate(bytes: string, rng: Rng): string {
  const at = rng.below(bytes.length + 1)
  const part = bytes.slice(at, at + 1 + rng.below(MAX_PART_BYTES))
  const [before, after] = [bytes.slice(0, at), bytes.slice(at + part.length)]
  switch (rng.below(8)) {
    case 0:
      return before + flipped(part, rng) + after
    case 1:
      return before + telling(rng) + bytes.slice(at + 1)
    case 2:
      return before + telling(rng) + bytes.slice(at)
    case 3:
      return before + after
    case 4:
      return before + part + part + after
    case 5:
      return before + hugeLength(rng) + bytes.slice(at + 1)
    case 6:
      return before
    default: {
      const to = rng.below(bytes.length + 1)
      return bytes.slice(0, to) + part + bytes.slice(to)
    }
  }
}

function flipped(part: string, rng: Rng): string {
  if (part === '') return part
  const at = rng.below(part.length)
  const byte = String.fromCharCode(part.charCodeAt(at) ^ (1 << rng.below(8)))
  return part.slice(0, at) + byte + part.slice(at + 1)
}

function telling(rng: Rng): string {
  return String.fromCharCode(TELLING_BYTES[rng.below(TELLING_BYTES.length)] ?? rng.below(256))
}

/** As RDB writes lengths of 32 and 64 bits. */
function hugeLength(rng: Rng): string {
  const bytes = Array.from({ length: 8 }, () => String.fromCharCode(rng.below(256))).join('')
  return rng.chance(1, 2) ? `\x80${bytes.slice(0, 4)}` : `\x81${bytes}`
}

/** Swaps two pieces. */
export function swapParts(bytes: string, rng: Rng): string {
  const cuts = Array.from({ length: 4 }, () => rng.below(bytes.length + 1)).sort((a, b) => a - b)
  const [a, b, c, d] = cuts as [number, number, number, number]
  return (
    bytes.slice(0, a) + bytes.slice(c, d) + bytes.slice(b, c) + bytes.slice(a, b) + bytes.slice(d)
  )
}

/** Changes a few bytes without moving any: what is misread is a value, not the frame around it. */
export function changeBytes(bytes: string, rng: Rng): string {
  let changed = bytes
  for (let left = 1 + rng.below(3); left > 0; left--) {
    const at = rng.below(changed.length)
    const byte = rng.chance(1, 2) ? flipped(changed.charAt(at), rng) : telling(rng)
    changed = changed.slice(0, at) + byte + changed.slice(at + 1)
  }
  return changed
}

const HUGE_NUMBERS = ['536870912', '536870913', '2147483647', '4294967296', '9223372036854775807']
const ODD_NUMBERS = ['-1', '0', '00', '1e9', '+1', ' 1', '', '99999999999999999999999']

/** For text protocols: changes a number that follows a type byte. */
export function changeNumber(bytes: string, rng: Rng): string {
  const numbers = [...bytes.matchAll(/(?<=[*$:])\d+(?=\r\n)/g)]
  if (numbers.length === 0) return bytes
  const { 0: old, index } = rng.pick(numbers)
  const near = String(Math.max(0, Number(old) + rng.below(5) - 2))
  const text = rng.pick([near, rng.pick(HUGE_NUMBERS), rng.pick(ODD_NUMBERS)])
  return bytes.slice(0, index) + text + bytes.slice(index + old.length)
}
