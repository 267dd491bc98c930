/**
 * Slips that a machine can think of, as edits of compiled text: a comparison turned, a condition dropped, a
 * constant moved, a statement left out. Each place gives a few; a run draws its sample from all of them.
 */
import { parse } from 'acorn'
import { fullAncestor } from 'acorn-walk'

const TURNED = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '&&': ['||'],
  '||': ['&&'],
  '??': [],
}

/**
 * All mutations of one compiled file: `{ operator, start, end, replace, line, code, was }`, by position;
 * `code` is the line on which the change begins. Code that only speaks to a programmer (assertions, errors
 * that are thrown) is left out: it is equivalent for users.
 */
export function mutationsOf(source) {
  const tree = parse(source, { ecmaVersion: 'latest', sourceType: 'module', locations: true })
  const lines = source.split('\n')
  const found = []
  fullAncestor(tree, (node, _state, ancestors) => {
    if (ancestors.some(isForProgrammers)) return
    for (const [operator, start, end, replace] of mutationsAt(node, source)) {
      const was = source.slice(start, end)
      const { line } = node.loc.start
      const code = lines[line - 1].trim()
      if (was !== replace) found.push({ operator, start, end, replace, line, code, was })
    }
  })
  return found.sort((a, b) => a.start - b.start || a.operator.localeCompare(b.operator))
}

export function applyMutation(source, { start, end, replace, was }) {
  if (source.slice(start, end) !== was) throw new Error(`another text stands at ${start}`)
  return source.slice(0, start) + replace + source.slice(end)
}

function mutationsAt(node, source) {
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
      return turned(node, source)
    case 'IfStatement':
    case 'ConditionalExpression':
      return dropped(node.test)
    case 'UnaryExpression':
      return node.operator === '!' ? [['condition', node.start, node.argument.start, '']] : []
    case 'Literal':
      return moved(node)
    case 'ExpressionStatement':
      return leftOut(node)
    default:
      return []
  }
}

function turned({ left, right, operator }, source) {
  const at = source.indexOf(operator, left.end)
  // Text that is put together is no arithmetic.
  if (operator === '+' && [left, right].some((side) => typeof side.value === 'string')) return []
  const [start, end] = [at, at + operator.length]
  return (TURNED[operator] ?? []).map((replace) => ['comparison', start, end, replace])
}

function dropped({ start, end }) {
  return [
    ['condition', start, end, 'true'],
    ['condition', start, end, 'false'],
  ]
}

/** Zero and one are mostly positions; larger numbers are bounds and times. */
function moved({ value, start, end }) {
  if (typeof value === 'boolean') return [['constant', start, end, String(!value)]]
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return []
  const changes = value > 1 ? [value + 1, value * 10] : [value + 1]
  return changes.map((change) => ['constant', start, end, String(change)])
}

function leftOut({ expression, start, end }) {
  const isAct = ['CallExpression', 'AssignmentExpression', 'UpdateExpression'].includes(
    expression.type,
  )
  return isAct ? [['statement', start, end, ';']] : []
}

function isForProgrammers(node) {
  if (node.type === 'ThrowStatement' || node.type === 'ImportDeclaration') return true
  const name = node.type === 'CallExpression' ? node.callee.name : undefined
  return name === 'assert' || name === 'unreachable'
}
