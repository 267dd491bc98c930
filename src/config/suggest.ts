/** "Did you mean": the known word closest to a mistyped one. */

/** For the first word of a line of a .conf that is no directive. */
export function directiveHint(word: string, known: readonly string[]): string {
  if (word.endsWith(':')) return LINE_OF_YML
  return didYouMean(word, known) || NO_SUCH_DIRECTIVE
}

const NO_SUCH_DIRECTIVE = 'no directive has this name: take it out'
const LINE_OF_YML =
  'no directive ends in a colon; if this is a sentinel.yml, its name must end in .yml or .yaml'

/** A hint, or an empty text if no known word is close, or the word is known and in the wrong place. */
export function didYouMean(word: string, known: readonly string[]): string {
  if (known.includes(word)) return ''
  const nearest = nearestWord(word.toLowerCase(), known)
  return nearest === undefined ? '' : `did you mean ${nearest}?`
}

function nearestWord(word: string, known: readonly string[]): string | undefined {
  const typed = word.slice(0, MAX_LENGTH)
  let best: { readonly word: string; readonly distance: number } | undefined
  for (const candidate of known) {
    const distance = editDistance(typed, candidate)
    // A third of the letters may be wrong: beyond that a guess confuses more than it helps.
    const isNear = distance <= Math.max(1, Math.floor(candidate.length / 3))
    if (isNear && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) {
      best = { word: candidate, distance }
    }
  }
  return best?.word ?? known.find((candidate) => isLongPrefix(candidate, typed))
}

/** The cost grows with the length of the mistyped word, which can be anything. */
const MAX_LENGTH = 64

/** `down-after` for `down-after-milliseconds`, but not `port` for `p`. */
function isLongPrefix(candidate: string, word: string): boolean {
  const [short, long] = candidate.length < word.length ? [candidate, word] : [word, candidate]
  return short.length >= 4 && long.startsWith(short)
}

/** Counts insertions, deletions, substitutions and swaps of two neighbouring letters. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substituted = at(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwap ? at(before, j - 2) + 1 : substituted
      next.push(Math.min(substituted, swapped, at(row, j) + 1, at(next, j - 1) + 1))
    }
    before = row
    row = next
  }
  return at(row, b.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 0
}
