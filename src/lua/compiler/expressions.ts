/**
 * Expressions to instructions. A value goes to a register that the caller names, or stays where it
 * is if it is a local or a constant; a condition becomes jumps.
 */
import type {
  CallNode,
  Expression,
  FunctionNode,
  LocalVariable,
  TableNode,
} from '../language/tree.ts'
import { Assembler } from './assembler.ts'
import type { OperationName } from './opcodes.ts'
import { ARITHMETIC, COMPARISONS, type ConditionJumps, nameOf, roundedSize } from './operands.ts'
import type { OperandName, Prototype } from './prototype.ts'

/** Items of a list that are set at once. */
const LIST_PIECE = 50

export class ExpressionCompiler {
  readonly out = new Assembler()
  readonly prototypes: Prototype[] = []
  /** The line of the last statement, for instructions that cannot fail. */
  line = 0
  readonly #compileFunction: (node: FunctionNode) => Prototype

  constructor(compileFunction: (node: FunctionNode) => Prototype) {
    this.#compileFunction = compileFunction
  }

  /** Into the next free register, which is taken. */
  toNext(expression: Expression): number {
    const register = this.out.take()
    this.to(expression, register)
    return register
  }

  /** Where the value is, or into the next free register. */
  toAny(expression: Expression): number {
    if (expression.kind === 'local' && !expression.variable.isCaptured) {
      return expression.variable.register
    }
    return this.toNext(expression)
  }

  /** As `toAny`; constants stay constants. */
  toOperand(expression: Expression): number {
    if (expression.kind === 'number' || expression.kind === 'string') {
      return ~this.out.constant(expression.value)
    }
    return this.toAny(expression)
  }

  /**
   * Into this register, which is written last: nothing that the expression reads can be lost, except
   * by `and`, `or`, calls and tables, for which the register must be free.
   */
  to(expression: Expression, target: number): void {
    const { out } = this
    switch (expression.kind) {
      case 'nil':
        out.emit(this.line, 'nil', target, 1)
        return
      case 'true':
      case 'false':
        out.emit(this.line, 'bool', target, Number(expression.kind === 'true'))
        return
      case 'number':
      case 'string':
        out.emit(this.line, 'constant', target, out.constant(expression.value))
        return
      case 'vararg':
        out.emit(this.line, 'vararg', target, 2)
        return
      case 'local':
        return this.#local(expression.variable, target)
      case 'upvalue':
        out.emit(this.line, 'getUpvalue', target, expression.index)
        return
      case 'global':
        out.emit(expression.line, 'getGlobal', target, out.constant(expression.name))
        return
      case 'index':
        return this.#index(expression, target)
      case 'call':
        return this.#callTo(expression, target)
      case 'function':
        out.emit(expression.line, 'closure', target, this.#prototype(expression.body))
        return
      case 'parentheses':
        return this.to(expression.inner, target)
      case 'and':
      case 'or':
        return this.#either(expression, target)
      case 'unary':
        return this.#unary(expression, target)
      case 'binary':
        return this.#binary(expression, target)
      case 'table':
        return this.#table(expression, target)
    }
  }

  /** As many values as there are, from the next free register on. */
  toNextOpen(expression: Expression): void {
    if (expression.kind === 'call') this.call(expression, 0)
    else this.out.emit(this.line, 'vararg', this.out.free, 0)
  }

  /** Whether the expression may give several values. */
  isMany(expression: Expression | undefined): boolean {
    return expression?.kind === 'call' || expression?.kind === 'vararg'
  }

  /** Values for the next free registers: exactly `count` are taken. */
  toNextList(values: readonly Expression[], count: number): void {
    const { out } = this
    const first = out.free
    values.forEach((value, at) => {
      const isOpen = at === values.length - 1 && this.isMany(value)
      if (isOpen) this.#exactly(value, Math.max(count - at, 0))
      else this.toNext(value)
    })
    const missing = count - values.length
    if (missing > 0 && !this.isMany(values.at(-1))) {
      out.emit(this.line, 'nil', out.take(missing), missing)
    }
    out.free = first
    out.take(count)
  }

  #exactly(value: Expression, wanted: number): void {
    if (value.kind === 'call') this.call(value, wanted + 1)
    else if (wanted > 0) this.out.emit(this.line, 'vararg', this.out.free, wanted + 1)
  }

  /** Puts function and arguments at the end of the registers, and the results in their place. */
  call(call: CallNode, results: number): void {
    const { out } = this
    const base = out.free
    const name = this.#startCall(call)
    const count = this.#arguments(call)
    out.emit(call.line, 'call', base, count, results, [name])
    out.free = base
  }

  /** `return f(...)` */
  tailCall(call: CallNode): void {
    const { out } = this
    const base = out.free
    const name = this.#startCall(call)
    const count = this.#arguments(call)
    out.emit(call.line, 'tailCall', base, count, 0, [name])
    out.emit(call.line, 'return', base, 0)
    out.free = base
  }

  /** Jumps that are taken if the value is `sense`. */
  condition(expression: Expression, sense: boolean): number[] {
    const { out } = this
    switch (expression.kind) {
      case 'parentheses':
        return this.condition(expression.inner, sense)
      case 'and':
      case 'or': {
        if ((expression.kind === 'or') === sense) {
          const left = this.condition(expression.left, sense)
          return [...left, ...this.condition(expression.right, sense)]
        }
        const over = this.condition(expression.left, !sense)
        const jumps = this.condition(expression.right, sense)
        out.land(over)
        return jumps
      }
      case 'unary':
        if (expression.operator === 'not') return this.condition(expression.operand, !sense)
        break
      case 'binary': {
        const comparison = COMPARISONS[expression.operator]
        if (comparison !== undefined) return [this.#compare(expression, comparison, sense)]
        break
      }
      case 'true':
      case 'number':
      case 'string':
        return sense ? [out.emit(this.line, 'jump')] : []
      case 'nil':
      case 'false':
        return sense ? [] : [out.emit(this.line, 'jump')]
      default:
        break
    }
    const free = out.free
    const register = this.toAny(expression)
    out.free = free
    return [out.emit(this.line, sense ? 'jumpIf' : 'jumpIfNot', 0, register)]
  }

  #prototype(body: FunctionNode): number {
    return this.prototypes.push(this.#compileFunction(body)) - 1
  }

  #local(variable: LocalVariable, target: number): void {
    const operation = variable.isCaptured ? 'getBox' : 'move'
    if (variable.isCaptured || variable.register !== target) {
      this.out.emit(this.line, operation, target, variable.register)
    }
  }

  #index(expression: Extract<Expression, { kind: 'index' }>, target: number): void {
    const { out } = this
    const free = out.free
    const { object, key, line } = expression
    const name = nameOf(object)
    const register = this.toAny(object)
    if (key.kind === 'string') {
      out.emit(line, 'field', target, register, out.constant(key.value), [name])
    } else {
      const operand = this.toOperand(key)
      out.emit(line, 'index', target, register, operand, [name])
    }
    out.free = free
  }

  #callTo(call: CallNode, target: number): void {
    const base = this.out.free
    this.call(call, 2)
    this.out.take()
    this.out.free = base
    if (base !== target) this.out.emit(this.line, 'move', target, base)
  }

  #startCall(call: CallNode): OperandName | undefined {
    const { out } = this
    const base = out.free
    if (call.method === undefined) {
      this.toNext(call.callee)
      return nameOf(call.callee)
    }
    const name = nameOf(call.callee)
    const register = this.toAny(call.callee)
    out.free = base
    out.take(2)
    out.emit(call.methodLine, 'self', base, register, out.constant(call.method), [name])
    return { what: 'method', name: call.method }
  }

  /** Returns the operand that says how many there are. */
  #arguments(call: CallNode): number {
    const fixed = call.method === undefined ? 1 : 2
    const last = call.args.at(-1)
    for (const arg of call.args) {
      if (arg !== last || !this.isMany(arg)) this.toNext(arg)
    }
    if (last === undefined || !this.isMany(last)) return call.args.length + fixed
    this.toNextOpen(last)
    return 0
  }

  #either(expression: Extract<Expression, { kind: 'and' | 'or' }>, target: number): void {
    const { out } = this
    // What decides may be a comparison, which needs no value.
    this.to(expression.left, target)
    const operation = expression.kind === 'and' ? 'jumpIfNot' : 'jumpIf'
    const end = out.emit(this.line, operation, 0, target)
    this.to(expression.right, target)
    out.land(end)
  }

  #unary(expression: Extract<Expression, { kind: 'unary' }>, target: number): void {
    const { out } = this
    const free = out.free
    const { operator, operand, line } = expression
    const register = this.toAny(operand)
    const operation = operator === '-' ? 'minus' : operator === '#' ? 'length' : 'not'
    out.emit(line, operation, target, register, 0, [nameOf(operand)])
    out.free = free
  }

  #binary(expression: Extract<Expression, { kind: 'binary' }>, target: number): void {
    const { out } = this
    const { operator, left, right, line } = expression
    if (operator === '..') return this.#concat(expression, target)
    const comparison = COMPARISONS[operator]
    if (comparison !== undefined) {
      const jump = this.#compare(expression, comparison, true)
      out.emit(line, 'bool', target, 0)
      const end = out.emit(line, 'jump')
      out.land(jump)
      out.emit(line, 'bool', target, 1)
      out.land(end)
      return
    }
    const free = out.free
    const b = this.toOperand(left)
    const c = this.toOperand(right)
    const names = [nameOf(left), nameOf(right)]
    out.emit(line, ARITHMETIC[operator] as OperationName, target, b, c, names)
    out.free = free
  }

  /** A chain of concatenations is one instruction, so that its texts are joined at once. */
  #concat(expression: Expression, target: number): void {
    const { out } = this
    const free = out.free
    const names: (OperandName | undefined)[] = []
    let rest = expression
    let line = this.line
    while (rest.kind === 'binary' && rest.operator === '..') {
      line = rest.line
      names.push(nameOf(rest.left))
      this.toNext(rest.left)
      rest = rest.right
    }
    names.push(nameOf(rest))
    const last = this.toNext(rest)
    out.emit(line, 'concat', target, free, last, names)
    out.free = free
  }

  #compare(
    expression: Extract<Expression, { kind: 'binary' }>,
    { whenTrue, whenFalse, isSwapped }: ConditionJumps,
    sense: boolean,
  ): number {
    const { out } = this
    const free = out.free
    const left = this.toOperand(expression.left)
    const right = this.toOperand(expression.right)
    out.free = free
    const [b, c] = isSwapped ? [right, left] : [left, right]
    return out.emit(expression.line, sense ? whenTrue : whenFalse, 0, b, c)
  }

  #table(table: TableNode, target: number): void {
    const { out } = this
    const { items, line } = table
    const free = out.free
    const register = out.take()
    const list = items.filter(({ key }) => key === undefined)
    const last = items.at(-1)
    const isOpen = last?.key === undefined && this.isMany(last?.value)
    const sized = isOpen ? list.length - 1 : list.length
    out.emit(
      line,
      'newTable',
      register,
      roundedSize(sized),
      roundedSize(items.length - list.length),
    )
    let waiting = 0
    let done = 0
    for (const item of items) {
      if (waiting === LIST_PIECE) {
        out.emit(item.line, 'setList', register, waiting, done)
        done += waiting
        waiting = 0
        out.free = register + 1
      }
      if (item.key !== undefined) {
        this.#setItem(register, item.key, item.value, item.line)
      } else if (item === last && isOpen) {
        this.toNextOpen(item.value)
        out.emit(item.line, 'setList', register, 0, done)
        waiting = 0
      } else {
        this.toNext(item.value)
        waiting++
      }
    }
    if (waiting > 0) out.emit(last?.line ?? line, 'setList', register, waiting, done)
    out.free = free
    if (register !== target) out.emit(line, 'move', target, register)
  }

  #setItem(table: number, key: Expression, value: Expression, line: number): void {
    const { out } = this
    const free = out.free
    const b = this.toOperand(key)
    const c = this.toOperand(value)
    if (key.kind === 'string') out.emit(line, 'setField', table, ~b, c)
    else out.emit(line, 'setIndex', table, b, c)
    out.free = free
  }
}
