/**
 * The quoting of inline commands and of configuration lines, which are the same: words separated by
 * blanks; "double quotes" with \n \r \t \b \a \xHH and \anything; 'single quotes' with \' only.
 * A quote may open inside a word, but after it closes the word must end.
 */

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  a: '\x07',
}

/** Splits a line into words; undefined when its quotes do not balance. */
export function splitArgs(line: string): string[] | undefined {
  const words: string[] = []
  let at = skipBlanks(line, 0)
  while (at < line.length) {
    const end = readWord(line, at, words)
    if (end === undefined) return undefined
    at = skipBlanks(line, end)
  }
  return words
}

/** Appends the word that starts at `from`, and returns the index after it. */
function readWord(line: string, from: number, words: string[]): number | undefined {
  const parts: string[] = []
  let at = from
  while (at < line.length && !isWordEnd(line.charCodeAt(at))) {
    const quote = line[at]
    if (quote === '"' || quote === "'") {
      const end = readQuoted(line, at, parts)
      if (end === undefined) return undefined
      at = end
      break
    }
    const start = at
    while (at < line.length && !isWordEnd(line.charCodeAt(at)) && !isQuote(line[at])) at++
    parts.push(line.slice(start, at))
  }
  words.push(parts.join(''))
  return at
}

/** `from` is the opening quote. Undefined if it is never closed, or closed in the middle of a word. */
function readQuoted(line: string, from: number, parts: string[]): number | undefined {
  const quote = line[from]
  let at = from + 1
  while (at < line.length && line[at] !== quote) {
    at += quote === '"' ? readEscapable(line, at, parts) : readLiteral(line, at, parts)
  }
  const after = at + 1
  if (at >= line.length) return undefined
  return after === line.length || isBlank(line.charCodeAt(after)) ? after : undefined
}

/** Reads one character of a double-quoted part; returns how many characters of the line it took. */
function readEscapable(line: string, at: number, parts: string[]): number {
  const next = line[at + 1]
  if (line[at] !== '\\' || next === undefined) {
    parts.push(line[at] ?? '')
    return 1
  }
  const hex = line.slice(at + 2, at + 4)
  if (next === 'x' && /^[0-9a-fA-F]{2}$/.test(hex)) {
    parts.push(String.fromCharCode(Number.parseInt(hex, 16)))
    return 4
  }
  parts.push(ESCAPES[next] ?? next)
  return 2
}

/** Reads one character of a single-quoted part; returns how many characters of the line it took. */
function readLiteral(line: string, at: number, parts: string[]): number {
  const isEscapedQuote = line[at] === '\\' && line[at + 1] === "'"
  parts.push(isEscapedQuote ? "'" : (line[at] ?? ''))
  return isEscapedQuote ? 2 : 1
}

function isQuote(char: string | undefined): boolean {
  return char === '"' || char === "'"
}

/** Vertical tab and form feed separate words, but do not end one, as in Redis. */
function isWordEnd(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 13
}

/** C's isspace. */
function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13)
}

function skipBlanks(line: string, from: number): number {
  let at = from
  while (at < line.length && isBlank(line.charCodeAt(at))) at++
  return at
}
