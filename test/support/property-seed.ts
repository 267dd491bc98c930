/** The seed of all property tests: fixed, unless VEDETTE_PROPERTY_SEED gives another. */
const VARIABLE = 'VEDETTE_PROPERTY_SEED'
const FIXED_SEED = 20_230_901

/** Throws if the variable is not an integer: a run with another seed than requested proves nothing. */
export function propertySeed(): number {
  const text = process.env[VARIABLE]
  if (text === undefined) return FIXED_SEED
  const seed = Number(text)
  if (text === '' || !Number.isInteger(seed)) throw new Error(`${VARIABLE}=${text} is no integer`)
  return seed
}
