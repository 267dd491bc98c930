/** What instructions need to know of operators and operands: their instructions, names and sizes. */
import type { BinaryOperator, Expression } from '../language/tree.ts'
import type { OperationName } from './opcodes.ts'
import type { OperandName } from './prototype.ts'

export const ARITHMETIC: Partial<Record<BinaryOperator, OperationName>> = {
  '+': 'add',
  '-': 'subtract',
  '*': 'multiply',
  '/': 'divide',
  '%': 'modulo',
  '^': 'power',
}

export interface ConditionJumps {
  readonly whenTrue: OperationName
  readonly whenFalse: OperationName
  readonly isSwapped: boolean
}

export const COMPARISONS: Partial<Record<BinaryOperator, ConditionJumps>> = {
  '==': { whenTrue: 'jumpEqual', whenFalse: 'jumpNotEqual', isSwapped: false },
  '~=': { whenTrue: 'jumpNotEqual', whenFalse: 'jumpEqual', isSwapped: false },
  '<': { whenTrue: 'jumpLess', whenFalse: 'jumpNotLess', isSwapped: false },
  '<=': { whenTrue: 'jumpLessEqual', whenFalse: 'jumpNotLessEqual', isSwapped: false },
  '>': { whenTrue: 'jumpLess', whenFalse: 'jumpNotLess', isSwapped: true },
  '>=': { whenTrue: 'jumpLessEqual', whenFalse: 'jumpNotLessEqual', isSwapped: true },
}

/** How an error calls the value. */
export function nameOf(expression: Expression): OperandName | undefined {
  switch (expression.kind) {
    case 'local':
      return { what: 'local', name: expression.variable.name }
    case 'upvalue':
      return { what: 'upvalue', name: expression.name }
    case 'global':
      return { what: 'global', name: expression.name }
    case 'index':
      return {
        what: 'field',
        name: expression.key.kind === 'string' ? expression.key.value : '?',
      }
    case 'call':
    case 'parentheses':
      return expression.kind === 'parentheses' ? nameOf(expression.inner) : undefined
    default:
      return undefined
  }
}

/** Lua keeps the sizes of a constructor as three bits and an exponent, rounded up. */
export function roundedSize(size: number): number {
  let mantissa = size
  let exponent = 0
  while (mantissa >= 16) {
    mantissa = (mantissa + 1) >> 1
    exponent++
  }
  return mantissa < 8 ? mantissa : mantissa * 2 ** exponent
}
