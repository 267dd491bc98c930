/**
 * Which variable a name means: a local of the function, a local of a function around it, which
 * becomes an upvalue of every function in between, or a global.
 */
import type { FunctionNode, LocalVariable, StatementList, UpvalueSource } from './tree.ts'

const MAX_LOCALS = 200
const MAX_UPVALUES = 60

type Found =
  | { readonly kind: 'local'; readonly variable: LocalVariable }
  | { readonly kind: 'upvalue'; readonly index: number }

export class FunctionScope {
  isVararg = false
  usesVararg = false
  readonly #outer: FunctionScope | undefined
  readonly #line: number
  readonly #fail: (message: string) => never
  /** The innermost comes last. */
  readonly #active: LocalVariable[] = []
  readonly #upvalues: UpvalueSource[] = []
  #arg: LocalVariable | undefined
  /** Registers that a loop takes for itself. */
  #hidden = 0
  #loops = 0

  /** `line`: where the function begins; 0 for the main chunk. */
  constructor(outer: FunctionScope | undefined, line: number, fail: (message: string) => never) {
    this.#outer = outer
    this.#line = line
    this.#fail = fail
  }

  get isInLoop(): boolean {
    return this.#loops > 0
  }

  declare(name: string): LocalVariable {
    if (this.#active.length + this.#hidden >= MAX_LOCALS)
      this.#tooMany(MAX_LOCALS, 'local variables')
    const variable: LocalVariable = { name, isCaptured: false, register: -1 }
    this.#active.push(variable)
    return variable
  }

  /** Counts variables without a name until the scope ends. */
  hide(count: number): void {
    this.#hidden += count
  }

  within<T>(parse: () => T): T {
    const before = this.#active.length
    const hidden = this.#hidden
    const result = parse()
    this.#active.length = before
    this.#hidden = hidden
    return result
  }

  loop<T>(parse: () => T): T {
    this.#loops++
    const result = this.within(parse)
    this.#loops--
    return result
  }

  /** The function takes more arguments than it names; old code finds them in `arg`. */
  takeMore(): void {
    this.isVararg = true
    this.#arg = this.declare('arg')
  }

  find(name: string): Found | undefined {
    for (let at = this.#active.length - 1; at >= 0; at--) {
      const variable = this.#active[at] as LocalVariable
      if (variable.name === name) return { kind: 'local', variable }
    }
    const outer = this.#outer?.find(name)
    if (outer === undefined) return undefined
    const known = this.#upvalues.findIndex((source) => isSame(outer, source))
    if (known >= 0) return { kind: 'upvalue', index: known }
    if (outer.kind === 'local') outer.variable.isCaptured = true
    if (this.#upvalues.length >= MAX_UPVALUES) this.#tooMany(MAX_UPVALUES, 'upvalues')
    return { kind: 'upvalue', index: this.#upvalues.push(outer) - 1 }
  }

  finish(
    body: StatementList,
    endLine: number,
    parameters: readonly LocalVariable[] = [],
  ): FunctionNode {
    return {
      parameters,
      isVararg: this.isVararg,
      arg: this.usesVararg ? undefined : this.#arg,
      body,
      upvalues: this.#upvalues,
      line: this.#line,
      endLine,
    }
  }

  #tooMany(limit: number, what: string): never {
    const where = this.#line === 0 ? 'main function' : `function at line ${this.#line}`
    return this.#fail(`${where} has more than ${limit} ${what}`)
  }
}

function isSame(found: Found, source: UpvalueSource): boolean {
  if (found.kind === 'local' && source.kind === 'local') return found.variable === source.variable
  return found.kind === 'upvalue' && source.kind === 'upvalue' && found.index === source.index
}
