/** Statements to instructions, and whole chunks to prototypes. */
import { SyntaxFault } from '../language/lexer.ts'
import { parse } from '../language/parser.ts'
import type {
  Expression,
  FunctionNode,
  LocalVariable,
  Statement,
  StatementList,
} from '../language/tree.ts'
import { TooComplex } from './assembler.ts'
import { ExpressionCompiler } from './expressions.ts'
import { nameOf } from './operands.ts'
import { COMPILER_SHOWN_BYTES, Prototype, shownSource } from './prototype.ts'

export type Compiled =
  | { readonly ok: true; readonly prototype: Prototype }
  /** `message`: as Lua words it, with the place. */
  | { readonly ok: false; readonly message: string }

/** `source`: `@name` of a file, or the text itself. */
export function compile(text: string, source: string): Compiled {
  const name = shownSource(source, COMPILER_SHOWN_BYTES)
  try {
    return { ok: true, prototype: compileFunction(parse(text, name), source) }
  } catch (fault) {
    if (fault instanceof SyntaxFault) return { ok: false, message: fault.message }
    if (fault instanceof TooComplex) {
      return { ok: false, message: `${name}:1: ${fault.message}` }
    }
    throw fault
  }
}

function compileFunction(node: FunctionNode, source: string): Prototype {
  return new FunctionCompiler(node, source).compile()
}

class FunctionCompiler {
  readonly #node: FunctionNode
  readonly #source: string
  readonly #values: ExpressionCompiler
  /** The jumps out of each loop around the statement. */
  readonly #breaks: number[][] = []

  constructor(node: FunctionNode, source: string) {
    this.#node = node
    this.#source = source
    this.#values = new ExpressionCompiler((inner) => compileFunction(inner, source))
  }

  compile(): Prototype {
    const { parameters, isVararg, arg, body, upvalues, line, endLine } = this.#node
    const values = this.#values
    const { out } = values
    values.line = line
    for (const parameter of parameters) parameter.register = out.take()
    if (arg !== undefined) {
      arg.register = out.take()
      out.emit(line, 'arg', arg.register)
    }
    this.#box(arg === undefined ? parameters : [...parameters, arg])
    this.#block(body)
    out.emit(endLine, 'return', 0, 1)
    return new Prototype({
      source: this.#source,
      line,
      parameters: parameters.length,
      isVararg,
      registers: out.registers + 1,
      code: out.code,
      lines: out.lines,
      names: out.names,
      constants: out.constants,
      prototypes: values.prototypes,
      upvalues: upvalues.map((source) => ({
        isRegister: source.kind === 'local',
        index: source.kind === 'local' ? source.variable.register : source.index,
      })),
    })
  }

  #block(block: StatementList): void {
    const { out } = this.#values
    const free = out.free
    for (const statement of block) this.#statement(statement)
    out.free = free
  }

  #statement(statement: Statement): void {
    const values = this.#values
    const { out } = values
    if ('line' in statement) values.line = statement.line
    switch (statement.kind) {
      case 'local':
        return this.#local(statement.variables, statement.values)
      case 'assign':
        return this.#assign(statement)
      case 'call':
        return values.call(statement.call, 1)
      case 'localFunction':
        return this.#localFunction(statement)
      case 'do':
        return this.#block(statement.body)
      case 'while':
        return this.#while(statement.condition, statement.body)
      case 'repeat':
        return this.#repeat(statement.body, statement.condition)
      case 'if':
        return this.#if(statement)
      case 'numericFor':
        return this.#numericFor(statement)
      case 'genericFor':
        return this.#genericFor(statement)
      case 'return':
        return this.#return(statement.values)
      case 'break':
        this.#breaks.at(-1)?.push(out.emit(statement.line, 'jump'))
        return
    }
  }

  #local(variables: readonly LocalVariable[], list: readonly Expression[]): void {
    const values = this.#values
    const first = values.out.free
    values.toNextList(list, variables.length)
    variables.forEach((variable, at) => {
      variable.register = first + at
    })
    this.#box(variables)
  }

  /** Variables that inner functions use get a box each time they begin. */
  #box(variables: readonly LocalVariable[]): void {
    for (const { isCaptured, register } of variables) {
      if (isCaptured) this.#values.out.emit(this.#values.line, 'box', register)
    }
  }

  #localFunction(statement: Extract<Statement, { kind: 'localFunction' }>): void {
    const values = this.#values
    const { variable, body, line } = statement
    const register = values.out.take()
    variable.register = register
    const expression: Expression = { kind: 'function', body, line }
    if (!variable.isCaptured) return values.to(expression, register)
    values.out.emit(line, 'nil', register, 1)
    values.out.emit(line, 'box', register)
    const free = values.out.free
    values.out.emit(line, 'setBox', register, values.toNext(expression))
    values.out.free = free
  }

  #assign(statement: Extract<Statement, { kind: 'assign' }>): void {
    const { targets, values: list, line } = statement
    const values = this.#values
    const { out } = values
    const free = out.free
    const [target] = targets
    const [value] = list
    if (targets.length === 1 && list.length === 1 && target !== undefined && value !== undefined) {
      this.#assignOne(target, value, line)
    } else {
      const stores = targets.map((each) => this.#place(each, true))
      const first = out.free
      values.toNextList(list, targets.length)
      for (let at = targets.length - 1; at >= 0; at--) stores[at]?.(first + at, line)
    }
    out.free = free
  }

  #assignOne(target: Expression, value: Expression, line: number): void {
    const values = this.#values
    if (target.kind === 'local' && !target.variable.isCaptured && writesLast(value)) {
      return values.to(value, target.variable.register)
    }
    const store = this.#place(target, false)
    store(values.toOperand(value), line)
  }

  /** Evaluates where a value goes, and returns what puts it there. */
  #place(target: Expression, isOneOfMany: boolean): (operand: number, line: number) => void {
    const values = this.#values
    const { out } = values
    switch (target.kind) {
      case 'local': {
        const { isCaptured, register } = target.variable
        if (isCaptured) return (operand, line) => void out.emit(line, 'setBox', register, operand)
        return (operand, line) => {
          if (operand < 0) out.emit(line, 'constant', register, ~operand)
          else out.emit(line, 'move', register, operand)
        }
      }
      case 'upvalue':
        return (operand, line) => void out.emit(line, 'setUpvalue', target.index, operand)
      case 'global': {
        const name = out.constant(target.name)
        return (operand, line) => void out.emit(line, 'setGlobal', operand, name)
      }
      case 'index': {
        const names = [nameOf(target.object)]
        // Another target may be the local that holds the table or the key.
        const object = isOneOfMany ? values.toNext(target.object) : values.toAny(target.object)
        const { key } = target
        if (key.kind === 'string') {
          const name = out.constant(key.value)
          return (operand, line) => void out.emit(line, 'setField', object, name, operand, names)
        }
        const isConstant = key.kind === 'number'
        const at = isOneOfMany && !isConstant ? values.toNext(key) : values.toOperand(key)
        return (operand, line) => void out.emit(line, 'setIndex', object, at, operand, names)
      }
      default:
        return () => undefined
    }
  }

  #if({ branches, otherwise }: Extract<Statement, { kind: 'if' }>): void {
    const values = this.#values
    const { out } = values
    const ends: number[] = []
    branches.forEach(({ condition, body }, at) => {
      const over = values.condition(condition, false)
      this.#block(body)
      const isLast = at === branches.length - 1 && otherwise === undefined
      if (!isLast) ends.push(out.emit(values.line, 'jump'))
      out.land(over)
    })
    if (otherwise !== undefined) this.#block(otherwise)
    out.land(ends)
  }

  #loop(body: () => void): void {
    this.#breaks.push([])
    body()
    this.#values.out.land(this.#breaks.pop() ?? [])
  }

  #while(condition: Expression, body: StatementList): void {
    const values = this.#values
    const { out } = values
    const line = values.line
    this.#loop(() => {
      const start = out.here
      const over = values.condition(condition, false)
      this.#block(body)
      out.emit(line, 'loop', start)
      out.land(over)
    })
  }

  #repeat(body: StatementList, condition: Expression): void {
    const values = this.#values
    const { out } = values
    this.#loop(() => {
      const start = out.here
      const free = out.free
      for (const statement of body) this.#statement(statement)
      const over = values.condition(condition, true)
      out.free = free
      out.emit(values.line, 'loop', start)
      out.land(over)
    })
  }

  #numericFor(statement: Extract<Statement, { kind: 'numericFor' }>): void {
    const values = this.#values
    const { out } = values
    const { variable, bounds, body, line, doLine } = statement
    const free = out.free
    for (const bound of bounds) values.toNext(bound)
    if (bounds.length === 2) values.toNext({ kind: 'number', value: 1 })
    variable.register = out.take()
    this.#loop(() => {
      const prepare = out.emit(doLine, 'forPrepare', free)
      const start = out.here
      this.#box([variable])
      this.#block(body)
      out.land(prepare)
      out.emit(line, 'forLoop', free, start)
    })
    out.free = free
  }

  #genericFor(statement: Extract<Statement, { kind: 'genericFor' }>): void {
    const values = this.#values
    const { out } = values
    const { variables, values: list, body, line, doLine } = statement
    const free = out.free
    values.toNextList(list, 3)
    for (const variable of variables) variable.register = out.take()
    // The call of the iterator takes three registers more.
    out.take(3)
    out.free -= 3
    this.#loop(() => {
      const first = out.emit(doLine, 'jump')
      const start = out.here
      this.#box(variables)
      this.#block(body)
      out.land(first)
      out.emit(line, 'iterate', free, variables.length)
      out.emit(line, 'iterateTest', free, start)
    })
    out.free = free
  }

  #return(list: readonly Expression[]): void {
    const values = this.#values
    const { out } = values
    const free = out.free
    const [only] = list
    if (list.length === 1 && only?.kind === 'call') {
      values.tailCall(only)
    } else if (list.length === 1 && only !== undefined && !values.isMany(only)) {
      out.emit(values.line, 'return', values.toAny(only), 2)
    } else {
      const last = list.at(-1)
      for (const value of list) {
        if (value !== last || !values.isMany(value)) values.toNext(value)
      }
      const isOpen = last !== undefined && values.isMany(last)
      if (isOpen) values.toNextOpen(last)
      out.emit(values.line, 'return', free, isOpen ? 0 : list.length + 1)
    }
    out.free = free
  }
}

/** Whether the register may be one that the expression reads. */
function writesLast({ kind }: Expression): boolean {
  return kind !== 'and' && kind !== 'or' && kind !== 'parentheses' && kind !== 'table'
}
