/**
 * The hash of a key by tabulation (Zobrist 1970; Pătraşcu and Thorup, "The Power of Simple Tabulation
 * Hashing", 2012): for each character a random word, picked by the character and its place, all of them
 * xor-ed. An attacker who does not know the words cannot make keys that collide, which would turn every
 * look-up into a walk over all of them.
 *
 * There are words for sixteen places. Before they are used again the hash so far is mixed, so that two
 * characters that swap places do not cancel out.
 */
import { createRng, type Rng } from '../../base/rng.ts'
import { sha256 } from '../../base/sha256.ts'

/**
 * 32 bits of equal quality, as a signed integer: of a text, or of the part of it from `from` to before `to`.
 */
export type KeyHash = (text: string, from?: number, to?: number) => number

const PLACES = 16
const LAST_PLACE = PLACES - 1
const CODE_BITS = 8

/** `rng`: its numbers must not be predictable from outside. 4096 are drawn, for 16 KiB of words. */
export function createKeyHash(rng: Pick<Rng, 'below'>): KeyHash {
  const words = new Int32Array(PLACES << CODE_BITS)
  for (let at = 0; at < words.length; at++) words[at] = rng.below(2 ** 32)
  return (text, from = 0, to = text.length) => {
    const length = to - from
    let hash = 0
    for (let at = 0; at < length; at++) {
      const place = at & LAST_PLACE
      if (place === 0 && at > 0) hash = mixed(hash)
      hash ^= words[(place << CODE_BITS) | text.charCodeAt(from + at)] as number
    }
    return mixed(hash)
  }
}

/**
 * `secret`: a text with 256 bits that no other process knows. Run ids give away the numbers of the
 * generator they come from, and so which keys would collide; no number of a generator that starts from a
 * hash of the secret is ever published.
 */
export function secretKeyHash(secret: string): KeyHash {
  return createKeyHash(createRng(sha256(`${secret}/key-hash`)))
}

/** A bijection in which every bit depends on every other (the finalizer of MurmurHash3). */
function mixed(hash: number): number {
  let value = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return value ^ (value >>> 16)
}
