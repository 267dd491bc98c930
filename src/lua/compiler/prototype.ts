/** A compiled function: what all functions made from one place in a chunk share. */
import { hashOfString } from '../table.ts'
import type { CodePlace, LuaValue } from '../values.ts'

/** How an error calls an operand: `local 'x'`, `field 'call'`. */
export interface OperandName {
  readonly what: 'local' | 'global' | 'field' | 'upvalue' | 'method'
  readonly name: string
}

/** The names of what an instruction works on; undefined: it has none. */
export type InstructionNames = readonly (OperandName | undefined)[]

export interface PrototypeParts {
  readonly source: string
  readonly line: number
  readonly parameters: number
  readonly isVararg: boolean
  readonly registers: number
  readonly code: readonly number[]
  readonly lines: readonly number[]
  readonly names: readonly (InstructionNames | undefined)[]
  readonly constants: readonly LuaValue[]
  readonly prototypes: readonly Prototype[]
  readonly upvalues: readonly UpvaluePlace[]
}

/** A register of the function around it, or one of its upvalues. */
export interface UpvaluePlace {
  readonly isRegister: boolean
  readonly index: number
}

export class Prototype {
  readonly source: string
  readonly line: number
  readonly parameters: number
  readonly isVararg: boolean
  /** How many registers a call takes. */
  readonly registers: number
  readonly code: Int32Array
  readonly constants: readonly LuaValue[]
  /** The hashes of the constants that are strings. */
  readonly hashes: Int32Array
  readonly prototypes: readonly Prototype[]
  readonly upvalues: readonly UpvaluePlace[]
  readonly #lines: Int32Array
  readonly #names: readonly (InstructionNames | undefined)[]

  constructor(parts: PrototypeParts) {
    this.source = parts.source
    this.line = parts.line
    this.parameters = parts.parameters
    this.isVararg = parts.isVararg
    this.registers = parts.registers
    this.code = Int32Array.from(parts.code)
    this.constants = parts.constants
    this.hashes = Int32Array.from(parts.constants, (constant) =>
      typeof constant === 'string' ? hashOfString(constant) : 0,
    )
    this.prototypes = parts.prototypes
    this.upvalues = parts.upvalues
    this.#lines = Int32Array.from(parts.lines)
    this.#names = parts.names
  }

  /** `at`: of the instruction among all words. */
  placeOf(at: number): CodePlace {
    return { source: this.source, line: this.#lines[at >> 2] ?? this.line }
  }

  namesAt(at: number): InstructionNames | undefined {
    return this.#names[at >> 2]
  }

  /** Roughly what it takes in memory, inner functions included. */
  get bytes(): number {
    let bytes = 300 + this.code.length * 8 + this.constants.length * 24
    for (const constant of this.constants) {
      if (typeof constant === 'string') bytes += constant.length
    }
    for (const inner of this.prototypes) bytes += inner.bytes
    return bytes
  }
}

/** How long a source is shown at run time, and while it is compiled. */
const SHOWN_BYTES = 60
export const COMPILER_SHOWN_BYTES = 80

/** How messages call a source: `user_script`, `[string "return 1"]`. */
export function shownSource(source: string, bytes = SHOWN_BYTES): string {
  if (source.startsWith('=')) return source.slice(1, bytes)
  if (source.startsWith('@')) {
    const name = source.slice(1)
    const most = bytes - " '...' ".length - 1
    return name.length <= most ? name : `...${name.slice(-most)}`
  }
  const [first = ''] = source.split(/[\n\r]/, 1)
  const room = bytes - ' [string "..."] '.length - 1
  const isCut = first.length < source.length || first.length > room
  return isCut ? `[string "${first.slice(0, room)}..."]` : `[string "${first}"]`
}
