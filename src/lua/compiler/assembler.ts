/** Instructions, constants and registers of the function that is being compiled. */
import type { LuaValue } from '../values.ts'
import { OP, type OperationName } from './opcodes.ts'
import type { InstructionNames } from './prototype.ts'

const MAX_REGISTERS = 250

/** A function that takes more registers or constants than there are. */
export class TooComplex extends Error {}

export class Assembler {
  readonly code: number[] = []
  readonly lines: number[] = []
  readonly names: (InstructionNames | undefined)[] = []
  readonly constants: LuaValue[] = []
  readonly #constantPlaces = new Map<LuaValue, number>()
  /** The first register that holds nothing. */
  free = 0
  registers = 2

  /** Where the next instruction will be. */
  get here(): number {
    return this.code.length
  }

  /** Returns where the instruction is. */
  emit(
    line: number,
    operation: OperationName,
    a = 0,
    b = 0,
    c = 0,
    names?: InstructionNames,
  ): number {
    const at = this.code.length
    this.code.push(OP[operation], a, b, c)
    this.lines.push(line)
    this.names.push(names)
    return at
  }

  /** Lets jumps go here. */
  land(jumps: readonly number[] | number): void {
    for (const at of typeof jumps === 'number' ? [jumps] : jumps) {
      const operation = this.code[at]
      const operand = operation === OP.forPrepare || operation === OP.forLoop ? 2 : 1
      this.code[at + operand] = this.here
    }
  }

  constant(value: LuaValue): number {
    const known = this.#constantPlaces.get(value)
    if (known !== undefined) return known
    const place = this.constants.push(value) - 1
    this.#constantPlaces.set(value, place)
    return place
  }

  /** Takes registers in a row; returns the first. */
  take(count = 1): number {
    const first = this.free
    this.free += count
    if (this.free > MAX_REGISTERS) throw new TooComplex('function or expression too complex')
    this.registers = Math.max(this.registers, this.free)
    return first
  }
}
