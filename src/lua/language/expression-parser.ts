/**
 * Expressions: the precedence of operators, calls, tables and the bodies of functions. The line of a
 * node is taken when Lua 5.1 would emit its instruction.
 */
import { FunctionScope } from './scope.ts'
import { TokenReader } from './token-reader.ts'
import type {
  BinaryOperator,
  CallNode,
  Expression,
  FunctionNode,
  LocalVariable,
  StatementList,
  TableItem,
} from './tree.ts'

/** How strongly operators bind to the left and to the right. */
const PRIORITY: Record<string, readonly [left: number, right: number]> = {
  or: [1, 1],
  and: [2, 2],
  '<': [3, 3],
  '>': [3, 3],
  '<=': [3, 3],
  '>=': [3, 3],
  '~=': [3, 3],
  '==': [3, 3],
  '..': [5, 4],
  '+': [6, 6],
  '-': [6, 6],
  '*': [7, 7],
  '/': [7, 7],
  '%': [7, 7],
  '^': [10, 9],
}
const UNARY_PRIORITY = 8

export abstract class ExpressionParser extends TokenReader {
  protected scope: FunctionScope

  constructor(text: string, chunkName: string) {
    super(text, chunkName)
    this.scope = new FunctionScope(undefined, 0, (message) => this.lexer.fail(message))
  }

  protected abstract block(): StatementList

  protected expressions(): Expression[] {
    const list = [this.expression()]
    while (this.take(',')) {
      this.discharged(list.at(-1) as Expression)
      list.push(this.expression())
    }
    return list
  }

  /** Only now would the value be read. */
  protected discharged(expression: Expression): Expression {
    if (expression.kind === 'index' || expression.kind === 'global') expression.line = this.lastLine
    return expression
  }

  protected expression(limit = 0): Expression {
    return this.deeper(() => {
      let left = this.operand()
      for (;;) {
        const operator = this.token.text
        const priority = this.token.kind === 'symbol' ? PRIORITY[operator] : undefined
        if (priority === undefined || priority[0] <= limit) return left
        this.next()
        this.discharged(left)
        const right = this.expression(priority[1])
        left = this.combine(operator, left, this.discharged(right))
      }
    })
  }

  protected combine(operator: string, left: Expression, right: Expression): Expression {
    if (operator === 'and' || operator === 'or') return { kind: operator, left, right }
    const line = this.lastLine
    const folded = folding(operator, left, right)
    return folded ?? { kind: 'binary', operator: operator as BinaryOperator, left, right, line }
  }

  protected operand(): Expression {
    const isSymbol = this.token.kind === 'symbol'
    const operator = this.token.text
    if (!isSymbol || (operator !== '-' && operator !== 'not' && operator !== '#'))
      return this.simple()
    this.next()
    const operand = this.discharged(this.expression(UNARY_PRIORITY))
    if (operator === '-' && operand.kind === 'number' && !Number.isNaN(operand.value)) {
      return { kind: 'number', value: -operand.value }
    }
    return { kind: 'unary', operator, operand, line: this.lastLine }
  }

  protected simple(): Expression {
    const { kind, text, value } = this.token
    if (kind === 'number') return this.constant({ kind, value })
    if (kind === 'string') return this.constant({ kind, value: text })
    if (kind !== 'symbol') return this.suffixed()
    switch (text) {
      case 'nil':
      case 'true':
      case 'false':
        return this.constant({ kind: text })
      case '...':
        if (!this.scope.isVararg) this.fail("cannot use '...' outside a vararg function")
        this.next()
        this.scope.usesVararg = true
        return { kind: 'vararg' }
      case '{':
        return this.table()
      case 'function': {
        const line = this.line
        this.next()
        return functionOf(this.body(false, line), this.lastLine)
      }
      default:
        return this.suffixed()
    }
  }

  protected constant(expression: Expression): Expression {
    this.next()
    return expression
  }

  protected variable(name: string): Expression {
    const found = this.scope.find(name)
    if (found === undefined) return { kind: 'global', name, line: this.lastLine }
    if (found.kind === 'local') return found
    return { kind: 'upvalue', index: found.index, name }
  }

  protected primary(): Expression {
    if (this.token.kind === 'name') return this.variable(this.name())
    const line = this.line
    if (!this.take('(')) return this.fail('unexpected symbol')
    const inner = this.expression()
    this.close(')', '(', line)
    this.discharged(inner)
    return { kind: 'parentheses', inner }
  }

  /** A name or parentheses, and the fields, indexes and calls that follow. */
  protected suffixed(): Expression {
    let expression = this.primary()
    for (;;) {
      if (this.is('.')) expression = this.field(expression)
      else if (this.is('[')) expression = this.indexed(expression)
      else if (this.is(':')) expression = this.methodCall(expression)
      else if (this.isArgument()) expression = this.call(this.discharged(expression), undefined, 0)
      else return expression
    }
  }

  protected isArgument(): boolean {
    return this.token.kind === 'string' || this.is('(') || this.is('{')
  }

  protected field(object: Expression): Expression {
    this.discharged(object)
    this.next()
    const key: Expression = { kind: 'string', value: this.name() }
    return { kind: 'index', object, key, line: this.lastLine }
  }

  protected indexed(object: Expression): Expression {
    this.discharged(object)
    this.next()
    const key = this.discharged(this.expression())
    this.must(']')
    return { kind: 'index', object, key, line: this.lastLine }
  }

  protected methodCall(object: Expression): Expression {
    this.next()
    const name = this.name()
    this.discharged(object)
    const line = this.lastLine
    if (!this.isArgument()) this.fail('function arguments expected')
    return this.call(object, name, line)
  }

  protected call(callee: Expression, method: string | undefined, methodLine: number): CallNode {
    const line = this.line
    return { kind: 'call', callee, method, methodLine, args: this.arguments(line), line }
  }

  protected arguments(line: number): Expression[] {
    const { kind, text } = this.token
    if (kind === 'string') return [this.constant({ kind, value: text })]
    if (this.is('{')) return [this.table()]
    if (line !== this.lastLine) this.fail('ambiguous syntax (function call x new statement)')
    this.next()
    if (this.take(')')) return []
    const args = this.expressions()
    this.close(')', '(', line)
    this.discharged(args.at(-1) as Expression)
    return args
  }

  protected table(): Expression {
    const line = this.line
    this.must('{')
    const items: TableItem[] = []
    while (!this.is('}')) {
      items.push(this.item())
      if (!this.take(',') && !this.take(';')) break
      this.discharged((items.at(-1) as TableItem).value)
    }
    this.close('}', '{', line)
    return { kind: 'table', items, line }
  }

  protected item(): TableItem {
    const key = this.itemKey()
    const value = this.discharged(this.expression())
    return { key, value, line: this.lastLine }
  }

  /** Undefined: the item belongs to the list. */
  protected itemKey(): Expression | undefined {
    if (this.is('[')) {
      this.next()
      const key = this.discharged(this.expression())
      this.must(']')
      this.must('=')
      return key
    }
    if (this.token.kind !== 'name') return undefined
    this.ahead ??= this.lexer.next()
    if (this.ahead.kind !== 'symbol' || this.ahead.text !== '=') return undefined
    const key: Expression = { kind: 'string', value: this.name() }
    this.next()
    return key
  }

  // Functions

  protected body(isMethod: boolean, line: number): FunctionNode {
    const outer = this.scope
    this.scope = new FunctionScope(outer, line, (message) => this.lexer.fail(message))
    const parameters: LocalVariable[] = isMethod ? [this.scope.declare('self')] : []
    this.must('(')
    if (!this.is(')')) this.parameters(parameters)
    this.must(')')
    const body = this.block()
    const endLine = this.line
    this.close('end', 'function', line)
    const node = this.scope.finish(body, endLine, parameters)
    this.scope = outer
    return node
  }

  protected parameters(parameters: LocalVariable[]): void {
    do {
      if (this.take('...')) return this.scope.takeMore()
      if (this.token.kind !== 'name') this.fail("<name> or '...' expected")
      parameters.push(this.scope.declare(this.name()))
    } while (this.take(','))
  }
}

export function functionOf(body: FunctionNode, line: number): Expression {
  return { kind: 'function', body, line }
}

/** Arithmetic on constants is done at once, unless its result would be nan. */
function folding(operator: string, left: Expression, right: Expression): Expression | undefined {
  if (left.kind !== 'number' || right.kind !== 'number') return undefined
  const value = folded(operator, left.value, right.value)
  return value === undefined || Number.isNaN(value) ? undefined : { kind: 'number', value }
}

function folded(operator: string, a: number, b: number): number | undefined {
  switch (operator) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
      return a * b
    case '/':
      return b === 0 ? undefined : a / b
    case '%':
      return b === 0 ? undefined : a - Math.floor(a / b) * b
    case '^':
      return a ** b
    default:
      return undefined
  }
}
