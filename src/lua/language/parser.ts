/**
 * From the text of a chunk to its tree: statements, and the chunk as a whole. Expressions are in
 * expression-parser.ts; which variable a name means is decided by scope.ts.
 */
import { ExpressionParser, functionOf } from './expression-parser.ts'
import type { Expression, FunctionNode, Statement, StatementList } from './tree.ts'

const BLOCK_ENDS = new Set(['else', 'elseif', 'end', 'until', '<eof>'])

/** Throws a SyntaxFault. */
export function parse(text: string, chunkName: string): FunctionNode {
  return new Parser(text, chunkName).main()
}

class Parser extends ExpressionParser {
  main(): FunctionNode {
    this.scope.isVararg = true
    const body = this.block()
    if (this.token.kind !== 'end') this.expected('<eof>')
    return this.scope.finish(body, this.line)
  }

  protected override block(): StatementList {
    return this.deeper(() => {
      const statements: Statement[] = []
      while (!this.#isBlockEnd()) {
        const statement = this.deeper(() => this.#statement())
        statements.push(statement)
        this.take(';')
        if (statement.kind === 'return' || statement.kind === 'break') break
      }
      return statements
    })
  }

  #isBlockEnd(): boolean {
    const { kind, text } = this.token
    return kind === 'end' || (kind === 'symbol' && BLOCK_ENDS.has(text))
  }

  /** A block with a scope of its own. */
  #scopedBlock(): StatementList {
    return this.scope.within(() => this.block())
  }

  #statement(): Statement {
    const line = this.line
    if (this.token.kind !== 'symbol') return this.#expressionStatement()
    switch (this.token.text) {
      case 'if':
        return this.#if(line)
      case 'while':
        return this.#while(line)
      case 'do': {
        this.next()
        const body = this.#scopedBlock()
        this.close('end', 'do', line)
        return { kind: 'do', body }
      }
      case 'for':
        return this.#for(line)
      case 'repeat':
        return this.#repeat(line)
      case 'function':
        return this.#function(line)
      case 'local':
        this.next()
        return this.take('function') ? this.#localFunction() : this.#local()
      case 'return':
        return this.#return()
      case 'break':
        this.next()
        if (!this.scope.isInLoop) this.fail('no loop to break')
        return { kind: 'break', line }
      default:
        return this.#expressionStatement()
    }
  }

  #if(line: number): Statement {
    const branches: { condition: Expression; body: StatementList }[] = []
    do {
      this.next()
      const condition = this.discharged(this.expression())
      this.must('then')
      branches.push({ condition, body: this.#scopedBlock() })
    } while (this.is('elseif'))
    const otherwise = this.take('else') ? this.#scopedBlock() : undefined
    this.close('end', 'if', line)
    return { kind: 'if', branches, otherwise, line }
  }

  #while(line: number): Statement {
    this.next()
    const condition = this.discharged(this.expression())
    this.must('do')
    const body = this.scope.loop(() => this.block())
    this.close('end', 'while', line)
    return { kind: 'while', condition, body, line: this.lastLine }
  }

  /** The condition sees the locals of the body. */
  #repeat(line: number): Statement {
    this.next()
    return this.scope.loop(() => {
      const body = this.block()
      this.close('until', 'repeat', line)
      const condition = this.discharged(this.expression())
      return { kind: 'repeat', body, condition, line: this.lastLine }
    })
  }

  #for(line: number): Statement {
    this.next()
    const first = this.name()
    if (this.is('=')) return this.#numericFor(first, line)
    if (this.is(',') || this.is('in')) return this.#genericFor(first, line)
    return this.fail("'=' or 'in' expected")
  }

  #numericFor(name: string, line: number): Statement {
    this.next()
    const bounds = [this.discharged(this.expression())]
    this.must(',')
    bounds.push(this.discharged(this.expression()))
    if (this.take(',')) bounds.push(this.discharged(this.expression()))
    this.must('do')
    const doLine = this.lastLine
    return this.scope.loop(() => {
      this.scope.hide(3)
      const variable = this.scope.declare(name)
      const body = this.#scopedBlock()
      this.close('end', 'for', line)
      return { kind: 'numericFor', variable, bounds, body, line, doLine }
    })
  }

  #genericFor(first: string, line: number): Statement {
    const names = [first]
    while (this.take(',')) names.push(this.name())
    this.must('in')
    const values = this.expressions()
    this.discharged(values.at(-1) as Expression)
    this.must('do')
    const doLine = this.lastLine
    return this.scope.loop(() => {
      this.scope.hide(3)
      const variables = names.map((name) => this.scope.declare(name))
      const body = this.#scopedBlock()
      this.close('end', 'for', line)
      return { kind: 'genericFor', variables, values, body, line, doLine }
    })
  }

  #function(line: number): Statement {
    this.next()
    let target = this.variable(this.name())
    let isMethod = false
    while (!isMethod && (this.is('.') || this.is(':'))) {
      isMethod = this.is(':')
      target = this.field(target)
    }
    const body = this.body(isMethod, line)
    if (target.kind === 'index') target.line = line
    return { kind: 'assign', targets: [target], values: [functionOf(body, this.lastLine)], line }
  }

  /** The function may call itself, so its variable is there before its body. */
  #localFunction(): Statement {
    const variable = this.scope.declare(this.name())
    const body = this.body(false, this.line)
    return { kind: 'localFunction', variable, body, line: this.lastLine }
  }

  /** The variables are not there yet for the values. */
  #local(): Statement {
    const names = [this.name()]
    while (this.take(',')) names.push(this.name())
    const values = this.take('=') ? this.expressions() : []
    const last = values.at(-1)
    if (last !== undefined) this.discharged(last)
    const variables = names.map((name) => this.scope.declare(name))
    return { kind: 'local', variables, values, line: this.lastLine }
  }

  #return(): Statement {
    this.next()
    const isEmpty = this.#isBlockEnd() || this.is(';')
    const values = isEmpty ? [] : this.expressions()
    const last = values.at(-1)
    if (last !== undefined) this.discharged(last)
    return { kind: 'return', values, line: this.lastLine }
  }

  #expressionStatement(): Statement {
    const first = this.suffixed()
    if (first.kind === 'call') return { kind: 'call', call: first }
    const targets: Expression[] = [first]
    while (this.is(',') || !this.is('=')) {
      this.#assignable(targets.at(-1) as Expression)
      if (!this.take(',')) break
      targets.push(this.suffixed())
    }
    this.#assignable(targets.at(-1) as Expression)
    this.must('=')
    const values = this.expressions()
    const last = values.at(-1)
    if (last !== undefined) this.discharged(last)
    for (const target of targets) if (target.kind === 'index') target.line = this.lastLine
    return { kind: 'assign', targets, values, line: this.lastLine }
  }

  #assignable({ kind }: Expression): void {
    const isVariable =
      kind === 'local' || kind === 'upvalue' || kind === 'global' || kind === 'index'
    if (!isVariable) this.fail('syntax error')
  }
}
