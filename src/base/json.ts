/** JSON that came from outside, and JSON as a byte string. */

/** Undefined if the text is no JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The same JSON as a byte string: what is no byte is escaped. */
export function byteJson(json: string): string {
  return json.replace(
    /[\u0100-\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
