/**
 * The manifest: which files make up the append-only file, and in which order they are read. One line for
 * each: the base (the data as they were at one moment), the increments (commands since then), and old
 * files that are still there. The format is that of Redis 7.0, and so are the rules for damage: a
 * program that reads on after a line it does not understand would lose data silently.
 */
import { splitArgs } from '../../base/split-args.ts'

export interface ManifestFile {
  /** Without a folder. */
  readonly name: string
  /**
   * Ours begin with 1; a later base or increment has a greater number than every earlier one. Never
   * 0.
   */
  readonly seq: number
}

export interface Manifest {
  readonly base: ManifestFile | undefined
  /** Replaced by a later base: never loaded, to be deleted. */
  readonly history: readonly ManifestFile[]
  /** In the order in which they are read. */
  readonly increments: readonly ManifestFile[]
}

/** `line` counts from 1. */
export interface ManifestProblem {
  readonly line: number
  readonly reason: string
}

export const EMPTY_MANIFEST: Manifest = { base: undefined, history: [], increments: [] }

/** Including its line break. */
const MAX_LINE_BYTES = 1024
const MIN_WORDS = 6

export function parseManifest(text: string): Manifest | ManifestProblem {
  if (text === '') return { line: 1, reason: 'it is empty' }
  const builder = new Builder()
  let line = 0
  for (let at = 0; at < text.length; ) {
    line++
    const found = text.indexOf('\n', at)
    const end = found < 0 ? text.length : found
    const reason = lineProblem(text, at, found) ?? builder.add(text.slice(at, end))
    if (reason !== undefined) return { line, reason }
    at = end + 1
  }
  return builder.manifest
}

export function formatManifest({ base, history, increments }: Manifest): string {
  const lines = [
    ...(base === undefined ? [] : [lineOf(base, 'b')]),
    ...history.map((file) => lineOf(file, 'h')),
    ...increments.map((file) => lineOf(file, 'i')),
  ]
  return lines.join('')
}

/** Every file it names, including those that are not loaded. */
export function filesOf({ base, history, increments }: Manifest): ManifestFile[] {
  return [...(base === undefined ? [] : [base]), ...history, ...increments]
}

class Builder {
  #base: ManifestFile | undefined
  readonly #history: ManifestFile[] = []
  readonly #increments: ManifestFile[] = []

  get manifest(): Manifest {
    return { base: this.#base, history: this.#history, increments: this.#increments }
  }

  /** Undefined if the line was understood. */
  add(line: string): string | undefined {
    if (line.startsWith('#')) return undefined
    const words = splitArgs(line)
    if (words === undefined) return 'its quotes do not balance'
    if (words.length === 0) return 'it is blank'
    if (words.length < MIN_WORDS || words.length % 2 !== 0) return 'it has too few words'
    const pairs = pairsOf(words)
    const file = fileOf(pairs)
    return typeof file === 'string' ? file : this.#place(file, pairs.get('type'))
  }

  #place(file: ManifestFile, type: string | undefined): string | undefined {
    // Redis looks only at the first letter.
    switch (type?.[0]) {
      case 'b':
        if (this.#base !== undefined) return 'it names a second base'
        this.#base = file
        return undefined
      case 'h':
        this.#history.push(file)
        return undefined
      case 'i':
        if (file.seq <= (this.#increments.at(-1)?.seq ?? 0)) return 'its number does not increase'
        this.#increments.push(file)
        return undefined
      default:
        return 'it names no known type of file'
    }
  }
}

/** `end` is the position of its line break, or negative if it has none. */
function lineProblem(text: string, at: number, end: number): string | undefined {
  if ((end < 0 ? text.length : end) - at >= MAX_LINE_BYTES) return 'it is too long'
  if (end < 0 && text[at] !== '#') return 'it has no end'
  if (text.slice(at, end < 0 ? text.length : end).includes('\0')) return 'it has a zero byte'
  return undefined
}

/** If a word is given twice, the last one counts. */
function pairsOf(words: readonly string[]): Map<string, string> {
  const pairs = new Map<string, string>()
  for (let at = 0; at < words.length; at += 2) {
    pairs.set((words[at] as string).toLowerCase(), words[at + 1] as string)
  }
  return pairs
}

function fileOf(pairs: ReadonlyMap<string, string>): ManifestFile | string {
  const name = pairs.get('file') ?? ''
  if (name === '') return 'it names no file'
  if (/[/\\]/.test(name)) return 'it names a path where only the name of a file may be'
  const seq = leadingNumber(pairs.get('seq') ?? '')
  if (seq === 0 || !Number.isSafeInteger(seq)) return 'its number (seq) is not one from 1 on'
  return { name, seq }
}

/** As C's atoll, and so Redis, reads it: what follows the digits does not count, and no digits are 0. */
function leadingNumber(text: string): number {
  return Number(/^[ \t-\r]*([+-]?\d+)/.exec(text)?.[1] ?? 0)
}

function lineOf({ name, seq }: ManifestFile, type: 'b' | 'h' | 'i'): string {
  return `file ${quoted(name)} seq ${seq} type ${type}\n`
}

/** Unquoted if the name can be one word. */
function quoted(name: string): string {
  if (/^[\x21-\x7e]+$/.test(name) && !/["'\\]/.test(name)) return name
  return `"${name.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, escaped)}"`
}

/** Redis writes these control characters by letters, and all others by their numbers. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ '"': '"', '\\': '\\', '\n': 'n', '\r': 'r', '\t': 't', '\x07': 'a', '\b': 'b' },
}

function escaped(char: string): string {
  const letter = LETTERS[char]
  if (letter !== undefined) return `\\${letter}`
  return `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`
}
