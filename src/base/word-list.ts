/** `a`, `a and b`, `a, b and c`. */
export function wordList(names: readonly string[]): string {
  if (names.length <= 1) return names[0] ?? 'nobody'
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
