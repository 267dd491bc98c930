/** Words of a configuration line that read back as exactly the byte string they were made from. */

/** In double quotes, as Redis writes them. */
export function quoted(word: string): string {
  const escaped = word.replace(/[\\"]|[^ -~]/g, (char) => ESCAPES[char] ?? `\\x${hex(char)}`)
  return `"${escaped}"`
}

/** In quotes only where they are needed. */
export function maybeQuoted(word: string): string {
  return isPlain(word) ? word : quoted(word)
}

/** Whether a word stays one word, and itself, when it is written without quotes. */
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
