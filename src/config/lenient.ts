/** Numbers as C reads them: blanks, a sign, digits; what follows is ignored, and no digits are 0. */
export function lenientInteger(text: string): number {
  const match = /^[ \t\n\v\f\r]*([+-]?\d{1,19})/.exec(text)
  return match === null ? 0 : Number(match[1])
}

/** A port, or undefined when it is out of range. Not a number at all: 0, which never connects. */
export function lenientPort(text: string): number | undefined {
  const port = lenientInteger(text)
  return port >= 0 && port <= 65_535 ? port : undefined
}

/** Any case. */
export function yesOrNo(text: string): boolean | undefined {
  const word = text.toLowerCase()
  return word === 'yes' ? true : word === 'no' ? false : undefined
}
