/** Checks what operators write into the configuration at run time (SENTINEL MONITOR and SET). */
import { parseInt64 } from '../../base/decimal.ts'
import { error, type Reply } from '../../resp/reply.ts'

/** Undefined if there are none. A line break in a value could smuggle a directive into a file. */
export function refuseControlCharacters(
  argv: readonly string[],
  commandName: string,
): Reply | undefined {
  const index = argv.findIndex(hasControlCharacter)
  if (index === -1) return undefined
  const where = `Invalid argument at index ${index} for ${commandName}`
  return error(`ERR ${where}: control characters are not allowed`)
}

/** An exact integer; undefined for anything else, including integers that are too large. */
export function parseInteger(text: string): number | undefined {
  const value = parseInt64(text)
  return typeof value === 'number' ? value : undefined
}

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}
