/**
 * Libraries of server-side functions. This node cannot run them; it keeps them as they are, for the
 * Redis servers that copy it or take over from it: a replica that dropped them would lose them for the
 * whole group with the next failover. Of a library only the first line is understood,
 *
 *     #!lua name=library
 *
 * so which functions it registers is not known here.
 */
import { splitArgs } from '../base/split-args.ts'

interface Library {
  readonly name: string
  /** As the first line says; the one that every server has in capitals, as Redis shows it. */
  readonly engine: string
  readonly source: string
}

export type Parsed =
  | { readonly ok: true; readonly library: Library }
  /** `error`: without its code. */
  | { readonly ok: false; readonly error: string }

export class FunctionStore {
  #libraries = new Map<string, Library>()

  get size(): number {
    return this.#libraries.size
  }

  /** The sources, in the order they came. */
  *all(): Iterable<string> {
    for (const { source } of this.#libraries.values()) yield source
  }

  libraries(): Iterable<Library> {
    return this.#libraries.values()
  }

  has(name: string): boolean {
    return this.#libraries.has(name)
  }

  /** Replaces a library of the same name. What is no library is left out, and the reason given. */
  add(source: string): Parsed {
    const parsed = parseLibrary(source)
    if (parsed.ok) this.#libraries.set(parsed.library.name, parsed.library)
    return parsed
  }

  /** Whether it was there. */
  remove(name: string): boolean {
    return this.#libraries.delete(name)
  }

  clear(): void {
    this.#libraries = new Map()
  }
}

export function parseLibrary(source: string): Parsed {
  if (!source.startsWith('#!')) return failed('Missing library metadata')
  const lineEnd = source.indexOf('\n')
  const words = lineEnd < 0 ? undefined : splitArgs(source.slice(0, lineEnd))
  if (words === undefined) return failed('Invalid library metadata')
  const [first = '', ...options] = words
  const given = nameIn(options)
  if (typeof given === 'object') return given
  if (!/^\w+$/.test(given)) {
    return failed(
      'Library names can only contain letters, numbers, or underscores(_) and must be at least ' +
        'one character long',
    )
  }
  const engine = first.slice(2)
  const shown = engine.toLowerCase() === 'lua' ? 'LUA' : engine
  return { ok: true, library: { name: given, engine: shown, source } }
}

function nameIn(options: readonly string[]): string | Extract<Parsed, { ok: false }> {
  let name: string | undefined
  for (const option of options) {
    if (!/^name=/i.test(option)) return failed(`Invalid metadata value given: ${option}`)
    if (name !== undefined) {
      return failed('Invalid metadata value, name argument was given multiple times')
    }
    name = option.slice('name='.length)
  }
  return name ?? failed('Library name was not given')
}

function failed(error: string): Extract<Parsed, { ok: false }> {
  return { ok: false, error }
}
