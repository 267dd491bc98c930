/**
 * YAML text into plain values, keeping where each of them stood, so that a problem found much later
 * can still point at its line. An option's address is its keys joined by dots.
 */
import {
  type Document,
  isMap,
  isNode,
  LineCounter,
  type Pair,
  parseDocument,
  type Range,
} from 'yaml'
import type { Location, Problem, ProblemCode } from './problem.ts'

export interface YmlDocument {
  /** Maps, lists and scalars; undefined when the text cannot be understood at all. */
  readonly root: unknown
  /** Of each value, by address; `''` is the whole document. */
  readonly values: ReadonlyMap<string, Location>
  /** Of each key, by address. */
  readonly keys: ReadonlyMap<string, Location>
  /** Syntax errors and keys that appear twice. */
  readonly problems: readonly Problem[]
}

/** Where the parser speaks to programmers. */
const MESSAGES: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'more than one document (---) in the file',
}

/** Never fails; `text` is ordinary text. */
export function readYml(text: string, file: string): YmlDocument {
  const deepLine = findDeepLine(text)
  return deepLine === undefined ? readShallowYml(text, file) : tooDeep(file, deepLine)
}

/** A configuration has four levels. The parser recurses, and what exhausts its stack ends the process. */
const MAX_DEPTH = 64

/**
 * The first line at which the text may be nested too deeply, judged from outside: by the brackets open
 * so far, but for those in comments and quotes, and by the blanks and marks a line begins with.
 */
function findDeepLine(text: string): number | undefined {
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

function tooDeep(file: string, line: number): YmlDocument {
  const place = { line, column: 1, path: '' }
  const problem = problemAt(file, 'E_SYNTAX', 'nested too deeply', place)
  return { root: undefined, values: new Map(), keys: new Map(), problems: [problem] }
}

function readShallowYml(text: string, file: string): YmlDocument {
  const counter = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: counter,
    prettyErrors: false,
    // Found below, with a better place.
    uniqueKeys: false,
    logLevel: 'error',
  })
  const problems: Problem[] = document.errors.map((error) => {
    const { line, col } = counter.linePos(error.pos[0])
    const message = MESSAGES[error.code] ?? error.message
    return problemAt(file, 'E_SYNTAX', message, { line, column: col, path: '' })
  })
  const root = problems.length === 0 ? toPlain(document, file, problems) : undefined
  const places = new Places(counter)
  places.visit(document.contents, [])
  for (const place of places.duplicates) {
    problems.push(problemAt(file, 'E_DUPLICATE', 'the same option twice', place))
  }
  return { root, values: places.values, keys: places.keys, problems }
}

/** Aliases may be unknown, or so many that the value would be a bomb: then there is no value. */
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
