/** Integers as the protocol writes them: no plus sign, no blanks, no leading zeros, 64 bits at most. */

const MAX_INT64 = 2n ** 63n - 1n
const MIN_INT64 = -(2n ** 63n)

/** Strict parse; undefined if `text` is no such integer. Exact: a bigint where a number would round. */
export function parseInt64(text: string): number | bigint | undefined {
  if (text.length > 20 || !/^(0|-?[1-9][0-9]*)$/.test(text)) return undefined
  const value = Number(text)
  if (Number.isSafeInteger(value)) return value
  const exact = BigInt(text)
  return exact >= MIN_INT64 && exact <= MAX_INT64 ? exact : undefined
}
