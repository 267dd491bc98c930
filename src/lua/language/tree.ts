/**
 * A chunk as a tree. Names are resolved while it is parsed, so a use of a variable is a local of its
 * function, an upvalue or a global. A line is that of the last token read when Lua 5.1 would emit
 * the instruction, because that is the line its errors name.
 */

/** Arithmetic, comparison and concatenation; `and` and `or` stand apart. */
export type BinaryOperator =
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '^'
  | '..'
  | '=='
  | '~='
  | '<'
  | '<='
  | '>'
  | '>='

export interface LocalVariable {
  readonly name: string
  /** A function inside its scope uses it, so it lives in a box. */
  isCaptured: boolean
  /** Set by the compiler. */
  register: number
}

export type Expression =
  | { readonly kind: 'nil' }
  | { readonly kind: 'true' }
  | { readonly kind: 'false' }
  | { readonly kind: 'vararg' }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'local'; readonly variable: LocalVariable }
  | { readonly kind: 'upvalue'; readonly index: number; readonly name: string }
  | { readonly kind: 'global'; readonly name: string; line: number }
  | { readonly kind: 'index'; readonly object: Expression; readonly key: Expression; line: number }
  | CallNode
  | { readonly kind: 'function'; readonly body: FunctionNode; readonly line: number }
  | {
      readonly kind: 'binary'
      readonly operator: BinaryOperator
      readonly left: Expression
      readonly right: Expression
      readonly line: number
    }
  | {
      readonly kind: 'unary'
      readonly operator: '-' | 'not' | '#'
      readonly operand: Expression
      readonly line: number
    }
  | { readonly kind: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | TableNode
  /** Cuts several values to one. */
  | { readonly kind: 'parentheses'; readonly inner: Expression }

export interface CallNode {
  readonly kind: 'call'
  readonly callee: Expression
  /** In `callee:method(...)`. */
  readonly method: string | undefined
  readonly methodLine: number
  readonly args: readonly Expression[]
  readonly line: number
}

export interface TableNode {
  readonly kind: 'table'
  readonly items: readonly TableItem[]
  readonly line: number
}

export interface TableItem {
  /** Undefined: an item of the list. */
  readonly key: Expression | undefined
  readonly value: Expression
  readonly line: number
}

export type Statement =
  | {
      readonly kind: 'local'
      readonly variables: readonly LocalVariable[]
      readonly values: readonly Expression[]
      readonly line: number
    }
  | {
      readonly kind: 'assign'
      readonly targets: readonly Expression[]
      readonly values: readonly Expression[]
      readonly line: number
    }
  | { readonly kind: 'call'; readonly call: CallNode }
  | {
      readonly kind: 'localFunction'
      readonly variable: LocalVariable
      readonly body: FunctionNode
      readonly line: number
    }
  | { readonly kind: 'do'; readonly body: StatementList }
  | {
      readonly kind: 'while'
      readonly condition: Expression
      readonly body: StatementList
      readonly line: number
    }
  | {
      readonly kind: 'repeat'
      readonly body: StatementList
      readonly condition: Expression
      readonly line: number
    }
  | {
      readonly kind: 'if'
      readonly branches: readonly { readonly condition: Expression; readonly body: StatementList }[]
      readonly otherwise: StatementList | undefined
      readonly line: number
    }
  | {
      readonly kind: 'numericFor'
      readonly variable: LocalVariable
      readonly bounds: readonly Expression[]
      readonly body: StatementList
      readonly line: number
      readonly doLine: number
    }
  | {
      readonly kind: 'genericFor'
      readonly variables: readonly LocalVariable[]
      readonly values: readonly Expression[]
      readonly body: StatementList
      readonly line: number
      readonly doLine: number
    }
  | { readonly kind: 'return'; readonly values: readonly Expression[]; readonly line: number }
  | { readonly kind: 'break'; readonly line: number }

export type StatementList = readonly Statement[]

/** Where a function finds an upvalue when it is made. */
export type UpvalueSource =
  | { readonly kind: 'local'; readonly variable: LocalVariable }
  | { readonly kind: 'upvalue'; readonly index: number }

export interface FunctionNode {
  readonly parameters: readonly LocalVariable[]
  readonly isVararg: boolean
  /** The table `arg` of functions that take more and never say `...`. */
  readonly arg: LocalVariable | undefined
  readonly body: StatementList
  readonly upvalues: readonly UpvalueSource[]
  /** 0: the main chunk. */
  readonly line: number
  readonly endLine: number
}
