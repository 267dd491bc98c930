/**
 * The text of a scenario and the place of everything in it, so that every problem can name its
 * line.
 */
import { isMap, isNode, isPair, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import type { Location, Problem } from '../../config/problem.ts'
import { findDeepLine, syntaxText, tooDeepAt } from '../../config/yml-document.ts'

export type Path = readonly PropertyKey[]

export interface ScenarioSource {
  readonly file: string
  readonly value: unknown
  readonly problems: readonly Problem[]
  /** The place of a value, or of the nearest thing around it that is in the file. */
  locate(path: Path): Location
}

export function readSource(text: string, file: string): ScenarioSource {
  const deepLine = findDeepLine(text)
  if (deepLine === undefined) return readShallowSource(text, file)
  const problem = tooDeepAt(file, deepLine)
  const place = { line: deepLine, column: 1 }
  const locate = (path: Path) => ({ ...place, path: textOf(path) })
  return { file, value: undefined, problems: [problem], locate }
}

function readShallowSource(text: string, file: string): ScenarioSource {
  const lines = new LineCounter()
  // Duplicate keys are found below: the parser would compare each key with all others.
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
  })
  const at = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
  const problems = [...document.errors, ...document.warnings].map(
    (error): Problem => ({
      severity: 'error',
      code: 'E_SYNTAX',
      file,
      ...at(error.pos[0]),
      path: '',
      message: syntaxText(error),
      hint: '',
    }),
  )
  for (const offset of duplicatesIn(document.contents)) {
    const message = 'Map keys must be unique'
    const place = { ...at(offset), path: '' }
    problems.push({ severity: 'error', code: 'E_SYNTAX', file, ...place, message, hint: '' })
  }
  const value = problems.length === 0 ? toValue(document, file) : { value: undefined, problems }
  return {
    file,
    ...value,
    locate: (path) => ({ ...at(offsetOf(document.contents, path)), path: textOf(path) }),
  }
}

/** The places of keys that their mapping contains already. The text is not nested deeply. */
function duplicatesIn(node: unknown): readonly number[] {
  if (isSeq(node)) return node.items.flatMap(duplicatesIn)
  if (!isMap(node)) return []
  const seen = new Set<unknown>()
  return node.items.flatMap(({ key, value }) => {
    const isAgain = isScalar(key) && seen.has(key.value)
    if (isScalar(key)) seen.add(key.value)
    return [...(isAgain ? [startOf(key)] : []), ...duplicatesIn(value)]
  })
}

type Value = Pick<ScenarioSource, 'value' | 'problems'>

/**
 * Aliases are resolved only here, so only here does it show that one leads nowhere, or without end.
 */
function toValue(document: ReturnType<typeof parseDocument>, file: string): Value {
  try {
    return { value: document.toJS(), problems: [] }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const problem = {
      severity: 'error',
      code: 'E_SYNTAX',
      file,
      path: '',
      message,
      hint: '',
    } as const
    return { value: undefined, problems: [problem] }
  }
}

/**
 * Follows the path as far as it goes. If the last part is a key of a mapping, this returns the
 * key's own place.
 */
function offsetOf(root: unknown, path: Path): number {
  let node = root
  let offset = startOf(root)
  for (const part of path) {
    const next = childOf(node, part)
    if (next === undefined) break
    offset = next.offset
    node = next.node
  }
  return offset
}

function childOf(node: unknown, part: PropertyKey): { node: unknown; offset: number } | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(part)]
    return item === undefined ? undefined : { node: item, offset: startOf(item) }
  }
  if (!isMap(node)) return undefined
  const pair = node.items.find((item) => isScalar(item.key) && item.key.value === part)
  if (!isPair(pair)) return undefined
  return { node: pair.value, offset: startOf(pair.key) }
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0
}

/** `timeline[2].kill` */
function textOf(path: Path): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '')
}
