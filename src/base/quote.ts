/** Writes words for a configuration line that read back as exactly the same byte string. */

/** In double quotes, as Redis writes them. */
export function quoted(word: string): string {
  const escaped = word.replace(/[\\"]|[^ -~]/g, (char) => ESCAPES[char] ?? `\\x${hex(char)}`)
  return `"${escaped}"`
}

/** In quotes only where needed. */
export function maybeQuoted(word: string): string {
  return isPlain(word) ? word : quoted(word)
}

/** Whether a word written without quotes stays one word and keeps its value. */
export function isPlain(word: string): boolean {
  return /^[^\0- "'\x7f]+$/.test(word)
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\x07': '\\a',
}

function hex(char: string): string {
  return char.charCodeAt(0).toString(16).padStart(2, '0')
}
