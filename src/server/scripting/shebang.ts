/** The first line of a script or library: `#!lua name=library flags=no-writes,allow-oom`. */
import { splitArgs } from '../../base/split-args.ts'
import type { ScriptFlags } from './run.ts'

/** In the order in which FUNCTION LIST names them. */
export const FLAGS = [
  'no-writes',
  'allow-oom',
  'allow-stale',
  'no-cluster',
  'allow-cross-slot-keys',
] as const

const OLD_STYLE: ScriptFlags = {
  noWrites: false,
  allowOom: false,
  allowStale: false,
  isOldStyle: true,
}

export type Shebang =
  | { readonly ok: true; readonly flags: ScriptFlags; readonly body: string }
  | { readonly ok: false; readonly error: string }

/** Reads the first line of a script for EVAL, which has no name. Lines keep their numbers. */
export function readShebang(source: string): Shebang {
  if (!source.startsWith('#!')) return { ok: true, flags: OLD_STYLE, body: source }
  const end = source.indexOf('\n')
  const words = end < 0 ? undefined : splitArgs(source.slice(0, end))
  if (end < 0) return { ok: false, error: 'Invalid script shebang' }
  if (words === undefined) return { ok: false, error: 'Invalid engine in script shebang' }
  const [engine = '', ...options] = words
  if (engine !== '#!lua') {
    return { ok: false, error: `Unexpected engine in script shebang: ${engine}` }
  }
  let names: readonly string[] = []
  for (const option of options) {
    if (!option.startsWith('flags=')) {
      return { ok: false, error: `Unknown lua shebang option: ${option}` }
    }
    const flags = option.slice('flags='.length)
    names = flags === '' ? [] : flags.split(',')
    const unknown = names.find((name) => !isFlag(name))
    if (unknown !== undefined) {
      return { ok: false, error: `Unexpected flag in script shebang: ${unknown}` }
    }
  }
  return { ok: true, flags: flagsOf(names), body: source.slice(end) }
}

/** What the first line of a script for EVAL declares; undefined: nothing, or it is refused anyway. */
export function declaredFlags(source: string): ScriptFlags | undefined {
  if (!source.startsWith('#!')) return undefined
  const shebang = readShebang(source)
  return shebang.ok ? shebang.flags : undefined
}

export function isFlag(name: string): boolean {
  return (FLAGS as readonly string[]).includes(name)
}

export function flagsOf(names: readonly string[]): ScriptFlags {
  return {
    noWrites: names.includes('no-writes'),
    allowOom: names.includes('allow-oom'),
    allowStale: names.includes('allow-stale'),
    isOldStyle: false,
  }
}
