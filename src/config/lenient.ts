/**
 * Numbers as C reads them: blanks, a sign, digits; the rest is ignored, and a text without digits
 * is 0.
 */
export function lenientInteger(text: string): number {
  const match = /^[ \t\n\v\f\r]*([+-]?\d{1,19})/.exec(text)
  return match === null ? 0 : Number(match[1])
}

/**
 * A port, or undefined if it is out of range. A text that is no number gives 0, a port to which no
 * connection succeeds.
 */
export function lenientPort(text: string): number | undefined {
  const port = lenientInteger(text)
  return port >= 0 && port <= 65_535 ? port : undefined
}

/** Understands `yes` and `no` in upper or lower case. */
export function yesOrNo(text: string): boolean | undefined {
  const word = text.toLowerCase()
  return word === 'yes' ? true : word === 'no' ? false : undefined
}
