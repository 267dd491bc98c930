/** The command line of redis-server and redis-sentinel: `[file] [--directive value …] [-]`. */
import { readTextFile } from '../files.ts'

export interface RedisArguments {
  /** Undefined if none was named. */
  readonly path: string | undefined
  readonly overrides: readonly string[]
  /** Given `-` as the last word: the text from standard input, a byte string. */
  readonly stdin: string | undefined
}

/** Reads standard input if the arguments ask for it. Throws a StartError if that fails. */
export function splitArguments(args: readonly string[]): RedisArguments {
  const wantsStdin = args.at(-1) === '-'
  const words = wantsStdin ? args.slice(0, -1) : args
  const [first] = words
  const hasFile = first !== undefined && !first.startsWith('-')
  return {
    path: hasFile ? first : undefined,
    overrides: hasFile ? words.slice(1) : words,
    stdin: wantsStdin ? readTextFile('-', 'latin1') : undefined,
  }
}
