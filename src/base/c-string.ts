/** A text as C reads it: up to the first NUL. */
export function cString(text: string): string {
  const end = text.indexOf('\0')
  return end < 0 ? text : text.slice(0, end)
}
