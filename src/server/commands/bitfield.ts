/** Integers of any width inside a string, and BITOP. */
import type { Family } from '../command.ts'

export const bitfieldFamily: Family = {
  group: 'bitmap',
  category: '@bitmap',
  commands: [],
}
