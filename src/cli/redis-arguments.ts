/** The command line of redis-server and redis-sentinel: `[file] [--directive value …] [-]`. */
import { readFileSync } from 'node:fs'
import { reasonOf, StartError } from '../io/start-error.ts'

export interface RedisArguments {
  /** Undefined: none was named. */
  readonly path: string | undefined
  readonly overrides: readonly string[]
  /** A last word of `-`: what came on standard input, a byte string. */
  readonly stdin: string | undefined
}

/** Reads standard input where it is asked for. Throws a StartError when it cannot. */
export function splitArguments(args: readonly string[]): RedisArguments {
  const wantsStdin = args.at(-1) === '-'
  const words = wantsStdin ? args.slice(0, -1) : args
  const [first] = words
  const hasFile = first !== undefined && !first.startsWith('-')
  return {
    path: hasFile ? first : undefined,
    overrides: hasFile ? words.slice(1) : words,
    stdin: wantsStdin ? readStdin() : undefined,
  }
}

function readStdin(): string {
  try {
    return readFileSync(0, 'latin1')
  } catch (error) {
    const message = `cannot read standard input: ${reasonOf(error)}`
    throw new StartError('E_CONFIG_FILE', message, 'give it a pipe or a file, or leave the - out')
  }
}
