/**
 * The text of a scenario and where in it things stand, so that every problem can name its line.
 */
import { isMap, isNode, isPair, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import type { Location, Problem } from '../../config/problem.ts'

export type Path = readonly PropertyKey[]

export interface Source {
  readonly file: string
  readonly value: unknown
  readonly problems: readonly Problem[]
  /** The place of a value, or of the nearest thing around it that is in the file. */
  locate(path: Path): Location
}

export function readSource(text: string, file: string): Source {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
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
      message: error.message,
      hint: '',
    }),
  )
  const value = problems.length === 0 ? toValue(document, file) : { value: undefined, problems }
  return {
    file,
    ...value,
    locate: (path) => ({ ...at(offsetOf(document.contents, path)), path: textOf(path) }),
  }
}

type Value = Pick<Source, 'value' | 'problems'>

/** Aliases are followed only now, so only now is it known that one leads nowhere, or without end. */
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

/** Follows the path as far as it goes. Where a key of a mapping is to blame, its own place is taken. */
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
