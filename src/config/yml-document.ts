/**
 * YAML text into plain values, with the place of each, so that a problem found much later can still
 * point at its line. An option's address is its keys joined by dots.
 */
import {
  type Document,
  isMap,
  isNode,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  type Range,
} from 'yaml'
import type { Location, Problem, ProblemCode } from './problem.ts'

export interface YmlDocument {
  /** Maps, lists and scalars; undefined if the text cannot be parsed at all. */
  readonly root: unknown
  /** Where each value is, by address; `''` is the whole document. */
  readonly values: ReadonlyMap<string, Location>
  /** Where each key is, by address. */
  readonly keys: ReadonlyMap<string, Location>
  /** Syntax errors and keys that appear twice. */
  readonly problems: readonly Problem[]
}

/** Replaces messages of the parser that are written for programmers. */
const MESSAGES: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'more than one document (---) in the file',
}

/** What the parser found wrong, in words for whoever wrote the file. */
export function syntaxText({ code, message }: { code: string; message: string }): string {
  return MESSAGES[code] ?? message
}

/** Never throws; `text` is ordinary text. */
export function readYml(text: string, file: string): YmlDocument {
  const deepLine = findDeepLine(text)
  return deepLine === undefined ? readShallowYml(text, file) : tooDeep(file, deepLine)
}

/**
 * A configuration has four levels. The parser recurses, and input that exhausts its stack would end
 * the process.
 */
const MAX_DEPTH = 64

/**
 * The first line at which the text may be nested too deeply. An estimate that does not parse: it
 * counts the brackets open so far, except those in comments and quotes, and the blanks and marks at
 * the beginning of a line.
 */
export function findDeepLine(text: string): number | undefined {
  let open = 0
  const index = text.split('\n').findIndex((row) => {
    const line = row.replace(/^\s*#.*|"[^"]*"|'[^']*'/g, '')
    const opened = line.match(/[[{]/g)?.length ?? 0
    const closed = line.match(/[\]}]/g)?.length ?? 0
    const indent = /^[\s?:-]*/.exec(line)?.[0].length ?? 0
    const isDeep = open + opened > MAX_DEPTH || indent > 2 * MAX_DEPTH
    open = Math.max(0, open + opened - closed)
    return isDeep
  })
  return index < 0 ? undefined : index + 1
}

export function tooDeepAt(file: string, line: number): Problem {
  return problemAt(file, 'E_SYNTAX', 'nested too deeply', { line, column: 1, path: '' })
}

function tooDeep(file: string, line: number): YmlDocument {
  const problem = tooDeepAt(file, line)
  return { root: undefined, values: new Map(), keys: new Map(), problems: [problem] }
}

function readShallowYml(text: string, file: string): YmlDocument {
  const counter = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: counter,
    prettyErrors: false,
    // We find duplicate keys ourselves, with a better place.
    uniqueKeys: false,
    logLevel: 'error',
  })
  const problems: Problem[] = document.errors.map((error) => {
    const { line, col } = counter.linePos(error.pos[0])
    const problem = problemAt(file, 'E_SYNTAX', syntaxText(error), { line, column: col, path: '' })
    return { ...problem, hint: bracketsHint(text, line) }
  })
  const root = problems.length === 0 ? toPlain(document, file, problems) : undefined
  const places = new Places(counter)
  places.visit(document.contents, [])
  for (const place of places.duplicates) {
    problems.push(problemAt(file, 'E_DUPLICATE', 'the same option twice', place))
  }
  return { root, values: places.values, keys: places.keys, problems }
}

/** YAML begins a list at a bracket. */
function bracketsHint(text: string, line: number): string {
  const [, address] =
    /[ :,](\[[\da-f:.]*:[\da-f:.]*\]:\d+)/i.exec(text.split('\n')[line - 1] ?? '') ?? []
  return address === undefined ? '' : `in quotes: "${address}"`
}

/** Aliases may be unknown, or so many that the value would explode: then there is no value. */
function toPlain(document: Document, file: string, problems: Problem[]): unknown {
  try {
    return document.toJS() ?? {}
  } catch (error) {
    const place = { line: 1, column: 1, path: '' }
    const message = error instanceof Error ? error.message : String(error)
    problems.push(problemAt(file, 'E_SYNTAX', message, place))
    return undefined
  }
}

function problemAt(file: string, code: ProblemCode, message: string, at: Location): Problem {
  return { severity: 'error', code, file, ...at, message, hint: '' }
}

/** The address of an option. */
export function addressOf(path: readonly PropertyKey[]): string {
  return path.map(String).join('.')
}

class Places {
  readonly values = new Map<string, Location>()
  readonly keys = new Map<string, Location>()
  readonly duplicates: Location[] = []
  readonly #counter: LineCounter

  constructor(counter: LineCounter) {
    this.#counter = counter
  }

  visit(node: unknown, path: readonly string[]): void {
    if (!isNode(node)) return
    const address = addressOf(path)
    this.values.set(address, this.#locate(node.range, address))
    if (isSeq(node)) {
      for (const [at, item] of node.items.entries()) this.visit(item, [...path, String(at)])
    }
    if (!isMap(node)) return
    const seen = new Set<string>()
    for (const pair of node.items) this.#visitPair(pair, path, seen)
  }

  #visitPair(pair: Pair, path: readonly string[], seen: Set<string>): void {
    if (!isNode(pair.key)) return
    const key = String(pair.key)
    const address = addressOf([...path, key])
    const place = this.#locate(pair.key.range, address)
    if (seen.has(key)) this.duplicates.push(place)
    seen.add(key)
    this.keys.set(address, place)
    this.visit(pair.value, [...path, key])
  }

  #locate(range: Range | null | undefined, path: string): Location {
    const { line, col } = this.#counter.linePos(range?.[0] ?? 0)
    return { line, column: col, path }
  }
}
