/**
 * Redis' glob patterns: `*` any run of bytes, `?` any byte, `[abc]` `[a-z]` `[^a]` one of a set, `\x`
 * the byte x itself. A set that is never closed ends with the pattern.
 *
 * Backtracking returns only to the last `*`: whatever an earlier one could retry, the last one can
 * retry as well. So the cost is at most the product of both lengths, and no pattern can be used as an
 * attack.
 */
export interface GlobOptions {
  /** ASCII letters match in either case. */
  readonly nocase?: boolean
}

/** Whether all of `text` matches. */
export function matchesGlob(pattern: string, text: string, options: GlobOptions = {}): boolean {
  return options.nocase === true
    ? matches(lowerCase(pattern), lowerCase(text))
    : matches(pattern, text)
}

function matches(pattern: string, text: string): boolean {
  let at = 0
  let from = 0
  let afterStar = -1
  let retryFrom = 0
  while (from < text.length) {
    if (pattern[at] === '*') {
      at++
      afterStar = at
      retryFrom = from
      continue
    }
    const next = matchOne(pattern, at, text.charCodeAt(from))
    if (next > 0) {
      at = next
      from++
    } else {
      if (afterStar < 0) return false
      at = afterStar
      from = ++retryFrom
    }
  }
  while (pattern[at] === '*') at++
  return at >= pattern.length
}

/** The index after the pattern element at `at` if it matches the byte, else 0. */
function matchOne(pattern: string, at: number, code: number): number {
  switch (pattern[at]) {
    case undefined:
      return 0
    case '?':
      return at + 1
    case '[':
      return matchSet(pattern, at + 1, code)
    case '\\':
      if (at + 1 < pattern.length) return pattern.charCodeAt(at + 1) === code ? at + 2 : 0
      return code === BACKSLASH ? at + 1 : 0
    default:
      return pattern.charCodeAt(at) === code ? at + 1 : 0
  }
}

/** `from` is the index after the bracket. */
function matchSet(pattern: string, from: number, code: number): number {
  const isNegated = pattern[from] === '^'
  let at = isNegated ? from + 1 : from
  let isMember = false
  while (at < pattern.length && pattern[at] !== ']') {
    const element = readSetElement(pattern, at)
    if (code >= element.low && code <= element.high) isMember = true
    at = element.end
  }
  return isMember === isNegated ? 0 : Math.min(at + 1, pattern.length)
}

/** One byte, an escaped byte or a range (in either order) inside a set. */
function readSetElement(
  pattern: string,
  at: number,
): { readonly low: number; readonly high: number; readonly end: number } {
  const first = pattern.charCodeAt(at)
  if (first === BACKSLASH && at + 1 < pattern.length) {
    const escaped = pattern.charCodeAt(at + 1)
    return { low: escaped, high: escaped, end: at + 2 }
  }
  if (pattern[at + 1] !== '-' || at + 2 >= pattern.length) {
    return { low: first, high: first, end: at + 1 }
  }
  const last = pattern.charCodeAt(at + 2)
  return { low: Math.min(first, last), high: Math.max(first, last), end: at + 3 }
}

const BACKSLASH = 92

/** ASCII only: `toLowerCase` would change bytes above 127 as well. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
