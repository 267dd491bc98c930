/**
 * What things take on the engine's heap, by how the engine lays them out on a machine of 64 bits. All
 * numbers are checked by `npm run bench:memory`, which fills each type and looks at the real heap.
 */

/** The header of an object and its place in a container. */
const HEADER_BYTES = 24
const WORD = 8
/** An array is an object that points at its elements, which have a header of their own. */
const ARRAY_BYTES = 32 + 2 * WORD
/** A Map or a Set is an object that points at a table with a header and three counts. */
const TABLE_BYTES = 32 + 5 * WORD
const MIN_TABLE = 4
/** A fraction, or a whole number of more than 31 bits, is an object. */
export const BOXED_BYTES = 16

const TEXT_BYTES = 16

/** A text that stands for itself, as it was cut out of a request, an RDB payload or a file. */
export function textBytes(length: number): number {
  // The engine has one copy of each text of a single character.
  return length < 2 ? 0 : TEXT_BYTES + words(length)
}

/** An object with so many fields, some of which may be texts or objects that are counted by themselves. */
export function objectBytes(fields: number): number {
  return HEADER_BYTES + WORD * fields
}

/** An array with room for so many elements. */
export function arrayBytes(capacity: number): number {
  return ARRAY_BYTES + WORD * capacity
}

/** How much room an array has that grew to `length` by itself. */
export function grownCapacity(length: number): number {
  let capacity = 0
  while (capacity < length) capacity += (capacity >> 1) + 16 + (capacity === 0 ? 1 : 0)
  return capacity
}

/** A Map: each entry has a key, a value and a link, and each two entries a place to begin. */
export function mapBytes(size: number): number {
  return TABLE_BYTES + 3.5 * WORD * tableCapacity(size)
}

export function setBytes(size: number): number {
  return TABLE_BYTES + 2.5 * WORD * tableCapacity(size)
}

/** Beyond the pointer to it, if the engine does not keep the number in the pointer's place. */
export function numberBytes(value: number): number {
  return value === (value | 0) && !Object.is(value, -0) ? 0 : BOXED_BYTES
}

function tableCapacity(size: number): number {
  return size <= MIN_TABLE ? MIN_TABLE : 2 ** (32 - Math.clz32(size - 1))
}

/** In whole words. */
function words(bytes: number): number {
  return (bytes + WORD - 1) & -WORD
}
