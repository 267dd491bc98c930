/** The number of a bit in a string, as an argument. */
import type { Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { maxStringBytes } from '../../arguments/string-limit.ts'
import type { CommandContext } from '../../context.ts'
import { BIT_OFFSET_OUT_OF_RANGE } from '../../errors.ts'

/** `unit`: how many bits one step of the argument is. Never beyond the longest string. */
export function parseBitOffset(
  { node }: CommandContext,
  text: string | undefined,
  unit = 1,
): number | Reply {
  const given = parseInteger(text)
  if (given === undefined || given < 0) return BIT_OFFSET_OUT_OF_RANGE
  const offset = given * unit
  const isWithin = Math.floor(offset / 8) < maxStringBytes(node.settings)
  return isWithin ? offset : BIT_OFFSET_OUT_OF_RANGE
}
