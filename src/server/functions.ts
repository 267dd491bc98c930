/**
 * Libraries of server-side functions: which there are, and which functions they registered. Their
 * first line names them,
 *
 *     #!lua name=library
 *
 * They travel with the data: in snapshots, in files and to replicas.
 */
import { splitArgs } from '../base/split-args.ts'
import type { FunctionLibraries, ScriptFunction } from './scripting/function-libraries.ts'

export type RestorePolicy = 'FLUSH' | 'APPEND' | 'REPLACE'

export interface Library {
  readonly name: string
  readonly engine: string
  readonly source: string
  readonly functions: readonly ScriptFunction[]
}

export type ParsedLibrary =
  | { readonly ok: true; readonly library: Library }
  /** `error`: the text without its error code. */
  | { readonly ok: false; readonly error: string }

type Failed = Extract<ParsedLibrary, { ok: false }>

export class FunctionStore {
  readonly #loader: FunctionLibraries
  #libraries = new Map<string, Library>()
  readonly #functions = new Map<string, ScriptFunction>()

  constructor(loader: FunctionLibraries) {
    this.#loader = loader
  }

  /** What they take in memory. */
  get heapBytes(): number {
    let bytes = 0
    for (const { name, source } of this.#libraries.values())
      bytes += name.length + source.length + 200
    return bytes
  }

  get size(): number {
    return this.#libraries.size
  }

  get functionCount(): number {
    return this.#functions.size
  }

  /** The sources, in the order in which they were added. */
  *all(): Iterable<string> {
    for (const { source } of this.#libraries.values()) yield source
  }

  libraries(): Iterable<Library> {
    return this.#libraries.values()
  }

  find(name: string): ScriptFunction | undefined {
    return this.#functions.get(name.toLowerCase())
  }

  /**
   * Runs the code of a library and takes its functions. A library of the same name is replaced, or
   * refuses it (`replaces`). A source that is no library changes nothing; the result says why.
   */
  add(source: string, replaces = true): ParsedLibrary {
    const header = parseHeader(source)
    if (!header.ok) return header
    const { name, body } = header
    const old = this.#libraries.get(name)
    if (old !== undefined && !replaces) return failed(`Library '${name}' already exists`)
    const loaded = this.#loader.load(name, body)
    if (!loaded.ok) return loaded
    const taken = loaded.functions.find(
      (each) => (this.#functions.get(each.name.toLowerCase())?.library ?? name) !== name,
    )
    if (taken !== undefined) {
      this.#loader.release(loaded.functions)
      return failed(`Function ${taken.name} already exists`)
    }
    // It keeps the place of the library that it replaces.
    if (old !== undefined) this.#forget(old)
    const library = { name, engine: 'LUA', source, functions: loaded.functions }
    this.#take(library)
    return { ok: true, library }
  }

  /**
   * All or none; the result says which was refused, and then the libraries there are have lost nothing of what
   * they keep. With FLUSH these take the place of all others, with REPLACE of those of the same names.
   */
  restore(sources: readonly string[], policy: RestorePolicy): string | undefined {
    const staged: Library[] = []
    const problem = this.#stage(sources, staged) ?? this.#clash(staged, policy)
    if (problem !== undefined) {
      for (const { functions } of staged) this.#loader.release(functions)
      return problem
    }
    for (const { name } of policy === 'FLUSH' ? [...this.libraries()] : staged) this.remove(name)
    for (const library of staged) this.#take(library)
    return undefined
  }

  /** Loads libraries beside those there are; the result says which is none. */
  #stage(sources: readonly string[], staged: Library[]): string | undefined {
    for (const source of sources) {
      const header = parseHeader(source)
      if (!header.ok) return header.error
      const { name, body } = header
      if (staged.some((each) => each.name === name)) return `Library '${name}' already exists`
      const loaded = this.#loader.load(name, body)
      if (!loaded.ok) return loaded.error
      const { functions } = loaded
      const others = namesOf(staged)
      staged.push({ name, engine: 'LUA', source, functions })
      const taken = functions.find((each) => others.has(each.name.toLowerCase()))
      if (taken !== undefined) return `Function ${taken.name} already exists`
    }
    return undefined
  }

  /** What of these libraries stands in the way of being added. */
  #clash(staged: readonly Library[], policy: RestorePolicy): string | undefined {
    if (policy === 'FLUSH') return undefined
    const known = staged.find(({ name }) => this.#libraries.has(name))
    if (known !== undefined && policy !== 'REPLACE') return `Library ${known.name} already exists`
    const going = new Set(staged.map(({ name }) => name))
    for (const each of staged.flatMap(({ functions }) => functions)) {
      const owner = this.#functions.get(each.name.toLowerCase())?.library
      if (owner !== undefined && !going.has(owner)) return `Function ${each.name} already exists`
    }
    return undefined
  }

  #take(library: Library): void {
    this.#libraries.set(library.name, library)
    for (const each of library.functions) this.#functions.set(each.name.toLowerCase(), each)
  }

  /** Whether there was such a library. */
  remove(name: string): boolean {
    const library = this.#libraries.get(name)
    if (library === undefined) return false
    this.#forget(library)
    return this.#libraries.delete(name)
  }

  #forget({ functions }: Library): void {
    for (const each of functions) this.#functions.delete(each.name.toLowerCase())
    this.#loader.release(functions)
  }

  clear(): void {
    this.#libraries = new Map()
    this.#functions.clear()
    this.#loader.clear()
  }
}

/** Of their functions, in lower case. */
function namesOf(libraries: readonly Library[]): ReadonlySet<string> {
  const all = libraries.flatMap(({ functions }) => functions)
  return new Set(all.map(({ name }) => name.toLowerCase()))
}

type Header = { readonly ok: true; readonly name: string; readonly body: string } | Failed

function parseHeader(source: string): Header {
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
  if (engine.toLowerCase() !== 'lua') return failed(`Engine '${engine}' not found`)
  return { ok: true, name: given, body: source.slice(lineEnd) }
}

function nameIn(options: readonly string[]): string | Failed {
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

function failed(error: string): Failed {
  return { ok: false, error }
}
