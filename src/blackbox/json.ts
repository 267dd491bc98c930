/**
 * JSON for events: a reply of another process may hold numbers that JSON has no literal for. They
 * are objects with one key that no event has.
 */
const BIG = '$big'
const ODD = '$odd'

export function jsonOf(value: unknown): string {
  return isOdd(value) ? JSON.stringify(value, (_key, one) => marked(one)) : JSON.stringify(value)
}

/** Only replies of arrays, numbers and maps can hold such a number. */
function isOdd(value: unknown): boolean {
  const { reply } = value as { readonly reply?: { readonly kind: string } }
  return reply !== undefined && !['simple', 'bulk', 'error'].includes(reply.kind)
}

function marked(value: unknown): unknown {
  if (typeof value === 'bigint') return { [BIG]: String(value) }
  const isOddNumber = typeof value === 'number' && !Number.isFinite(value)
  return isOddNumber ? { [ODD]: String(value) } : value
}

/** Undefined if it is no JSON. */
export function parsedValue(text: string): unknown {
  try {
    return JSON.parse(text, (_key, value) => unmarked(value))
  } catch {
    return undefined
  }
}

function unmarked(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (BIG in value && /^-?\d{1,40}$/.test(String(value[BIG]))) return BigInt(String(value[BIG]))
  return ODD in value ? Number(value[ODD]) : value
}
